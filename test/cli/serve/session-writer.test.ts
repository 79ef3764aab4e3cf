import { readdirSync } from 'node:fs'
import { appendFile, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FollowedWriter, SessionWriter } from '../../../src/cli/serve/session-writer.ts'
import type { SessionEvent } from '../../../src/core/events/event.ts'
import { createSessionHub, type SessionHub } from '../../../src/entries/hub.ts'
import { createInitialConversationState, reduceSessionEvents } from '../../../src/entries/index.ts'
import { connectSession } from '../../../src/entries/sync.ts'
import { toText, userMessage } from '../../wires/claude/messages.ts'
import { temporaryFolder } from '../temporary.ts'

const MINUTE = 60_000
const { file } = temporaryFolder()

/** A text that comes as final, and whose last line may still go on. */
function late(content: string): readonly SessionEvent[] {
  return [{ type: 'block:upsert', block: { type: 'assistant_text', id: 'a', status: 'complete', content } }]
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function begun(redact: true | undefined) {
  const hub = createSessionHub()
  const sent: SessionEvent[] = []
  const writer = new SessionWriter({
    hub: {
      publish: (id, input) => {
        sent.push(...('events' in input ? input.events : input))
        return hub.publish(id, input)
      },
    },
    sessionId: 's',
    redact,
  })
  const connection = connectSession('http://hub.example/s', { fetch: (url) => hub.fetch(new Request(url)) })
  const write = async (events: readonly SessionEvent[], startsOver = false) => {
    writer.write({ events, startsOver })
    await wait(1)
  }
  const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms)
  const shown = () => JSON.stringify(connection.store.flush().blocks)
  return { writer, write, wait, shown, sent, close: () => connection.close() }
}

