import { utimes } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { IndexedStates } from '../../../src/cli/serve/machine/indexed-states.ts'
import { openSessionIndex, type SessionIndex } from '../../../src/entries/node.ts'
import type { SessionRow } from '../../../src/node/session-index/session-row.ts'
import { modelAnswers, toText, userMessage } from '../../wires/claude/messages.ts'
import { temporaryFolder } from '../temporary.ts'

const { inFolder, file } = temporaryFolder()

const TIME = '2026-01-01T10:00:00.000Z'
const MINUTE = 60_000

const session = (words?: string) =>
  toText(
    [userMessage('Make it.'), ...(words ? [modelAnswers('m', words)] : [])].map((line, at) => ({
      ...{ uuid: `u${at}`, ...line, sessionId: 's1', cwd: '/srv/demo' },
      timestamp: TIME,
    })),
  )

/** Serves a session from an index that can break: its reading, and its following. */
async function servedSession(lingerMs?: number, { content = session('Tea.'), minutes = 60 } = {}) {
  const path = await file('home/.claude/projects/p/s1.jsonl', content)
  await utimes(path, new Date(TIME), new Date(TIME))
  const index = await openSessionIndex({ home: inFolder('home'), path: false })
  const [row] = await index.sessions()
  const broken = { read: false, watch: () => {} }
  let reads = 0
  const breaking: SessionIndex = Object.assign(Object.create(index), {
    update: index.update.bind(index),
    close: index.close.bind(index),
    read: async (listed: SessionRow) => {
      if (broken.read) throw new Error('the connection broke')
      reads += 1
      return index.read(listed)
    },
    async *watch() {
      await new Promise((_, fail) => {
        broken.watch = () => fail(new Error('the connection broke'))
      })
    },
  })
  const stop = new AbortController()
  const states = new IndexedStates({
    ...{
      openIndex: async () => breaking,
      shown: (state) => state,
      signal: stop.signal,
      now: () => Date.parse(TIME) + minutes * MINUTE,
    },
    ...(lingerMs !== undefined && { lingerMs }),
  })
  const ask = async (words: string) => {
    if (!row) throw new Error('no session')
    const leave = new AbortController()
    const request = new Request('http://localhost/events/s1', { signal: leave.signal })
    const { body } = await states.answer(request, 's1', row)
    const decoder = new TextDecoder()
    let seen = ''
    for await (const part of body ?? []) {
      seen += decoder.decode(part, { stream: true })
      if (seen.includes(words)) break
    }
    leave.abort()
    return seen
  }
  const close = async () => {
    stop.abort()
    await states.close()
  }
  return { path, broken, ask, close, reads: () => reads }
}

// After one broken connection, no change was shown any more: the log kept its events, and its number was forgotten.
it('shows a session again after the connection broke', async () => {
  const { broken, ask, close } = await servedSession()
  await ask('Tea.')
  await expect.poll(() => String(broken.watch)).toContain('fail')
  for (const words of ['Cake.', 'Milk.']) {
    await file('home/.claude/projects/p/s1.jsonl', session(words))
    broken.watch()
    await new Promise(setImmediate)
    expect(await ask(words)).toContain(words)
  }
  await close()
})

// The list said "running", and the page of the same session "interrupted".
it.each([
  [14, 'running'],
  [16, 'interrupted'],
])('says of a session without an end after %i minutes: %s', async (minutes, status) => {
  const { ask, close } = await servedSession(undefined, { content: session(), minutes })
  expect(await ask('"turn":{')).toContain(`"turn":{"status":"${status}"`)
  await close()
})

// Whoever came next got an empty session.
it('reads a session again whose first reading failed', async () => {
  const { broken, ask, close } = await servedSession()
  broken.read = true
  await expect(ask('Tea.')).rejects.toThrow('the connection broke')
  broken.read = false
  expect(await ask('Tea.')).toContain('Tea.')
  await close()
})

// Each session that somebody had opened stayed in memory until the end of the process.
it('forgets a session a while after its last reader has left, and reads it again for the next one', async () => {
  const kept = await servedSession()
  await kept.ask('Tea.')
  expect(await kept.ask('Tea.')).toContain('Tea.')
  expect(kept.reads()).toBe(1)
  await kept.close()

  const forgotten = await servedSession(0)
  await expect
    .poll(async () => {
      expect(await forgotten.ask('Tea.')).toContain('Tea.')
      return forgotten.reads()
    })
    .toBeGreaterThan(1)
  await forgotten.close()
})
