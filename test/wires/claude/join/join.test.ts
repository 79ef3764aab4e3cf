import { describe, expect, it } from 'vitest'
import { reduceSessionEvents, type SessionConversationState } from '../../../../src/index.ts'
import { compareSessions } from '../../../../src/parity/index.ts'
import { checkJoin } from '../../../../src/testing/index.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { allRecordings, messagesIn, type Recording, replay } from '../../recordings.ts'
import { joinedSession } from './history-at.ts'

/** The slow tests join at every message. */
const CUTS = 5

const cutsOf = ({ stream }: Recording) => {
  const count = messagesIn(stream).length
  return Array.from({ length: CUTS }, (_, at) => Math.floor((count * (at + 0.5)) / CUTS))
}

const all = allRecordings

describe.each(all.map((recording) => [recording.name, recording] as const))('%s', (_, recording) => {
  const session = joinedSession(recording)

  it('joins the stream to its files: nothing lost, overwritten, doubled or reordered', () => {
    checkJoin(claudeSource, { ...session, cuts: cutsOf(recording) })
  })

  it('equals the finished files after any join', () => {
    const stored = replay(recording.disk).state
    for (const cut of cutsOf(recording)) {
      const { state, memory } = read(session.historyAt(cut))
      for (const start of [memory, claudeSource.resume(state)]) {
        const joined = read(session.live.slice(cut), { state, memory: start })
        expect(withoutStoredOnly(joined.state, stored)).toEqual([])
      }
    }
  })

  it('changes nothing after the whole history, at any message', () => {
    const { state } = read(session.history)
    let joined = { state, memory: claudeSource.resume(state) }
    for (const message of session.live) {
      joined = read([message], joined)
      for (const [at, { status }] of state.subagents.entries())
        if (status !== 'running') expect(joined.state.subagents[at]?.status).toBe(status)
      expect(joined.state.blocks.slice(0, state.blocks.length).map(({ status }) => status)).toEqual(
        state.blocks.map(({ status }) => status),
      )
    }
  })
})

type Read = Pick<ReturnType<typeof claudeSource.translate>, 'memory'> & {
  readonly state: SessionConversationState
}

function read(
  messages: Iterable<unknown>,
  from: Read = { memory: claudeSource.initial, state: replay('').state },
): Read {
  let { memory } = from
  const events = Array.from(messages, (message) => {
    const translated = claudeSource.translate(memory, message)
    memory = translated.memory
    return translated.events
  })
  return { memory, state: reduceSessionEvents(from.state, events.flat()) }
}

/** The differences without stored blocks that were not written yet, and that the stream does not carry. */
function withoutStoredOnly(live: SessionConversationState, stored: SessionConversationState) {
  return compareSessions(live, stored).differences.filter(
    (difference) => difference.kind !== 'missing-block' || difference.stored === undefined,
  )
}
