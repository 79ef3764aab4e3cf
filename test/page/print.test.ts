import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from 'agentfold'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { basic } from '../depth.ts'
import { skipReason } from './chromium.ts'
import { callResult, finishedCall, finishedText } from './events.ts'
import { useReports } from './reports.ts'

const fold = (events: readonly SessionEvent[]): SessionConversationState =>
  reduceSessionEvents(createInitialConversationState(), events)

const HUNK = {
  ...{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 4 },
  lines: [' a', '-b', '+c', '+d', ' e'],
}

/** Prompts, texts with code, and calls with changes, each with a time. */
const rounds: readonly SessionEvent[] = Array.from({ length: 12 }, (_, at): readonly SessionEvent[] => {
  const timestamp = `2026-01-01T00:00:${String(10 + at)}.000Z`
  const timed = (event: SessionEvent): SessionEvent =>
    event.type === 'block:upsert' ? { ...event, block: { ...event.block, timestamp } } : event
  const change = { path: `/srv/a${at}.ts`, kind: 'edit', added: 2, removed: 1, hunks: [HUNK, HUNK] } as const
  return [
    {
      type: 'block:upsert',
      block: { type: 'user_message', id: `p${at}`, status: 'complete', content: 'Mend it.', timestamp },
    },
    timed(
      finishedText(
        `t${at}`,
        `A text.\n\n## A heading\n\nMore.\n\n\`\`\`ts\nconst a = ${at}\nconst b = a\n\`\`\``,
      ),
    ),
    finishedCall(`c${at}`, { command: `run ${at}` }),
    callResult({
      id: `c${at}:result`,
      toolUseId: `c${at}`,
      output: 'one\ntwo\nthree\nfour',
      changes: [change],
    }),
    finishedCall(`s${at}`, { command: `cat ${at}`, description: 'Look at it' }),
    callResult({ id: `s${at}:result`, toolUseId: `s${at}`, output: 'one\ntwo', isError: true }),
    timed(finishedText(`u${at}`, 'It is mended.\n\nIt took a while.')),
  ]
}).flat()

/** What belongs together on paper: a head, and what stands below it. */
const PAIRS = [
  ['.hunk-head', '+ .diff-line'],
  ['.hunk-head + .diff-line', '+ .diff-line'],
  ['.change-head', '+ .diff'],
  ['.code-head', '+ .code'],
  ['.tool_use summary', '+ *'],
  ['.tool-input', '+ .tool_result'],
  ['.assistant_text .markdown', '+ .margin'],
  [':is(h2, h3, h4, h5, h6)', '+ *'],
] as const

describe.skipIf(skipReason)(`a printed session ${skipReason ?? ''}`, () => {
  const { open } = useReports()

  async function openOnPaper(state: SessionConversationState): Promise<Page> {
    const page = await open(state, { viewport: { width: 800, height: 900 } })
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
    return page
  }

  // The names of agents were buttons, which paper does not have. Shares without names were left.
  basic('has the names beside the costs of agents, and the number of agents that failed', async () => {
    const agents = ['First', 'Second'].flatMap((description, at): readonly SessionEvent[] => [
      { type: 'subagent:spawned', toolUseId: `a${at}`, conversationId: 'main', prompt: 'Go.', description },
      {
        type: 'usage:reported',
        conversationId: `a${at}`,
        messageId: `m${at}`,
        usage: { inputTokens: 1_000, outputTokens: 500 },
        final: true,
        model: 'claude-opus-4-5',
      },
      { type: 'subagent:completed', toolUseId: `a${at}`, status: 'error', output: 'No.' },
    ])
    const page = await openOnPaper(fold([...rounds, ...agents, { type: 'session:idle' }]))
    await expect.poll(() => page.locator('[data-sum="Failed agents"] dd').innerText()).toBe('2')
    const names = page.locator('.cost-by-agent th')
    await expect.poll(() => names.allInnerTexts()).toEqual(expect.arrayContaining(['First', 'Second']))
    // On paper, a name in a frame looks like a button.
    const frame = names.first().getByRole('button')
    await expect.poll(() => frame.evaluate((each) => getComputedStyle(each).borderTopWidth)).toBe('0px')
  })

  // Columns break where pages do. A head stood alone at the end of a page, and so did the first line of a change. The
  // time below a text stood alone at the start of one, and a call of four lines was on two pages.
  basic('breaks no page behind a head, before the time of a text, nor in a small call', async () => {
    const page = await openOnPaper(fold([...rounds, { type: 'session:idle' }]))
    await page.locator('[data-block="c11:result"]').waitFor()
    const alone = await page.evaluate(
      ({ pairs }) => {
        const rows = document.querySelector<HTMLElement>('.rows')
        if (!rows) return ['no rows']
        const found: string[] = []
        for (let height = 260; height < 620; height += 9) {
          rows.style.cssText = `columns: 700px 1; column-fill: auto; height: ${height}px; display: block`
          for (const [head, next] of pairs)
            for (const second of document.querySelectorAll(`.rows ${head} ${next}`)) {
              const end = second.previousElementSibling?.getClientRects()
              const from = end?.[end.length - 1]?.left ?? 0
              if (Math.abs(from - (second.getClientRects()[0]?.left ?? 0)) > 300) found.push(head)
            }
          for (const call of document.querySelectorAll('.tool_use[data-block^="s"]'))
            if (call.getClientRects().length > 1) found.push('small call')
        }
        rows.style.cssText = ''
        return [...new Set(found)]
      },
      { pairs: PAIRS },
    )
    expect(alone).toEqual([])
  })
})
