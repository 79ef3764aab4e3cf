import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { Costs, ListLine } from '../../../src/cli/serve/machine/listed-session.ts'
import { serveMachine } from '../../../src/cli/serve/serve-session.ts'
import { openSessionIndex, type SessionIndex } from '../../../src/entries/node.ts'
import { modelAnswers, toText, userMessage } from '../../wires/claude/messages.ts'
import { temporaryFolder } from '../temporary.ts'

const { inFolder, file } = temporaryFolder()
let stop = new AbortController()
afterEach(() => {
  stop.abort()
  stop = new AbortController()
})

function signalled(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** An index whose first update ends early, as it does after the patience of a reader, and whose others wait. */
async function growingIndex(
  home: string,
  isAllowed: Promise<void>,
  onFirst: () => void,
): Promise<SessionIndex> {
  const index = await openSessionIndex({ home, path: false })
  const update = index.update.bind(index)
  let isFirst = true
  index.update = async (options) => {
    if (!isFirst) {
      await isAllowed
      return update(options)
    }
    isFirst = false
    const first = await update({ ...options, signal: AbortSignal.abort() })
    onFirst()
    return first
  }
  return index
}

async function writeSession(home: string, sessionId: string): Promise<void> {
  const facts = { sessionId, cwd: '/srv/demo', timestamp: '2026-01-01T10:00:00.000Z' }
  const lines = [userMessage('Make tea.'), modelAnswers('m', 'Tea.')]
  await file(
    join(home, '.claude', 'projects', 'p', `${sessionId}.jsonl`),
    toText(lines.map((line, at) => ({ uuid: `u${at}`, ...line, ...facts }))),
  )
}

// The sums were those of the first look.
it('counts a session that is new since the last look, while nobody reads the list', async () => {
  const home = inFolder('unread')
  const openIndex = () => openSessionIndex({ home, path: false })
  const { url, close } = await serveMachine({ ...{ page: '', home, signal: stop.signal, openIndex } })
  for (const [at, id] of ['s1', 's2', 's3'].entries()) {
    await writeSession('unread', id)
    const costs: Costs = await (await fetch(new URL('../costs?by=program', url))).json()
    expect(costs.rows).toMatchObject([{ key: 'claude-code', sessions: at + 1 }])
  }
  await close()
})

// The page showed the sums of a part as if they were all.
it('says that sums are partial while the index still grows', async () => {
  const home = inFolder('home')
  await writeSession('home', 's1')
  const [first, allowed] = [signalled(), signalled()]
  const openIndex = () => growingIndex(home, allowed.promise, first.resolve)
  const { url, close } = await serveMachine({ ...{ page: '', home, signal: stop.signal, openIndex } })
  const costs = async (): Promise<Costs> => (await fetch(new URL('../costs?by=program', url))).json()
  const lineOf = async (isLast: (line: ListLine) => boolean) => {
    const leave = new AbortController()
    const { body } = await fetch(new URL('../list?live=1', url), { signal: leave.signal })
    let seen = ''
    for await (const bytes of body ?? []) {
      seen += new TextDecoder().decode(bytes)
      const all: readonly ListLine[] = seen
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
      if (all.some(isLast)) break
    }
    leave.abort()
  }
  const whileGrowing = lineOf((line) => 'phase' in line && line.phase === 'complete')
  await first.promise
  await expect.poll(costs).toEqual({ rows: [], isPartial: true })
  allowed.resolve()
  await whileGrowing
  expect(await costs()).toMatchObject({ rows: [{ key: 'claude-code', sessions: 1 }], isPartial: false })
  await close()
})
