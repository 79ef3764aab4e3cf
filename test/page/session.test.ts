import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from 'agentfold'
import { createSessionHub } from 'agentfold/hub'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { basic, further } from '../depth.ts'
import { sharedBrowser, skipReason } from './chromium.ts'
import { call } from './decisions-events.ts'
import { callResult, finishedCall, finishedText } from './events.ts'
import { append, usePages } from './pages.ts'
import { useReports } from './reports.ts'

const fold = (events: readonly SessionEvent[]): SessionConversationState =>
  reduceSessionEvents(createInitialConversationState(), events)

/** Black images of 640 × 400 and 900 × 100 pixels. */
const WIDE =
  'iVBORw0KGgoAAAANSUhEUgAAAoAAAAGQAQAAAAAWiOyIAAAANklEQVR42u3BMQEAAADCoPVPbQ0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB4NH6QAAF17NuoAAAAAElFTkSuQmCC'
const LONG =
  'iVBORw0KGgoAAAANSUhEUgAAA4QAAABkAQAAAAD2mcOJAAAAIklEQVR42u3BMQEAAADCoPVPbQZ/oAAAAAAAAAAAAAAAPgMsiAAB+TefBAAAAABJRU5ErkJggg=='

/** A black image of 390 × 2,800 pixels. */
const TALL =
  'iVBORw0KGgoAAAANSUhEUgAAAYYAAArwAQAAAACIh6FuAAAAn0lEQVR42u3BMQEAAADCoPVPbQ0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAODfACL+AAGxRyeCAAAAAElFTkSuQmCC'

const image = (data: string) =>
  ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }) as const

function prompt(id: string, content: string): SessionEvent {
  return { type: 'block:upsert', block: { type: 'user_message', id, status: 'complete', content } }
}

function at(time: string, event: SessionEvent): SessionEvent {
  const timestamp = `2026-11-29T${time}Z`
  return event.type === 'block:upsert'
    ? { ...event, block: { ...event.block, timestamp } }
    : { ...event, timestamp }
}

function agent(toolUseId: string, description: string): SessionEvent {
  return { type: 'subagent:spawned', toolUseId, conversationId: 'main', prompt: 'Look.', description }
}

/** A call of an agent with its result. */
function calls(id: string, conversationId: string): readonly SessionEvent[] {
  return [
    { ...finishedCall(id, { file_path: `/srv/${id}.ts` }), conversationId },
    { ...callResult({ id: `${id}:result`, toolUseId: id, output: 'a line\n'.repeat(3) }), conversationId },
  ]
}

const FAILURE = 'Your credit balance is too low to access the API.'

const failed: readonly SessionEvent[] = [
  prompt('p', 'Retrain the model.'),
  ...Array.from({ length: 30 }, (_, each) => finishedText(`t${each}`, 'word '.repeat(120))),
  {
    type: 'block:upsert',
    block: { type: 'error', id: 'e', status: 'error', message: json(FAILURE) },
  },
  { type: 'session:running' },
  { type: 'session:idle', outcome: 'failed', error: json(FAILURE) },
]

function json(message: string): string {
  return `400 ${JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } })}`
}

