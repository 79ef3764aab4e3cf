import {
  createInitialConversationState,
  type FileChange,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from 'agentfold'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { basic, casesOf, further } from '../../depth.ts'
import { problemsOn } from '../axe.ts'
import { skipReason } from '../chromium.ts'
import { useReports } from '../reports.ts'

const fold = (events: readonly SessionEvent[]): SessionConversationState =>
  reduceSessionEvents(createInitialConversationState(), events)

interface EditOf {
  readonly id: string
  readonly conversationId?: string
  readonly time: string
  readonly change: Omit<FileChange, 'kind' | 'added' | 'removed'> & Partial<FileChange>
}

function edit({ id, conversationId = 'main', time, change }: EditOf): readonly SessionEvent[] {
  const timestamp = `2026-11-29T${time}Z`
  const lines = change.hunks?.flatMap((hunk) => hunk.lines) ?? []
  const whole: FileChange = {
    ...{ kind: 'edit', added: lines.filter((each) => each.startsWith('+')).length },
    ...{ removed: lines.filter((each) => each.startsWith('-')).length, ...change },
  }
  const base = { toolUseId: id, status: 'complete', timestamp } as const
  return [
    {
      ...{ type: 'block:upsert', conversationId },
      block: { ...base, id, type: 'tool_use', toolName: 'Edit', input: { file_path: change.path } },
    },
    {
      ...{ type: 'block:upsert', conversationId },
      block: {
        ...{ ...base, id: `${id}:result`, type: 'tool_result', isError: false, output: 'Done.' },
        changes: [whole],
      },
    },
  ]
}

const hunk = (oldStart: number, newStart: number, lines: readonly string[]) => ({
  ...{ oldStart, newStart, lines },
  oldLines: lines.filter((each) => !each.startsWith('+')).length,
  newLines: lines.filter((each) => !each.startsWith('-')).length,
})

const state = fold([
  { type: 'session:updated', facts: { program: 'claude-code', id: 'abc-1', cwd: '/srv/shop', costUsd: 0.5 } },
  {
    type: 'block:upsert',
    block: { type: 'user_message', id: 'p', status: 'complete', content: 'Mend the sum.' },
  },
  {
    ...{ type: 'subagent:spawned', toolUseId: 'A', conversationId: 'main', prompt: 'Look.' },
    description: 'Mend the tests',
  },
  // The agent works between two edits of main.
  ...edit({
    ...{ id: 'e1', time: '10:00:00' },
    change: {
      path: '/srv/shop/src/sum.ts',
      hunks: [hunk(1, 1, [' const a = 1', '-const b = 2', '+const b = 3'])],
    },
  }),
  ...edit({
    ...{ id: 'e3', time: '10:00:20' },
    change: {
      path: '/srv/shop/src/sum.ts',
      hunks: [hunk(1, 1, ['-  const a = 0', '+const a = 9', ' const b = 4'])],
    },
  }),
  ...edit({
    ...{ id: 'e2', conversationId: 'A', time: '10:00:10' },
    change: {
      path: '/srv/shop/src/sum.ts',
      hunks: [hunk(1, 1, ['-const a = 1', '-const b = 3', '+  const a = 0', '+const b = 4'])],
    },
  }),
  ...edit({
    ...{ id: 'e4', conversationId: 'A', time: '10:00:30' },
    change: { path: '/srv/shop/test/sum.test.ts', kind: 'add', hunks: [hunk(0, 1, ['+it()', '+  x'])] },
  }),
  ...edit({
    ...{ id: 'e5', time: '10:00:40' },
    change: { path: '/srv/shop/test/sum.test.ts', hunks: [hunk(2, 2, ['-  x', '+    x'])] },
  }),
  { type: 'subagent:completed', toolUseId: 'A', output: 'Fine.', status: 'completed' },
  {
    type: 'block:upsert',
    block: { type: 'assistant_text', id: 't', status: 'complete', content: 'The sum is **right**.' },
  },
  { type: 'session:idle', outcome: 'finished' },
])

describe.skipIf(skipReason)(`the changes of a session ${skipReason ?? ''}`, () => {
  const { open } = useReports()

  basic('have one diff for each file, over all agents in the order of time', async () => {
    const page = await open(state, { viewport: { width: 1440, height: 900 } })
    await page.getByRole('link', { name: 'Changes 2' }).click()
    await expect
      .poll(() => linesOf(page, 'src/sum.ts'))
      .toEqual([...['-const a = 1', '-const b = 2', '+const a = 9', '+const b = 4']])
    await expect.poll(() => linesOf(page, 'test/sum.test.ts')).toEqual(['+it()', '+    x'])
    await expect
      .poll(() => page.getByRole('group', { name: 'Changed files' }).getByRole('button').allInnerTexts())
      .toEqual([expect.stringMatching(/^sum\.ts\s\+2 −2$/), expect.stringMatching(/^sum\.test\.ts\s\+2 −0$/)])
    // The head of the session counts the lines that came and went again.
    await page.getByText('2 files, +4 −2, 5 changes of +7 −5 in 40 s').waitFor()
    // As wide as the page: nothing but the tree stands beside it.
    const { width = 0 } = (await page.locator('.wide-diff').first().boundingBox()) ?? {}
    expect(width).toBeGreaterThan(700)
    await page.getByRole('button', { name: 'sum.test.ts' }).press('Enter')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('article')?.getAttribute('aria-label')))
      .toBe('test/sum.test.ts')
  })

  basic('lead to the call, and Back leads to the changes', async () => {
    const page = await open(state, { fragment: '#/changes' })
    const calls = page.getByRole('article', { name: 'src/sum.ts' }).getByTitle('Go to the call')
    await expect
      .poll(() => calls.allInnerTexts())
      .toEqual([
        expect.stringContaining('Main'),
        expect.stringContaining('Mend the tests'),
        expect.stringContaining('Main'),
      ])
    await calls.nth(1).click()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-block')))
      .toBe('e2')
    await page.goBack()
    await page.getByRole('article', { name: 'src/sum.ts' }).waitFor()
    await page.getByRole('link', { name: 'Conversation' }).click()
    await page.locator('[data-block="t"]').waitFor()
  })

  basic('are those of one agent, side by side, or without changes of whitespace', async () => {
    const page = await open(state, { fragment: '#/changes', viewport: { width: 1440, height: 900 } })
    await page.getByLabel('Hide whitespace').check()
    await page.getByLabel('Agent whose changes are shown').selectOption('Main')
    // Between main's two edits stands one of the agent, so they do not fit together.
    await page.getByText('there are 2 diffs').waitFor()
    await expect
      .poll(() => page.getByRole('article', { name: 'test/sum.test.ts' }).innerText())
      .toContain('Only whitespace has changed.')
    await page.getByLabel('Agent whose changes are shown').selectOption('All agents')
    await page.getByLabel('Side by side').check()
    const pair = page.getByRole('article', { name: 'src/sum.ts' }).locator('.pair').first()
    await expect
      .poll(() => pair.locator('.line-text').allInnerTexts())
      .toEqual(['-const a = 1', '+const a = 9'])
    // The choice is for all sessions.
    await page.reload()
    await expect.poll(() => page.getByLabel('Side by side').isChecked()).toBe(true)
  })

  basic('are those of one turn, with the agents that it started', async () => {
    const later = reduceSessionEvents(state, [
      {
        type: 'block:upsert',
        block: { type: 'user_message', id: 'q', status: 'complete', content: 'Again.' },
      },
      ...edit({
        ...{ id: 'e6', time: '11:00:00' },
        change: { path: '/srv/shop/src/more.ts', kind: 'add', hunks: [hunk(0, 1, ['+1'])] },
      }),
    ])
    const page = await open(later, { fragment: '#/changes' })
    const files = () => page.locator('.file-diff').evaluateAll((all) => all.map((each) => each.ariaLabel))
    await expect.poll(files).toEqual(['src/more.ts', 'src/sum.ts', 'test/sum.test.ts'])
    await page.getByLabel('Turn whose changes are shown').selectOption('Again.')
    await expect.poll(files).toEqual(['src/more.ts'])
    await page.getByLabel('Turn whose changes are shown').selectOption('Mend the sum.')
    await expect.poll(files).toEqual(['src/sum.ts', 'test/sum.test.ts'])
    await expect.poll(() => linesOf(page, 'src/sum.ts')).toContain('+const b = 4')
  })

  further.each(
    casesOf([
      ['none', 0],
      ['light', 390],
      ['dark', 768],
      ['light', 1440],
    ] as const),
  )('have no problem that axe finds, and no overflow, %s and %i wide', async (colorScheme, width) => {
    if (colorScheme === 'none') return
    const page = await open(state, { colorScheme, fragment: '#/changes', viewport: { width, height: 900 } })
    await page.locator('.wide-diff').first().waitFor()
    await expect.poll(() => problemsOn(page)).toEqual([])
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBeLessThanOrEqual(0)
  })
})

