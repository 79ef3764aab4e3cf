import { createInitialConversationState, reduceSessionEvents, type SessionEvent } from 'agentfold'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { basic, further } from '../depth.ts'
import { skipReason } from './chromium.ts'
import { call, request } from './decisions-events.ts'
import { callResult, finishedCall, finishedText } from './events.ts'
import { agree, append, usePages } from './pages.ts'
import { useReports } from './reports.ts'

const FACTS: SessionEvent = { type: 'session:updated', facts: { program: 'claude-code', cwd: '/srv/demo' } }
const fold = (events: readonly SessionEvent[]) =>
  reduceSessionEvents(createInitialConversationState(), events)

describe.skipIf(skipReason)(`a call on a page ${skipReason ?? ''}`, () => {
  const { start, open } = usePages()

  // The title said "Run the tests", and a mark of a direction turned the rest of the command around.
  basic('shows all that a permission lets run, and then has the answer', async () => {
    const app = await start()
    const page = await open(app)
    const command = `npm test \u202e# x\u001b[8m; git push --force\u200b ${'step '.repeat(100)}end`
    const shownCommand = `npm test \ufffd# x␛[8m; git push --force\ufffd ${'step '.repeat(100)}end`
    const edit = { file_path: '/srv/demo/a.ts', old_string: 'const a = 1', new_string: 'const a = 2' }
    const waiting = { title: 'Bash: Run the tests', options: [{ id: 'y', label: 'Allow' }] }
    await append(app, [
      FACTS,
      call('run', { input: { command, description: 'Run the tests' } }),
      request('r1', { ...waiting, toolUseId: 'run' }),
      call('edit', { toolName: 'Edit', input: edit }),
      request('r2', { ...waiting, title: 'Edit: a.ts', toolUseId: 'edit' }),
    ])
    await agree(page, app)
    const box = page.getByRole('region', { name: 'Open requests' })
    for (const place of [page.locator('[data-block="run"]'), box]) {
      await expect.poll(() => place.locator('[data-field="input"]').first().textContent()).toBe(shownCommand)
    }
    for (const place of [page.locator('[data-block="edit"]'), box])
      await expect.poll(() => place.locator('.added .line-text').allTextContents()).toEqual(['+const a = 2'])
    await page.locator('[data-block="run"]').getByText('Answer in claude-code.').waitFor()
    await append(app, [
      request('r1', { ...waiting, toolUseId: 'run', status: 'complete', answer: 'y' }),
      request('r2', { ...waiting, title: 'Edit: a.ts', toolUseId: 'edit', status: 'complete', denied: true }),
    ])
    const answered = page.locator('[data-block="run"] [data-block="r1"]')
    await expect
      .poll(() => answered.innerText())
      .toMatch(/^Permission\s+answered: Allow\s+Bash: Run the tests$/)
    await expect.poll(() => page.locator('[data-row]').count()).toBe(2)
    await expect.poll(() => box.getByRole('button').count()).toBe(0)
  })

  // A failed edit was "edited", on its own and in a line for many calls.
  further('says of no edit that it is made before its call has succeeded', async () => {
    const app = await start()
    const page = await open(app)
    const input = { file_path: '/srv/demo/a.ts', old_string: 'const a = 1', new_string: 'const a = 2' }
    const note = (id: string) => page.locator(`[data-block="${id}"] .change-head .note`)
    await append(app, [FACTS, call('runs', { toolName: 'Edit', input })])
    const result = (toolUseId: string, isError: boolean) =>
      callResult({
        id: `${toolUseId}:result`,
        toolUseId,
        output: 'x',
        isError,
        status: isError ? 'error' : 'complete',
      })
    await append(app, [
      call('fails', { toolName: 'Edit', input, status: 'error' }),
      result('fails', true),
      call('works', { toolName: 'Edit', input, status: 'complete' }),
      result('works', false),
    ])
    await agree(page, app)
    await page.keyboard.press('e')
    await expect.poll(() => note('fails').textContent()).toBe('edit, +1 −1')
    await expect.poll(() => note('runs').textContent()).toBe('edit, +1 −1')
    await expect.poll(() => note('works').textContent()).toBe('edited, +1 −1')
  })

  further('shows what an agent would get, and the facts of a request without a call', async () => {
    const app = await start()
    const page = await open(app)
    await append(app, [
      { type: 'subagent:spawned', toolUseId: 'S', prompt: 'Delete all of it.', conversationId: 'main' },
      request('r1', { title: 'Agent: Look around', toolUseId: 'S' }),
      request('r2', { title: 'Look', data: { patterns: ['rm *'] } }),
      call('edit', {
        toolName: 'Edit',
        input: { file_path: 'a\u200b.ts', old_string: 'a', new_string: 'b', replace_all: true },
      }),
      request('r3', { title: 'Edit: a.ts', toolUseId: 'edit' }),
    ])
    const box = page.getByRole('region', { name: 'Open requests' })
    for (const place of [page.locator('.rows'), box]) {
      await place.getByText('Delete all of it.').first().waitFor()
      await place.getByText('rm *').first().waitFor()
      await place.locator('.tool-input', { hasText: 'replace_all' }).getByText('true').waitFor()
      await place.getByText('a\ufffd.ts').first().waitFor()
    }
  })

  basic('has a clock while it runs, and a session without an event for long stands still', async () => {
    const app = await start()
    const page = await open(app)
    const at = (timestamp: string, id: string): SessionEvent => {
      const block = { type: 'tool_use', toolName: 'Bash', input: { command: `sleep ${id}` } } as const
      return { type: 'block:upsert', block: { ...block, status: 'pending', id, toolUseId: id, timestamp } }
    }
    await append(app, [{ type: 'session:running' }, at('2020-01-01T00:00:00Z', 'old')])
    await expect
      .poll(() => page.locator('.session-status').innerText())
      .toMatch(/^running · last event \d+ years ago$/)
    await expect.poll(() => animations(page)).toEqual([])
    await append(app, [at(new Date(Date.now() - 65_000).toISOString(), 'new')])
    const clock = page.locator('[data-block="new"] [role="timer"]')
    await expect.poll(() => clock.innerText()).toMatch(/^1 min \d+ s$/)
    const first = await clock.innerText()
    await expect.poll(() => clock.innerText()).not.toBe(first)
    await expect.poll(() => page.locator('.bar .doing').innerText()).toMatch(/^Bash sleep new\s+1 min \d+ s$/)
    await expect.poll(() => page.locator('.session-status').innerText()).toBe('running')
    await expect.poll(() => animations(page)).toContain('breathe')
  })
})