describe.skipIf(skipReason)(`the report of a session ${skipReason ?? ''}`, () => {
  const { open } = useReports()

  basic('shows images with their own proportions, on paper too', async () => {
    const state = fold([
      {
        type: 'block:upsert',
        block: {
          ...{ type: 'user_message', id: 'p', status: 'complete' },
          content: [
            { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: WIDE } },
            { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: LONG } },
          ],
        },
      },
      finishedCall('c'),
      callResult({ id: 'c:result', toolUseId: 'c', output: [image(LONG)] }),
    ])
    const page = await open(state)
    await expect.poll(() => page.locator('img').count()).toBe(3)
    await expect.poll(() => stretched(page)).toEqual([])
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => stretched(page)).toEqual([])
  })

  basic('lets a tall image scroll in a box, and puts it on one page of paper', async () => {
    const state = fold([
      finishedCall('c'),
      callResult({ id: 'c:result', toolUseId: 'c', output: [image(TALL)] }),
    ])
    const page = await open(state, { viewport: { width: 1280, height: 720 } })
    await page.keyboard.press('e')
    const box = page.getByRole('group', { name: 'Image' })
    await expect.poll(() => heightOf(box)).toBeLessThanOrEqual(500)
    await expect.poll(() => box.evaluate((each) => each.scrollHeight)).toBeGreaterThan(1500)
    await box.focus()
    await page.keyboard.press('End')
    await expect.poll(() => box.evaluate((each) => each.scrollTop)).toBeGreaterThan(1000)
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => heightOf(box.locator('img'))).toBeLessThanOrEqual(600)
    await expect.poll(() => stretched(page)).toEqual([])
    await expect.poll(() => box.evaluate((each) => each.scrollHeight - each.clientHeight)).toBe(0)
  })

  basic('says why a session failed, and opens there', async () => {
    const page = await open(fold(failed))
    await expect.poll(() => page.locator('[data-session-status]').innerText()).toBe(`failed: 400 ${FAILURE}`)
    await expect.poll(() => isInView(page, '[data-block="e"]')).toBe(true)
    expect(new URL(page.url()).hash).toBe('')
  })

  basic('goes to the next and the previous failure, in any agent', async () => {
    const error = (id: string, conversationId: string): readonly SessionEvent[] => [
      { ...finishedCall(id), conversationId },
      {
        ...callResult({ id: `${id}:result`, toolUseId: id, output: 'no', isError: true, status: 'error' }),
        conversationId,
      },
    ]
    const page = await open(
      fold([
        ...error('one', 'main'),
        agent('A', 'Look'),
        ...error('two', 'A'),
        finishedText('t', 'word '.repeat(2000)),
        ...error('three', 'main'),
      ]),
    )
    const failure = () => page.evaluate(() => document.activeElement?.getAttribute('data-block'))
    for (const [key, id] of Object.entries({ x: 'one', xx: 'two', xxx: 'three', xxxX: 'two' })) {
      await page.keyboard.press(key.at(-1) ?? '')
      await expect.poll(failure).toBe(id)
    }
  })

  basic('has a word for each call that is not done, and its time under the pointer', async () => {
    const state = fold([
      at('10:00:05', prompt('p', 'Look.')),
      at('10:00:09', finishedCall('one', { command: 'ls' })),
      at('10:00:12', callResult({ id: 'one:result', toolUseId: 'one', output: 'a' })),
      at('10:01:15', finishedCall('two', { command: 'cat' })),
      at('10:01:16', callResult({ id: 'two:result', toolUseId: 'two', output: 'no', isError: true })),
      at('10:01:17', agent('A', 'Look at the client')),
      at('10:01:40', { type: 'subagent:completed', toolUseId: 'A', output: 'Fine.', status: 'completed' }),
      at('10:03:10', finishedText('t', 'Done.')),
    ])
    const page = await open(state, { timezoneId: 'UTC', locale: 'en-GB' })
    const words = () => page.locator('.rows .status').allInnerTexts()
    await expect.poll(words).toEqual(['failed'])
    await expect.poll(() => page.locator('.minute').allInnerTexts()).toEqual(['10:01', '10:03'])
    const time = page.locator('[data-block="one"] summary .when')
    await expect.poll(() => opacity(time)).toBe('0')
    await page.locator('[data-block="one"]').hover()
    await expect.poll(() => opacity(time)).toBe('1')
    await page.mouse.move(0, 0)
    await page.locator('[data-block="one"] summary').focus()
    await expect.poll(() => opacity(time)).toBe('1')
    const gutter = await page.locator('.minute').first().boundingBox()
    const row = await page.locator('[data-block="two"]').boundingBox()
    expect((gutter?.x ?? 0) + (gutter?.width ?? 0)).toBeLessThanOrEqual(row?.x ?? 0)
  })

  basic('has one form for money, durations and tokens', async () => {
    const usage = { inputTokens: 150_000, outputTokens: 8_100 }
    const state = fold([
      { type: 'session:updated', facts: { costUsd: 162.7505, contextWindow: 200_000 } },
      { type: 'usage:reported', messageId: 'm', usage, final: true },
      agent('A', 'Look at the client'),
      {
        ...{ type: 'subagent:completed', toolUseId: 'A', output: 'Fine.' },
        ...{ status: 'completed', durationMs: 288_400 },
      },
    ])
    const page = await open(state)
    await expect.poll(() => page.locator('[data-fact="Cost"] dd').innerText()).toBe('$162.75')
    await expect
      .poll(() => page.locator('[data-fact="Context"] dd').innerText())
      .toBe('158.1K of 200K tokens')
    await expect.poll(() => page.locator('[data-agent="A"]').innerText()).toContain('4 min 48 s')
    await expect.poll(() => page.locator('article.subagent').innerText()).toContain('4 min 48 s')
  })

  further('has the facts of the session on paper', async () => {
    const page = await open(
      fold([
        { type: 'session:updated', facts: { program: 'codex', costUsd: 2, cwd: '/srv/demo' } },
        ...failed,
      ]),
      { viewport: { width: 720, height: 1000 } },
    )
    await page.emulateMedia({ media: 'print' })
    for (const fact of ['Program', 'Folder', 'Cost'])
      await expect.poll(() => page.locator(`[data-fact="${fact}"]`).isVisible()).toBe(true)
    await expect.poll(() => page.locator('.bar .reason').isVisible()).toBe(true)
  })
})

