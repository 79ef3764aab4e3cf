import { join } from 'node:path'
import type { SessionEvent } from 'agentfold'
import { createSessionHub } from 'agentfold/hub'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { readRecording } from '../../examples/app/recording.ts'
import { interleaved } from '../bench/workloads.ts'
import { basic, casesOf, further } from '../depth.ts'
import { skipReason } from './chromium.ts'
import { finishedText, pendingText, textDelta } from './events.ts'
import { agree, append, type TestedApp, usePages } from './pages.ts'
import { cutting, unruly } from './transports.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')
const NESTED = 'claude-code/06-nested-forward/stream.ndjson'
const PARALLEL = 'claude-code/05-three-parallel-forward/stream.ndjson'
const PARTIAL = 'claude-code/03-tools/stream.ndjson'
const INTERRUPTED = 'claude-code/11d-control-interrupt/stream.ndjson'
const OPENCODE = 'opencode/06-nested/events.ndjson'
const EDITS = 'claude-code-requests/06-edits/stream.ndjson'
const TODOS = 'claude-code-requests/08-todowrite/stream.ndjson'
const STREAMED_INPUT = 'claude-code-requests/12-partial-input/stream.ndjson'

const eventsOf = (name: string): Promise<readonly SessionEvent[]> => readRecording(join(FIXTURES, name))

describe.skipIf(skipReason)(`the app in a browser ${skipReason ?? ''}`, () => {
  const { start, open } = usePages()

  it.each(casesOf([NESTED, PARALLEL, PARTIAL, INTERRUPTED, OPENCODE, EDITS, TODOS, STREAMED_INPUT]))(
    'shows the server’s state on an early and on a late page: %s',
    async (name) => {
      const events = await eventsOf(name)
      const app = await start()
      const early = await open(app)
      await append(app, events.slice(0, events.length / 2))
      const late = await open(app)
      await append(app, events.slice(events.length / 2))
      expect(app.state.blocks.length).toBeGreaterThan(0)
      await agree(early, app)
      await agree(late, app)
    },
  )

  basic('shows the status of the session, and why it failed', async () => {
    const app = await start()
    const page = await open(app)
    const shown = async (...events: readonly SessionEvent[]) => {
      await append(app, events)
      await agree(page, app)
      const status = page.locator('[data-session-status]')
      return async () => [await status.innerText(), await status.getAttribute('data-session-status')]
    }
    const agent = { toolUseId: 'S', prompt: 'Look.', conversationId: 'main' } as const
    await expect.poll(await shown({ type: 'session:running' })).toEqual(['running', 'running'])
    await expect
      .poll(
        await shown({ type: 'subagent:spawned', ...agent }, { type: 'session:idle', outcome: 'finished' }),
      )
      .toEqual(['in the background', 'background'])
    await expect
      .poll(await shown({ type: 'subagent:completed', toolUseId: 'S', status: 'completed' }))
      .toEqual(['done', 'finished'])
    await expect
      .poll(
        await shown(
          { type: 'session:running' },
          { type: 'session:idle', outcome: 'failed', error: 'No tokens.' },
        ),
      )
      .toEqual(['failed: No tokens.', 'failed'])
    await expect
      .poll(await shown({ type: 'session:running' }, { type: 'session:idle', outcome: 'interrupted' }))
      .toEqual(['interrupted', 'interrupted'])
  })

  further('shows each text once, although messages arrive twice, late and in another order', async () => {
    const { hub, done } = unruly(createSessionHub({ heartbeatMs: 50 }), 1)
    const app = await start({ hub })
    const page = await open(app)
    const events = [...(await eventsOf(PARTIAL)), ...longText('long', 60)]
    for (let at = 0; at < events.length; at += 10) {
      await append(app, events.slice(at, at + 10))
      await agree(page, app)
    }
    expect(done.repeats).toBeGreaterThan(5)
    expect(done.delays).toBeGreaterThan(5)
  })

  basic('continues each time after the connection breaks within a text', async () => {
    const { hub, done } = cutting(createSessionHub(), 10)
    const app = await start({ hub })
    const page = await open(app)
    await append(app, longText('long', 80))
    await agree(page, app)
    // Each connection carries ten events. A busy browser may drop events right before the cut, and then asks for them again.
    expect(done.cuts).toBeGreaterThanOrEqual(6)
    expect(done.cuts).toBeLessThan(12)
  })

  /** Returns a page that showed a session, and a restarted server on the port that the system gave to the first one. */
  async function restarted(): Promise<{ readonly page: Page; readonly again: TestedApp }> {
    const app = await start()
    const page = await open(app)
    await append(app, await eventsOf(NESTED))
    await agree(page, app)
    await app.close()
    return {
      page,
      again: await start({
        ports: [Number(new URL(app.url).port)],
        token: new URL(app.url).pathname.slice(1, -1),
      }),
    }
  }

  basic('notices the new log of a restarted server', async () => {
    const { page, again } = await restarted()
    await append(again, await eventsOf(PARALLEL))
    await agree(page, again)
  })

  further('notices a new log without events', async () => {
    const { page, again } = await restarted()
    await agree(page, again)
    expect(again.state.blocks).toEqual([])
  })

  basic('shows three agents that write at the same time', async () => {
    const app = await start()
    const page = await open(app)
    await append(app, interleaved(3))
    await expect.poll(() => page.locator('[data-agent]').count()).toBe(4)
    await agree(page, app)
  })

  basic('renders the block of a delta and no other', async () => {
    const events = await eventsOf(NESTED)
    const app = await start({ events })
    const page = await open(app)
    await app.ended
    await append(app, [pendingText('live')])
    await agree(page, app)
    await page.evaluate(() => window.__renders?.splice(0))
    for (let at = 0; at < 5; at += 1) {
      await app.append([textDelta('live', `word ${at} `)])
      await page.locator('[data-block="live"]').getByText(`word ${at}`).waitFor()
    }
    await expect
      .poll(() => page.evaluate(() => window.__renders))
      .toEqual(Array.from({ length: 5 }, () => 'main/live'))
  })
})

/** A text in that many deltas, and its final block. */
function longText(id: string, deltas: number): readonly SessionEvent[] {
  const words = Array.from({ length: deltas }, (_, at) => `word${at} `)
  return [pendingText(id), ...words.map((word) => textDelta(id, word)), finishedText(id, words.join(''))]
}