describe('the writer of a followed session', () => {
  const AT = Date.parse('2026-01-01T10:00:00.000Z')
  const prompt = (id: string, at: number) =>
    toText([{ ...userMessage(id, { uuid: id }), sessionId: 's', timestamp: new Date(at).toISOString() }])

  // The page of a session that broke off said "running" for ever.
  it('ends a session that nobody adds to, and goes on where it grows', async () => {
    vi.useRealTimers()
    const path = await file('s.jsonl', prompt('p1', AT))
    vi.useFakeTimers({ now: AT + 10 * MINUTE, toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    let state = createInitialConversationState()
    const publish: SessionHub['publish'] = async (_, input) => {
      state = reduceSessionEvents(state, 'events' in input ? input.events : input)
      return 0
    }
    const stop = new AbortController()
    const followed = new FollowedWriter(
      new SessionWriter({ hub: { publish }, sessionId: 's', redact: undefined }),
      { path, updatedAt: new Date(AT).toISOString(), now: Date.now, signal: stop.signal },
    )
    expect((await followed.next())?.state).toEqual(state)
    expect(state.turn.status).toBe('running')
    await vi.advanceTimersByTimeAsync(6 * MINUTE)
    await vi.waitFor(() => expect(state.turn.status).toBe('interrupted'))
    await appendFile(path, prompt('p2', AT + 20 * MINUTE))
    expect((await followed.next())?.state).toEqual(state)
    expect(state.turn.status).toBe('running')
    stop.abort()
    await followed.close()
  })

  // Its prompts, answers and usage came twice.
  it.each(
    ['codex/20-error-400', 'interactive/codex-tui/06-backtrack-over-compaction', 'copilot/23-follow-up']
      .flatMap((folder) =>
        readdirSync(`fixtures/${folder}`, { recursive: true }).map((path) => `${folder}/${path}`),
      )
      .filter((path) => /rollout-.*\.jsonl$|events\.jsonl$/.test(path))
      .flatMap((recording) => [0.3, 0.6, 0.85, 0.95].map((part) => ({ recording, part }))),
  )('shows the whole of a session that ended at $part: $recording', async ({ recording, part }) => {
    vi.useRealTimers()
    const lines = (await readFile(`fixtures/${recording}`, 'utf8')).split(/(?<=\n)/)
    const cut = Math.floor(lines.length * part)
    const path = await file(basename(recording), lines.slice(0, cut).join(''))
    const hub = createSessionHub()
    const stop = new AbortController()
    const followed = new FollowedWriter(
      new SessionWriter({ hub, sessionId: 's', redact: undefined }),
      // Long after the end of each recording.
      { path, updatedAt: new Date(AT).toISOString(), now: () => AT * 2, signal: stop.signal },
    )
    await followed.next()
    await appendFile(path, lines.slice(cut).join(''))
    expect((await followed.next())?.state).toEqual(await hub.state('s'))
    stop.abort()
    await followed.close()
  })
})

describe('the writer of a redacted session', () => {
  async function afterTurn() {
    const started = begun(true)
    await started.write([{ type: 'session:idle', outcome: 'finished' }])
    return started
  }

  it('shows a line that it holds back after two quiet seconds', async () => {
    const { write, wait, shown, close } = await afterTurn()
    await write(late('First.\nSecond'))
    await wait(1990)
    expect(shown()).toContain('First.')
    expect(shown()).not.toContain('Second')
    await wait(10)
    expect(shown()).toContain('Second')
    close()
  })

  it('counts the two seconds from the last part, and shows no half of a key', async () => {
    const { write, wait, shown, sent, close } = await afterTurn()
    const key = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
    for (let end = 10; end < key.length; end += 10) {
      await write(late(`First.\n${key.slice(0, end)}`))
      await wait(1500)
    }
    await write(late(`First.\n${key}`))
    await wait(2000)
    expect(shown()).toContain('[key]')
    expect(JSON.stringify(sent)).not.toContain('ghp_')
    close()
  })

  it('shows the line at once if something follows, and not once more', async () => {
    const { write, wait, shown, sent, close } = await afterTurn()
    await write(late('First.\nSecond'))
    await write([{ type: 'session:running' }])
    expect(shown()).toContain('Second')
    const before = sent.length
    await wait(10_000)
    expect(sent).toHaveLength(before)
    close()
  })

  it('forgets the line if the session starts over', async () => {
    const { write, wait, shown, sent, close } = await afterTurn()
    await write(late('First.\nSecond'))
    await write([{ type: 'session:running' }, ...late('Other.')], true)
    await wait(10_000)
    expect(JSON.parse(shown())).toMatchObject([{ content: 'Other.' }])
    expect(JSON.stringify(sent)).not.toContain('Second')
    close()
  })
})

describe('the writer of a session', () => {
  it('sends a whole session without the deltas, and then each event', async () => {
    const { write, shown, sent, close } = begun(undefined)
    const { text, events } = streamedText(50)
    await write(events, true)
    expect(sent.length).toBeLessThan(5)
    expect(JSON.parse(shown())).toMatchObject([{ content: text }])
    await write([{ type: 'block:delta', blockId: 'a', delta: 'x' }])
    expect(JSON.parse(shown())).toMatchObject([{ content: `${text}x` }])
    close()
  })

  it('rejects when the hub refuses an update, and writes nothing after it', async () => {
    const publish = vi.fn(() => Promise.reject(new RangeError('too large')))
    const writer = new SessionWriter({ hub: { publish }, sessionId: 's', redact: undefined })
    writer.write({ events: late('First.'), startsOver: false })
    writer.write({ events: late('Second.'), startsOver: false })
    await expect(writer.written).rejects.toThrow('too large')
    expect(publish).toHaveBeenCalledTimes(1)
  })
})

/** An answer that streams in that many parts. */
function streamedText(parts: number): { readonly text: string; readonly events: readonly SessionEvent[] } {
  const block = { type: 'assistant_text', id: 'a', status: 'pending', content: '' } as const
  const deltas = Array.from({ length: parts }, (_, at) => `word${at} `)
  const events = deltas.map((delta) => ({ type: 'block:delta', blockId: 'a', delta }) as const)
  return { text: deltas.join(''), events: [{ type: 'block:upsert', block }, ...events] }
}

it('gives a session that is open its later titles, and one that starts over the last of them', async () => {
  const sent: unknown[] = []
  const publish = async (_: string, input: unknown) => sent.push(input)
  const writer = new SessionWriter({ hub: { publish }, sessionId: 's', redact: true, title: 'First' })
  writer.write({ events: [], startsOver: true })
  for (const title of ['First', undefined, 'Mail of ann@example.com', 'Mail of ann@example.com'])
    writer.rename(title)
  writer.write({ events: [], startsOver: true })
  await writer.written
  const titled = (title: string, startsOver: boolean) => ({
    events: [{ type: 'session:updated', facts: { title } }],
    startsOver,
  })
  expect(sent).toEqual([
    titled('First', true),
    titled('Mail of [email]', false),
    titled('Mail of [email]', true),
  ])
})
