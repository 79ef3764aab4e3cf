import { join } from 'node:path'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from 'agentfold'
import { redactAll } from 'agentfold/markdown'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { readRecording } from '../../examples/app/recording.ts'
import { stateOf } from '../bench/workloads.ts'
import { basic, casesOf, further } from '../depth.ts'
import { problemsOn } from './axe.ts'
import { skipReason } from './chromium.ts'
import { events as decisions } from './decisions-events.ts'
import { callResult, finishedCall, finishedText } from './events.ts'
import { ATTACK, evilSession } from './evil-session.ts'
import { useReports } from './reports.ts'
import { shownOf, shownOn } from './shown.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')
const NESTED = 'claude-code/06-nested-forward/stream.ndjson'
const OPENCODE = 'opencode/06-nested/events.ndjson'
const TOOLS = 'claude-code/03-tools/stream.ndjson'
const EDITS = 'opencode-requests/07-edits/events.ndjson'
const IMAGES = 'claude-code/15-images/stream.ndjson'

const stateIn = async (name: string): Promise<SessionConversationState> =>
  fold(await readRecording(join(FIXTURES, name)))
const fold = (events: readonly SessionEvent[]): SessionConversationState =>
  reduceSessionEvents(createInitialConversationState(), events)

describe.skipIf(skipReason)(`a report ${skipReason ?? ''}`, () => {
  const { open, size } = useReports()

  it.each(casesOf([NESTED, OPENCODE, TOOLS, EDITS, IMAGES]))(
    'shows the whole session without a network: %s',
    async (name) => {
      const state = await stateIn(name)
      const page = await open(state)
      await expect.poll(() => shownOn(page)).toEqual(shownOf(state))
      await expect.poll(() => page.locator('[data-connection]').count()).toBe(0)
    },
  )

  basic('runs nothing that the session brings along', async () => {
    const page = await open(evilSession())
    await page.keyboard.press('e')
    await page.getByRole('article', { name: 'Assistant' }).first().waitFor()
    const found = await page.evaluate(() => ({
      scripts: [...document.scripts].map(({ type }) => type),
      elements: document.querySelectorAll('.rows :is(img, iframe, style, svg, object, embed)').length,
      addresses: [...document.querySelectorAll<HTMLAnchorElement>('a:not([href^="#"])')].map(
        ({ href }) => href,
      ),
      handlers: [...document.querySelectorAll('*')].filter((element) =>
        element.getAttributeNames().some((name) => name.startsWith('on')),
      ).length,
    }))
    expect(found).toMatchObject({ scripts: ['application/json', ''], elements: 0, handlers: 0 })
    expect(found.addresses.filter((address) => !/^https:\/\/evil\.example\//.test(address))).toEqual([])
    await expect.poll(() => page.locator('a:not([href^="#"], [rel="noopener noreferrer"])').count()).toBe(0)
    await expect.poll(() => page.locator('.waiting-title').innerText()).toContain(ATTACK.slice(0, 30))
  })

  it.each(
    casesOf([
      ['light', 1200],
      ['dark', 1200],
      ['light', 390],
      ['dark', 390],
    ] as const),
  )('has no problem that axe finds, %s and %i wide', async (colorScheme, width) => {
    const state = fold([...decisions, ...(await readRecording(join(FIXTURES, NESTED))), ...SAMPLES])
    const page = await open(state, { colorScheme, viewport: { width, height: 900 } })
    await expect.poll(() => problemsOn(page)).toEqual([])
    await page.keyboard.press('e')
    await expect.poll(() => problemsOn(page)).toEqual([])
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBeLessThanOrEqual(0)
  })

  basic('shows Markdown, code, colours of the terminal and todos', async () => {
    const page = await open(fold(SAMPLES))
    const text = page.locator('[data-block="text"]')
    await expect.poll(() => text.locator('h3').innerText()).toBe('Result')
    await expect.poll(() => text.locator('td').allInnerTexts()).toEqual(['1', '2'])
    await expect.poll(() => text.locator('.code-keyword').first().innerText()).toBe('const')
    await expect.poll(() => text.locator('img').count()).toBe(0)
    await page.locator('[data-block="colored"] summary').click()
    await expect.poll(() => page.locator('[data-block="colored"] .ansi-red').innerText()).toBe('wrong')
  })

  basic('sums up many calls in one line that opens', async () => {
    const page = await open(fold(MANY_CALLS))
    const run = page.locator('.tool-run')
    await expect.poll(() => run.innerText()).toBe('Read 6 files')
    await expect.poll(() => page.locator('[data-type="tool_use"]').count()).toBe(0)
    await run.locator('summary').click()
    await expect.poll(() => page.locator('[data-type="tool_use"]').count()).toBe(6)
  })

  basic('finds text in closed parts, and goes to the next and the previous match', async () => {
    const page = await open(fold([...MANY_CALLS, finishedText('end', 'The needle again.')]))
    await page.keyboard.press('/')
    await page.keyboard.type('NEEDLE')
    await page.keyboard.press('Enter')
    const status = page.getByRole('search').getByRole('status')
    await expect.poll(() => status.innerText()).toBe('1 of 2')
    await page.locator('[data-block="call3:result"]').getByText('a needle').waitFor()
    await expect.poll(() => page.evaluate(() => CSS.highlights.get('search')?.size)).toBeGreaterThan(1)
    await page.locator('main').focus()
    await page.keyboard.press('n')
    await expect.poll(() => status.innerText()).toBe('2 of 2')
    await expect.poll(() => focusedBlock(page)).toBe('end')
    await page.keyboard.press('n')
    await expect.poll(() => status.innerText()).toBe('1 of 2')
    await page.keyboard.press('N')
    await expect.poll(() => status.innerText()).toBe('2 of 2')
  })

  further('goes from prompt to prompt, and has them as headings', async () => {
    const page = await open(fold(PROMPTS))
    await expect.poll(() => page.getByRole('heading', { level: 2, name: 'You' }).count()).toBe(2)
    await page.getByRole('group', { name: 'Prompts' }).getByText('Second').click()
    await expect.poll(() => focusedBlock(page)).toBe('p2')
    await page.keyboard.press('k')
    await expect.poll(() => focusedBlock(page)).toBe('p1')
    await page.keyboard.press('j')
    await expect.poll(() => focusedBlock(page)).toBe('p2')
  })

  basic('has a timeline that leads to the agents', async () => {
    const page = await open(await stateIn(NESTED))
    const timeline = page.getByRole('region', { name: 'Timeline' })
    await expect.poll(() => timeline.getByRole('listitem').count()).toBe(3)
    await expect.poll(() => timeline.locator('.segment[data-kind="command"]').count()).toBe(2)
    await timeline.getByRole('button', { name: 'Read README' }).click()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Subagent Read README')
  })

  further('closes and opens the conversation of an agent', async () => {
    const page = await open(await stateIn(NESTED))
    const outer = page.getByRole('article', { name: 'Subagent Docs check' })
    await expect.poll(() => page.getByText('INNER-REPORT').count()).toBeGreaterThan(0)
    await outer.locator('summary').first().click()
    await expect.poll(() => page.getByRole('article', { name: 'Subagent Read README' }).count()).toBe(0)
  })

  basic('copies an answer, and explains its keys', async () => {
    const page = await open(fold(SAMPLES), { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.locator('[data-block="text"]').hover()
    await page.getByRole('button', { name: 'Copy answer' }).first().click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('# Result')
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByLabel('Use these keys').uncheck()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.keyboard.press('?')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  basic('hides what the redaction hides', async () => {
    const page = await open(fold([finishedText('t', 'Write to jo@example.org in /home/jo/x.')]), {
      redact: redactAll,
    })
    await page.getByText('Write to [email] in ~/x.').first().waitFor()
    await expect.poll(() => page.content()).not.toContain('jo@example.org')
  })

  further('opens a session of ten megabytes, and has few rows of it in the page', async () => {
    const long = stateOf(10_000)
    const blocks = long.blocks.map((block) =>
      'content' in block ? { ...block, content: `${'word '.repeat(200)}` } : block,
    )
    const page = await open({ ...long, blocks })
    await expect.poll(() => size()).toBeGreaterThan(8e6)
    await page.waitForSelector('[data-row]')
    await expect.poll(() => page.locator('[data-row]').count()).toBeLessThan(60)
    await page.keyboard.press('G')
    await page.locator('[data-index="9999"]').waitFor()
  })
})

const SAMPLES: readonly SessionEvent[] = [
  // Two agents of the same name hand something back.
  ...['one', 'two'].flatMap((toolUseId): readonly SessionEvent[] => [
    { type: 'subagent:spawned', toolUseId, conversationId: 'main', prompt: 'Look.', description: 'Twin' },
    { type: 'subagent:completed', toolUseId, output: 'Nothing.', status: 'completed' },
  ]),
  finishedText(
    'text',
    '# Result\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```ts\nconst x = 1 // one\n```\n\n> quote, `code`, ~~gone~~\n\n- [x] done\n\n![alt](https://example.org/a.png)',
  ),
  finishedCall('colored', { command: 'npm test' }),
  callResult({
    id: 'colored:result',
    toolUseId: 'colored',
    output: 'all \u001b[31mwrong\u001b[0m \u001b[38;5;75mhere\u001b[0m \u001b[7mend\u001b[0m',
  }),
]

const MANY_CALLS: readonly SessionEvent[] = [
  ...Array.from({ length: 6 }, (_, at) => [
    finishedCall(`call${at}`, { file_path: `/x/${at}.ts` }),
    callResult({ id: `call${at}:result`, toolUseId: `call${at}`, output: at === 3 ? 'a needle' : 'hay' }),
  ]).flat(),
  finishedText('after', 'Done.'),
]

const PROMPTS: readonly SessionEvent[] = ['First', 'Second'].flatMap(
  (content, at): readonly SessionEvent[] => [
    { type: 'block:upsert', block: { type: 'user_message', id: `p${at + 1}`, status: 'complete', content } },
    finishedText(`answer${at}`, 'An answer.\n\n'.repeat(30)),
  ],
)

function focusedBlock(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.getAttribute('data-block'))
}