describe.skipIf(skipReason)(`the outcome of a session ${skipReason ?? ''}`, () => {
  const { open } = useReports()

  basic('has the last answer, the sums, and the command that resumes it', async () => {
    const page = await open(state, { permissions: ['clipboard-read', 'clipboard-write'] })
    const outcome = page.getByRole('region', { name: 'Outcome' })
    await expect.poll(() => outcome.locator('.ending-text').innerText()).toBe('The sum is right.')
    await expect.poll(() => outcome.locator('[data-sum="Cost"] dd').innerText()).toBe('$0.50')
    await expect.poll(() => outcome.locator('[data-sum="Agents"] dd').innerText()).toBe('1 agent')
    await outcome.getByRole('button', { name: 'Copy the command that resumes the session' }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('claude --resume abc-1')
    await outcome.locator('.ending-text').click()
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-block'))).toBe('t')
    await outcome.getByRole('button', { name: 'Copy link to this place' }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/report\.html#t$/)
    await outcome.getByRole('link', { name: '2 files' }).click()
    await page.getByRole('region', { name: 'Changes' }).waitFor()
  })
})

describe.skipIf(skipReason)(`the cost by agent ${skipReason ?? ''}`, () => {
  const { open } = useReports()
  const usage = (conversationId: string, outputTokens: number): SessionEvent => ({
    ...{ type: 'usage:reported', conversationId, messageId: `m-${conversationId}`, final: true },
    usage: { inputTokens: 1_000, outputTokens },
  })
  const spawn = (toolUseId: string, description: string): SessionEvent => ({
    ...{ type: 'subagent:spawned', toolUseId, conversationId: 'main', prompt: 'Look.', description },
  })
  const costly = reduceSessionEvents(state, [
    spawn('B', 'Write the docs'),
    ...[usage('main', 1_800), usage('A', 800), usage('B', 5_800)],
  ])

  basic('divides the cost of the session, and the list of agents has the dearest first', async () => {
    const page = await open(costly, { viewport: { width: 1440, height: 900 } })
    const outcome = page.getByRole('region', { name: 'Outcome' })
    await outcome.getByText('Cost by agent').click()
    await expect
      .poll(() => outcome.getByRole('row').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Write the docs\s+67 %\s+\$0\.33$/),
        expect.stringMatching(/^Main\s+22 %\s+\$0\.11$/),
        expect.stringMatching(/^Mend the tests\s+11 %\s+\$0\.06$/),
      ])
    const screenshots = process.env.SCREENSHOTS
    if (screenshots) await page.screenshot({ path: `${screenshots}/cost-by-agent.png` })
    await expect.poll(() => problemsOn(page)).toEqual([])
    const agents = () => page.locator('.tree .agent-name').allInnerTexts()
    await expect.poll(agents).toEqual(['Main', 'Mend the tests', 'Write the docs'])
    await page.getByRole('button', { name: 'Highest cost first' }).click()
    await expect.poll(agents).toEqual(['Write the docs', 'Main', 'Mend the tests'])
    await expect.poll(() => page.locator('[data-agent="B"] .figures').first().innerText()).toContain('$0.33')
    await outcome.getByRole('button', { name: 'Mend the tests' }).click()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-block')))
      .toBe('subagent:A')
  })

  further('names no cost that no program states', async () => {
    const page = await open(
      fold([spawn('A', 'Mend the tests'), spawn('B', 'Write the docs'), usage('A', 800), usage('B', 5_800)]),
    )
    await page.getByText('Share by agent').waitFor()
    await page.getByRole('button', { name: 'Largest share first' }).click()
    await expect.poll(() => page.getByText(/cost/i).count()).toBe(0)
  })
})

