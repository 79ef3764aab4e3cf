import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from 'agentfold'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { basic, further } from '../depth.ts'
import { skipReason } from './chromium.ts'
import { call, plan, request } from './decisions-events.ts'
import { callResult, finishedCall, finishedText } from './events.ts'
import { append, usePages } from './pages.ts'
import { useReports } from './reports.ts'

const fold = (events: readonly SessionEvent[]): SessionConversationState =>
  reduceSessionEvents(createInitialConversationState(), events)

function prompt(id: string, content: string): SessionEvent {
  return { type: 'block:upsert', block: { type: 'user_message', id, status: 'complete', content } }
}

function system(id: string, subtype: string): SessionEvent {
  const block = { type: 'system', id, status: 'complete', subtype, message: `Message of ${id}` } as const
  return { type: 'block:upsert', block }
}

/** Three turns with notes, thoughts, calls and 200 agents: every fourth has failed, and the last one waits. */
const events: readonly SessionEvent[] = [
  { type: 'session:updated', facts: { title: 'Check <all> packages', program: 'claude-code' } },
  ...[0, 1, 2, 3, 4, 5].map((at) => system(`hook${at}`, 'hook')),
  ...['First', 'Second', 'Third'].flatMap((name, turn): readonly SessionEvent[] => [
    prompt(`p${turn}`, `${name} prompt`),
    {
      type: 'block:upsert',
      block: { type: 'thinking', id: `t${turn}`, status: 'complete', content: '**Look** at `a needle`' },
    },
    finishedCall(`c${turn}`, { file_path: '/srv/a.ts' }),
    callResult({ id: `c${turn}:result`, toolUseId: `c${turn}`, output: 'hay' }),
    finishedText(`a${turn}`, 'A long answer.\n\n'.repeat(60)),
  ]),
  ...Array.from({ length: 200 }, (_, at): readonly SessionEvent[] => [
    {
      type: 'subagent:spawned',
      ...{ toolUseId: `g${at}`, conversationId: 'main', prompt: 'Check.', description: `Package ${at}` },
    },
    ...(at === 199
      ? [request('r', { title: 'Read: /etc/hosts' }, `g${at}`)]
      : [
          {
            type: 'subagent:completed',
            ...{ toolUseId: `g${at}`, output: 'Fine.' },
            status: at % 4 === 0 ? 'error' : 'completed',
          } as const,
        ]),
  ]).flat(),
  plan([{ text: 'Read the code', status: 'completed' }]),
]

