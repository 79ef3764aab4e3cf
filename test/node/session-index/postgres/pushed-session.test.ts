import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keptRow } from '../../../../src/node/session-index/kept-row.ts'
import { pushedSession } from '../../../../src/node/session-index/postgres/pushed-session.ts'
import type { KeptRow } from '../../../../src/node/session-index/session-row.ts'
import { KINDS, randomFrom, showsPart, visiblePart } from '../../../redaction/kinds.ts'
import { modelCalls, modelSays, readFiles, toolResult, userMessage } from '../../../wires/claude/messages.ts'

const place = { machine: 'one', isWhole: false }

/** A session with the words in each text of its row, and with its state. */
function sessionWith(words: string) {
  const { state } = readFiles([
    userMessage(words),
    modelCalls('m1', 't1', 'Bash', { command: words }),
    toolResult('t1', words, {}, { is_error: true }),
    modelSays('m2', words),
  ])
  const texts = { title: words, firstPrompt: words, cwd: words, startedIn: words, model: words }
  // Without a folder before them: some secrets are known by the beginning of their line alone.
  const listed = { id: 's1', path: words, format: 'claude-sdk', program: words } as const
  const row: KeptRow = {
    ...keptRow({ ...listed, ...texts }, state),
    ...{ answer: words, tools: ['Bash'], hasFailures: true, lastAt: 1 },
    ...{ ended: { status: 'failed', reason: words }, open: { status: 'waiting', reason: words } },
  }
  return { row, state }
}

// The file of a session may be gone after the index has read it, or its state may be too large.
it('pushes no secret of a known form in any value, also of a session that nobody can read any more', () =>
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), fc.nat(1_000), fc.boolean(), (kind, seed, isReadable) => {
      const secret = kind.make(randomFrom(seed + 1))
      const { row, state } = sessionWith(kind.write(secret))
      const pushed = pushedSession({ row, changedAt: 1, state: isReadable ? state : undefined }, place)
      const leaks = Object.entries(pushed).flatMap(([name, value]) =>
        typeof value === 'string' && showsPart(value, visiblePart(kind, secret)) ? [name] : [],
      )
      expect(leaks).toEqual([])
    }),
  ))

it('pushes no status, answer or tool of a session that nobody can read any more', () => {
  const { row } = sessionWith('tea')
  const { row: kept } = pushedSession({ row, changedAt: 1, state: undefined }, place)
  const { ended, open, answer, lastAt, tools, hasFailures }: KeptRow = JSON.parse(kept)
  expect({ ended, open, answer, lastAt, tools, hasFailures }).toEqual({ tools: [], hasFailures: false })
})