/** Returns the names of what moves on the page. */
function animations(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    document
      .getAnimations()
      .map((each) => (each instanceof CSSAnimation ? each.animationName : 'transition')),
  )
}

const LINES = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`)
const FAILURE = [
  '✓ one',
  ...LINES,
  '\u001b[38;5;208mError\u001b[0m: \u001b[38;2;250;250;210mno tea\u001b[0m',
  '────',
  '',
].join('\n')

describe.skipIf(skipReason)(`a call in a report ${skipReason ?? ''}`, () => {
  const { open } = useReports()

  basic('that failed is open, and begins with its end', async () => {
    const page = await open(
      fold([
        call('fail', { status: 'error' }),
        callResult({ id: 'fail:result', toolUseId: 'fail', output: FAILURE, isError: true, status: 'error' }),
      ]),
    )
    const block = page.locator('[data-block="fail"]')
    const output = block.locator('[data-field="output"]')
    await expect.poll(() => output.innerText()).toMatch(/^line 39\n(?:.*\n)+Error: no tea\n────\n$/)
    const colors = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).color)
    await expect.poll(() => colors('[data-field="output"]')).toBe(await colors('main'))
    const [orange, ivory] = [await colors('.ansi-fg'), await colors('.ansi-fg >> nth=1')]
    expect(new Set([orange, ivory, await colors('main')]).size).toBe(3)
    await block.getByRole('button', { name: '39 lines before' }).click()
    await expect.poll(() => output.innerText()).toMatch(/^✓ one\nline 1\n/)
    await block.locator('summary').click()
    await expect
      .poll(() => block.locator('.result-preview .preview').allInnerTexts())
      .toEqual(['line 59', 'line 60', 'Error: no tea'])
  })

  basic(
    'that changed a file shows the first lines with colours, and the file is in the list of files',
    async () => {
      const lines = LINES.map((_, at) => `+const x${at} = ${at}`)
      const hunks = [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 60, lines }]
      const changes = [{ path: '/srv/demo/src/new.ts', kind: 'add', added: 60, removed: 0, hunks } as const]
      const page = await open(
        fold([
          FACTS,
          finishedText('t', 'Hello.'),
          call('write', {
            toolName: 'Write',
            status: 'complete',
            input: { file_path: '/srv/demo/src/new.ts' },
          }),
          callResult({ id: 'write:result', toolUseId: 'write', output: 'Done.', changes }),
        ]),
      )
      const block = page.locator('[data-block="write"]')
      await expect.poll(() => block.locator('summary code').innerText()).toBe('src/new.ts')
      await expect.poll(() => block.locator('.change-path').innerText()).toBe('src/new.ts')
      await expect.poll(() => block.locator('.line-text').count()).toBe(24)
      await expect.poll(() => block.locator('.code-keyword').first().innerText()).toBe('const')
      await block.getByRole('button', { name: '36 more lines' }).click()
      await expect.poll(() => block.locator('.line-text').count()).toBe(60)
      await page.getByRole('tab', { name: 'Files' }).click()
      const files = page.getByRole('region', { name: 'Changed files' })
      await expect
        .poll(() => files.getByRole('listitem').allInnerTexts())
        .toEqual([expect.stringMatching(/^src\/new\.ts\s+\+60 −0$/)])
      await files.locator('summary').click()
      await files.getByRole('button', { name: 'Go to the call' }).click()
      await expect.poll(() => page.evaluate(() => location.hash)).toBe('#write')
    },
  )

  further('stands still, with its duration and the pause before it', async () => {
    const timed = (event: SessionEvent, timestamp: string): SessionEvent =>
      event.type === 'block:upsert' ? { ...event, block: { ...event.block, timestamp } } : event
    const page = await open(
      fold([
        { type: 'session:running' },
        timed(finishedText('t', 'Hello.'), '2026-01-01T08:00:00Z'),
        timed(finishedCall('sleep', { command: 'sleep 41' }), '2026-01-01T11:00:00Z'),
        timed(callResult({ id: 'sleep:result', toolUseId: 'sleep', output: 'ok' }), '2026-01-01T11:00:41Z'),
        call('open', {}),
      ]),
    )
    await expect.poll(() => page.locator('.pause-note').allInnerTexts()).toEqual(['3 h later'])
    await expect.poll(() => page.locator('[data-block="sleep"] .further').first().innerText()).toBe('41 s')
    await expect.poll(() => page.locator('[data-block="open"] .status').innerText()).toBe('running')
    await expect.poll(() => page.locator('[role="timer"]').count()).toBe(0)
    await expect.poll(() => animations(page)).toEqual([])
  })
})