describe.skipIf(skipReason)(`the timeline of a session ${skipReason ?? ''}`, () => {
  const { open } = useReports()
  const at = (time: string, block: object, conversationId = 'main'): SessionEvent =>
    Object({ type: 'block:upsert', conversationId, block: { timestamp: `2026-11-29T${time}Z`, ...block } })
  const call = (id: string, from: string, to: string, isError = false, conversationId = 'main') => [
    at(
      from,
      {
        id,
        toolUseId: id,
        type: 'tool_use',
        toolName: 'Bash',
        input: { command: `run ${id}` },
        status: 'complete',
      },
      conversationId,
    ),
    at(
      to,
      {
        id: `${id}:result`,
        toolUseId: id,
        type: 'tool_result',
        output: 'x',
        isError,
        status: isError ? 'error' : 'complete',
      },
      conversationId,
    ),
  ]
  const timed = fold([
    ...['A', 'B', 'C'].map(
      (id): SessionEvent => ({
        ...{ type: 'subagent:spawned', toolUseId: id, conversationId: 'main', prompt: 'Look.' },
        description: `Audit GET /${id}`,
      }),
    ),
    ...call('m', '10:00:00', '10:01:00'),
    ...call('a', '10:01:00', '10:02:00', false, 'A'),
    ...call('b', '10:01:00', '10:03:00', true, 'B'),
    ...call('c', '10:01:30', '10:03:00', false, 'C'),
    at('10:03:00', {
      id: 'r',
      type: 'request',
      kind: 'permission',
      title: 'Bash: rm x',
      status: 'complete',
      answer: 'y',
    }),
    at('10:05:00', { id: 't', type: 'assistant_text', status: 'complete', content: 'Done.' }),
  ])

  basic(
    'has round times, failures in their colour, waits in stripes, and bars that lead to their calls',
    async () => {
      const page = await open(timed, { timezoneId: 'UTC', locale: 'en-GB' })
      const timeline = page.getByRole('region', { name: 'Timeline' })
      await expect
        .poll(() => timeline.locator('.axis .tick').allInnerTexts())
        .toEqual(['10:00', '10:01', '10:02', '10:03', '10:04'])
      const background = (selector: string) =>
        timeline.locator(selector).evaluate((bar) => getComputedStyle(bar).background)
      const bad = await page.evaluate(() => {
        const probe = document.body.appendChild(document.createElement('i'))
        probe.style.color = 'var(--bad)'
        return getComputedStyle(probe).color
      })
      expect(await background('button[data-failed]')).toContain(bad)
      expect(await background('[data-kind="waiting"]')).toContain('repeating-linear-gradient')
      // The tick of 10:02 stands where the first agent's call ends.
      const tick = await timeline.locator('.axis .tick', { hasText: '10:02' }).boundingBox()
      const bar = await timeline.getByRole('button', { name: 'Bash run a' }).boundingBox()
      expect(Math.abs((bar?.x ?? 0) + (bar?.width ?? 0) - (tick?.x ?? 0))).toBeLessThanOrEqual(2)
      await expect
        .poll(() => timeline.locator('.lane-title').allInnerTexts())
        .toEqual(['Main', '/A', '/B', '/C'].map((name) => expect.stringMatching(new RegExp(`^(… )?${name}`))))
      // By keys alone, from the beginning of the page.
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      const main = timeline.getByRole('button', { name: 'Main' })
      const hasFocus = () => main.evaluate((each) => each === document.activeElement)
      for (let stops = 0; stops < 12 && !(await hasFocus()); stops += 1) await page.keyboard.press('Tab')
      expect(await hasFocus()).toBe(true)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Enter')
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-block')))
        .toBe('b')
      // On a phone the last label was cut.
      await page.setViewportSize({ width: 390, height: 800 })
      await timeline.getByRole('button', { name: 'Zoom in' }).click()
      const overflow = () =>
        timeline.locator('.axis .tick').evaluateAll((all) =>
          all
            .filter((each) => getComputedStyle(each).fontSize !== '0px')
            .map((each) => {
              const range = document.createRange()
              range.selectNodeContents(each)
              const end = each.closest('.waterfall-content')?.getBoundingClientRect().right ?? 0
              return Math.max(0, Math.round(range.getBoundingClientRect().right - end))
            }),
        )
      await expect.poll(overflow).toEqual([0, 0, 0])
    },
  )

  basic('gets wider by keys, around the bar that has the focus, and has more times', async () => {
    const page = await open(timed, {
      timezoneId: 'UTC',
      locale: 'en-GB',
      viewport: { width: 1200, height: 900 },
    })
    const timeline = page.getByRole('region', { name: 'Timeline' })
    const bar = timeline.getByRole('button', { name: 'Bash run b' })
    await bar.focus()
    const before = await bar.boundingBox()
    const ticks = await timeline.locator('.axis .tick').count()
    await page.keyboard.press('+')
    await page.keyboard.press('+')
    await expect.poll(() => timeline.locator('.zoom-buttons [role="status"]').innerText()).toBe('4×')
    const after = await bar.boundingBox()
    expect((after?.width ?? 0) / (before?.width ?? 1)).toBeGreaterThan(3)
    expect(Math.abs((after?.x ?? 0) - (before?.x ?? 0))).toBeLessThanOrEqual(2)
    await expect.poll(() => timeline.locator('.axis .tick').count()).toBeGreaterThan(ticks)
    // The names of the lanes stay in view.
    const name = await timeline.getByRole('button', { name: 'Main' }).boundingBox()
    const box = await timeline.boundingBox()
    expect((name?.x ?? 0) - (box?.x ?? 0)).toBeLessThan(30)
    await timeline.getByRole('button', { name: 'Zoom out' }).click()
    await expect.poll(() => timeline.locator('.zoom-buttons [role="status"]').innerText()).toBe('2×')
    await expect.poll(() => problemsOn(page)).toEqual([])
    await page.keyboard.press('0')
    await expect.poll(() => timeline.locator('.zoom-buttons [role="status"]').innerText()).toBe('1×')
    const screenshots = process.env.SCREENSHOTS
    if (screenshots) await page.screenshot({ path: `${screenshots}/timeline.png` })
    await expect
      .poll(() => timeline.locator('.waterfall').evaluate((each) => each.scrollWidth - each.clientWidth))
      .toBe(0)
  })
})

/** Returns the changed lines of a file. */
function linesOf(page: Page, path: string): Promise<readonly string[]> {
  return page.getByRole('article', { name: path }).locator('.line-text').allTextContents()
}