describe.skipIf(skipReason)(`the page of a session that runs ${skipReason ?? ''}`, () => {
  const { start, open } = usePages()

  basic('keeps the agent that the reader chose where it is, while another one works above it', async () => {
    const app = await start()
    const page = await open(app)
    const texts = (id: string, conversationId: string) => ({
      ...finishedText(id, 'A long text.\n\n'.repeat(12)),
      conversationId,
    })
    await append(app, [
      prompt('p', 'Look at both.'),
      { type: 'session:running' },
      ...[agent('A', 'Look at the client'), agent('B', 'Look at the server')],
      ...Array.from({ length: 4 }, (_, each) => [texts(`a${each}`, 'A'), texts(`b${each}`, 'B')]).flat(),
    ])
    await page.locator('[data-agent="B"] button').click()
    const heading = page.locator('[data-block="subagent:B"]')
    await expect.poll(() => heading.evaluate((each) => each === document.activeElement)).toBe(true)
    await expect
      .poll(() => heading.evaluate((each) => Math.round(each.getBoundingClientRect().top)))
      .toBeLessThan(80)
    await page.evaluate(() => {
      const tops: number[] = []
      Object.assign(window, { __tops: tops })
      // An observer gets the place that a frame is drawn with. The frame's own callbacks come before the page is put right.
      requestAnimationFrame(function look() {
        const observer = new IntersectionObserver((entries) => {
          tops.push(...entries.map(({ boundingClientRect }) => boundingClientRect.top))
          observer.disconnect()
        })
        const row = document.querySelector('[data-block="subagent:B"]')
        if (row) observer.observe(row)
        else tops.push(-1)
        requestAnimationFrame(look)
      })
    })
    for (let round = 0; round < 10; round += 1) {
      await append(app, [
        ...calls(`ac${round}`, 'A'),
        ...(round % 3 === 0 ? [texts(`at${round}`, 'A')] : []),
        ...calls(`bc${round}`, 'B'),
      ])
      await page.waitForFunction((id) => document.body.innerHTML.includes(id), `bc${round}`)
    }
    const tops = await page.evaluate(() => Object(window).__tops)
    expect(tops.length).toBeGreaterThan(10)
    expect(Math.max(...tops) - Math.min(...tops)).toBeLessThanOrEqual(2)
    await expect.poll(() => page.locator('[data-agent="B"] [aria-current]').count()).toBe(1)
    // The reader scrolls, and the page is theirs again.
    await page.mouse.move(900, 400)
    await page.mouse.wheel(0, -300)
    await expect.poll(() => heading.evaluate((each) => each.getBoundingClientRect().top)).toBeGreaterThan(200)
  })

  basic('names what runs, and never an agent that is done', async () => {
    const app = await start()
    const page = await open(app)
    const doing = page.locator('.bar .doing .preview')
    await append(app, [
      prompt('p', 'Look at both.'),
      { type: 'session:running' },
      ...[agent('A', 'Look at the client'), agent('B', 'Look at the server')],
    ])
    await expect.poll(() => doing.innerText()).toBe('Agent Look at the server, and 1 more')
    // On a phone, the list of agents is in a menu. What runs is one click away all the same.
    await page.setViewportSize({ width: 390, height: 800 })
    await page.getByRole('button', { name: 'running' }).click()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-block')))
      .toBe('subagent:B')
    await page.setViewportSize({ width: 1280, height: 720 })
    await append(app, [{ type: 'subagent:completed', toolUseId: 'B', output: 'Fine.', status: 'completed' }])
    await expect.poll(() => doing.innerText()).toBe('Agent Look at the client')
    await append(app, [{ type: 'subagent:completed', toolUseId: 'A', output: 'Fine.', status: 'completed' }])
    await expect.poll(() => doing.count()).toBe(0)
    await append(app, [call('c', { input: { command: 'npm test' } })])
    await expect.poll(() => doing.innerText()).toBe('Bash npm test')
    await expect.poll(() => page.locator('link[rel="icon"]').getAttribute('href')).toContain('stroke')
  })

  // The outcome and the timeline came a second later, and pushed the conversation away.
  basic('shows the head of a session with its first row, so that nothing moves', async () => {
    const agentAt = (id: string, time: string): readonly SessionEvent[] => [
      at(`${time}:01`, agent(id, id)),
      ...calls(`c${id}`, id).map((event) => at(`${time}:05`, event)),
      at(`${time}:30`, { type: 'subagent:completed', toolUseId: id, output: 'Fine.', status: 'completed' }),
    ]
    const app = await start()
    // At once, so that the page gets them in one message.
    await app.append([
      at('10:00:00', prompt('p', 'Look at both.')),
      ...[...agentAt('A', '10:01'), ...agentAt('B', '10:02')],
      at('10:03:00', finishedText('t', 'Both are fine.')),
      { type: 'session:idle', outcome: 'finished' },
    ])
    const page = await (await sharedBrowser()).newPage()
    await page.addInitScript(() => {
      const tops = new Set<number>()
      Object.assign(window, { __tops: tops })
      requestAnimationFrame(function look(): void {
        const row = document.querySelector('.row')
        if (row) tops.add(Math.round(row.getBoundingClientRect().top))
        requestAnimationFrame(look)
      })
    })
    await page.goto(app.url)
    await page.locator('.session-outcome').waitFor()
    await page.getByRole('region', { name: 'Timeline' }).waitFor()
    await expect.poll(() => page.evaluate(() => Object(window).__tops.size)).toBe(1)
  })

  basic('opens at the agent that runs, and not at a later one that is done', async () => {
    const app = await start()
    const steps = Array.from({ length: 20 }, (_, each) => calls(`s${each}`, 'A')).flat()
    await append(app, [
      ...[prompt('p', 'Look at both.'), { type: 'session:running' } as const],
      ...[agent('A', 'Look at the client'), agent('B', 'Look at the server'), ...steps],
      { ...call('now', { input: { command: 'npm test' } }), conversationId: 'A' },
      { ...finishedText('words', 'More words.\n\n'.repeat(60)), conversationId: 'B' },
      { type: 'subagent:completed', toolUseId: 'B', output: 'Fine.', status: 'completed' },
    ])
    const page = await open(app)
    await expect.poll(() => isInView(page, '[data-block="now"]')).toBe(true)
    // It stays there while the session grows.
    await append(app, [...calls('more', 'B'), finishedText('between', 'word '.repeat(200))])
    await page.locator('[data-block="more"]').waitFor()
    await expect.poll(() => isInView(page, '[data-block="now"]')).toBe(true)
    // At the end of the page, the page follows its end.
    const other = await open(app)
    await append(app, [{ type: 'subagent:completed', toolUseId: 'A', output: 'Fine.', status: 'completed' }])
    await append(app, [finishedText('last', 'Both are fine.')])
    await other.reload()
    await expect.poll(() => isInView(other, '[data-block="last"]')).toBe(true)
  })

  // It opened hundreds of rows above what main did last.
  basic('opens at its end if main went on beside the agent that runs', async () => {
    const app = await start()
    await append(app, [
      ...[prompt('p', 'Look at both.'), { type: 'session:running' } as const],
      ...[agent('A', 'Look at the client'), finishedText('between', 'More words.\n\n'.repeat(60))],
      ...[agent('B', 'Look at the server'), ...calls('b', 'B')],
      { type: 'subagent:completed', toolUseId: 'B', output: 'Fine.', status: 'completed' },
      finishedText('last', 'The server is fine.'),
    ])
    const page = await open(app)
    await expect.poll(() => isInView(page, '[data-block="last"]')).toBe(true)
  })

  basic('says what loads, with the title that the tab knows', async () => {
    const hub = createSessionHub()
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    const app = await start({
      hub: {
        ...hub,
        fetch: async (request) => {
          await isReleased
          return hub.fetch(request)
        },
      },
    })
    await append(app, [{ type: 'session:updated', facts: { title: 'Sums' } }, prompt('p', 'Mend the sum.')])
    const page = await (await sharedBrowser()).newPage()
    await page.addInitScript(() =>
      sessionStorage.setItem(`agentfold title ${location.pathname}`, 'The sums of the shop'),
    )
    await page.goto(app.url)
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('The sums of the shop')
    await expect.poll(() => page.getByRole('progressbar', { name: 'Loading the session' }).count()).toBe(1)
    await expect.poll(() => page.locator('[data-session-status]').count()).toBe(0)
    release()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('Sums')
    await expect.poll(() => page.getByRole('progressbar').count()).toBe(0)
  })
})

function opacity(element: ReturnType<Page['locator']>): Promise<string> {
  return element.evaluate((each) => getComputedStyle(each).opacity)
}

function heightOf(element: ReturnType<Page['locator']>): Promise<number> {
  return element.evaluate((each) => each.getBoundingClientRect().height)
}

function isInView(page: Page, selector: string): Promise<boolean> {
  return page.locator(selector).evaluate((each) => {
    const { top, bottom } = each.getBoundingClientRect()
    return top >= 0 && bottom <= window.innerHeight
  })
}

/** Returns the shapes of the images that have others than their own. */
function stretched(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.images]
      .filter((each) => getComputedStyle(each).objectFit === 'fill')
      .map(({ clientWidth, clientHeight, naturalWidth, naturalHeight }) => ({
        shown: clientWidth / clientHeight,
        own: naturalWidth / naturalHeight,
      }))
      .filter(({ shown, own }) => Math.abs(shown / own - 1) > 0.02)
      .map(({ shown, own }) => `${shown} in place of ${own}`),
  )
}