describe.skipIf(skipReason)(`the side panel ${skipReason ?? ''}`, () => {
  const { open } = useReports()

  basic('has 200 agents in groups, and few stops before the conversation', async () => {
    const page = await open(fold(events))
    await expect
      .poll(() => page.getByRole('tab').allInnerTexts())
      .toEqual(['Agents 200', 'Prompts 3', 'Todos 1/1'])
    const groups = page.locator('.agent-group')
    await expect
      .poll(() => groups.locator('summary').allInnerTexts())
      .toEqual([
        expect.stringMatching(/waiting for you\s+1$/),
        expect.stringMatching(/failed\s+50$/),
        expect.stringMatching(/done\s+149$/),
      ])
    await expect.poll(() => page.locator('[data-agent]').count()).toBe(52)
    await groups.last().locator('summary').click()
    await expect.poll(() => page.locator('[data-agent]').count()).toBe(201)
    await page.locator('[data-agent="g7"] button').click()
    await expect.poll(() => focusedBlock(page)).toBe('subagent:g7')
    await expect.poll(() => page.locator('[data-agent="g7"] [aria-current]').count()).toBe(1)
    await expect.poll(() => stopsBeforeConversation(page)).toBeLessThanOrEqual(10)
    // The arrow keys move within a list.
    await page.locator('[data-agent="main"] button').focus()
    await page.keyboard.press('End')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Package 198')
  })

  further('shows where the reader is, and j and k go on from there', async () => {
    const page = await open(fold(events))
    await page.getByRole('tab', { name: 'Prompts' }).click()
    const current = page.locator('.prompts [aria-current]')
    const scrollTo = (id: string) =>
      page.locator(`[data-block="${id}"]`).evaluate((block) => {
        window.scrollTo(0, block.getBoundingClientRect().bottom + window.scrollY - 400)
      })
    await scrollTo('a1')
    await expect.poll(() => current.allInnerTexts()).toEqual(['Second prompt'])
    await page.keyboard.press('j')
    await expect.poll(() => focusedBlock(page)).toBe('p2')
    await expect.poll(() => current.allInnerTexts()).toEqual(['Third prompt'])
    await scrollTo('a1')
    await page.keyboard.press('k')
    await expect.poll(() => focusedBlock(page)).toBe('p1')
    await page.keyboard.press('k')
    await expect.poll(() => focusedBlock(page)).toBe('p0')
  })

  basic('finds while a person types, lists the matches, and opens with Ctrl+F', async () => {
    const page = await open(fold(events))
    await page.keyboard.press('Control+f')
    await page.keyboard.type('NEEDLE')
    const hits = page.getByRole('group', { name: 'Matches' }).getByRole('button')
    await expect.poll(() => hits.count()).toBe(3)
    await expect.poll(() => page.getByRole('search').getByRole('status').innerText()).toBe('3 matches')
    await expect.poll(() => hits.first().locator('mark').innerText()).toBe('needle')
    await hits.nth(1).click()
    await expect.poll(() => focusedBlock(page)).toBe('t1')
    await expect.poll(() => page.getByRole('search').getByRole('status').innerText()).toBe('2 of 3')
    await page.getByRole('searchbox').fill('Package 12')
    await expect.poll(() => hits.count()).toBe(11)
    await page.getByRole('searchbox').press('Escape')
    await expect.poll(() => page.getByRole('tab').count()).toBe(3)
  })

  basic('hides tools, thoughts and notes, and all but one agent', async () => {
    const page = await open(fold(events))
    const rows = (type: string) => page.locator(`[data-type="${type}"]`).count()
    // The notes before the first prompt are one line.
    await expect
      .poll(() => page.locator('.rows .row').first().innerText())
      .toContain('6 notes of the program: hook')
    await expect
      .poll(() => page.locator('[data-block="p0"]').evaluate((block) => block.getBoundingClientRect().top))
      .toBeLessThan(400)
    await page.keyboard.press('e')
    await expect.poll(() => Promise.all(['tool_use', 'thinking', 'system'].map(rows))).toEqual([3, 3, 6])
    for (const name of ['Tools', 'Thinking', 'Notes']) {
      await page.getByRole('button', { name, exact: true }).click()
      await expect
        .poll(() => page.getByRole('button', { name, exact: true }).getAttribute('aria-pressed'))
        .toBe('false')
    }
    await expect.poll(() => Promise.all(['tool_use', 'thinking', 'system'].map(rows))).toEqual([0, 0, 0])
    await page.getByLabel('Shown agent').selectOption('Package 199')
    await expect.poll(() => page.locator('.rows [data-block]').count()).toBe(1)
    // A place that is hidden comes back when the reader asks for it.
    await page.getByRole('tab', { name: 'Prompts' }).click()
    await page.locator('.prompts button').first().click()
    await expect.poll(() => focusedBlock(page)).toBe('p0')
    await expect.poll(() => rows('thinking')).toBe(3)
  })
})

describe.skipIf(skipReason)(`the tab of the browser ${skipReason ?? ''}`, () => {
  const { start, open } = usePages()

  basic('has the name of the session, and tells when it waits or has failed', async () => {
    const app = await start()
    const page = await open(app)
    await expect.poll(() => page.title()).toBe('Session')
    await append(app, [prompt('p', '# Mend the <b>sum</b>\n\nNow.'), { type: 'session:running' }])
    await expect.poll(() => page.title()).toBe('Mend the sum')
    await append(app, [call('c'), request('r', { toolUseId: 'c' })])
    await expect.poll(() => page.title()).toBe('Waiting for you · Mend the sum')
    await append(app, [{ type: 'session:updated', facts: { title: 'Sums' } }])
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('Sums')
    await append(app, [{ type: 'session:idle', outcome: 'failed', error: 'No tokens.' }])
    await expect.poll(() => page.title()).toBe('Failed · Sums')
  })

  basic('tells in the page when the connection is lost', async () => {
    const app = await start()
    const page = await open(app)
    await page.getByText('The session has no messages yet.').waitFor()
    await app.close()
    await page.getByText('The connection is lost.').waitFor()
    await expect.poll(() => page.locator('[data-connection]').innerText()).toContain('connection lost')
  })
})

function focusedBlock(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.getAttribute('data-block'))
}

/** Returns how often a person presses Tab from the start of the page until the conversation has the focus. */
async function stopsBeforeConversation(page: Page): Promise<number> {
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    // The order begins at the start of the page again.
    getSelection()?.collapse(document.body, 0)
  })
  for (let stops = 1; stops < 50; stops += 1) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(() => document.activeElement?.closest('main') !== null)) return stops - 1
  }
  return 50
}
