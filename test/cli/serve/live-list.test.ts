import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { LiveList } from '../../../src/cli/serve/machine/live-list.ts'
import { MachineSessions } from '../../../src/cli/serve/machine/machine-sessions.ts'
import type { SessionSource } from '../../../src/cli/serve/machine/session-source.ts'
import { openSessionIndex } from '../../../src/entries/node.ts'
import type { SessionSummary } from '../../../src/node/list/session-summary.ts'

// A session that a person opened beside the list came after 15 seconds, because the list read 400 sessions meanwhile.
it('goes on with its reading after the session that a person opens', async () => {
  const home = await mkdtemp(join(tmpdir(), 'agentfold-live-list-'))
  const stop = new AbortController()
  const session: SessionSummary = { id: 'a', path: '/srv/a.jsonl', format: 'claude-sdk' }
  const source: SessionSource = {
    list: async function* () {
      yield session
    },
    matching: async function* () {},
    read: async () => undefined,
  }
  const ids = new MachineSessions(source, (text) => text)
  const list = new LiveList({
    ...{ ids, signal: stop.signal, now: Date.now },
    openIndex: () => openSessionIndex({ home, path: false }),
  })
  onTestFinished(async () => {
    stop.abort()
    await list.close()
    await rm(home, { recursive: true })
  })
  let finish = () => {}
  list.yieldTo(
    new Promise<void>((resolve) => {
      finish = resolve
    }),
  )
  const lines: string[] = []
  const reading = (async () => {
    for await (const line of list.lines({ isLive: false, signal: stop.signal }))
      lines.push(Object.keys(line)[0] ?? '')
  })()
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  expect(lines).toEqual([])
  finish()
  await reading
  expect(lines[0]).toBe('session')
})
