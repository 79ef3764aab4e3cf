import { describe, expect, it } from 'vitest'
import { isObject } from '../../../../src/core/json/values.ts'
import type { SessionConversationState } from '../../../../src/entries/index.ts'
import { compareSessions } from '../../../../src/entries/parity.ts'
import { checkJoin } from '../../../../src/entries/testing.ts'
import type { Session } from '../../../../src/reading/source.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { depth, further, isThorough } from '../../../depth.ts'
import { allRecordings, messagesIn, type Recording, replay } from '../../recordings.ts'
import { joinedSession } from './history-at.ts'

const CUTS = depth({ few: 2, all: 4 })

const cutsOf = ({ stream }: Recording) => {
  const count = messagesIn(stream).length
  return Array.from({ length: CUTS }, (_, at) => Math.floor((count * (at + 0.5)) / CUTS))
}

/** The forms of a stream: as it is, without partial messages, and as before 2.1.330, when no event named its message. */
const FORMS: Readonly<Record<string, (message: unknown) => readonly unknown[]>> = {
  'without partial messages': (message) =>
    isObject(message) && message.type === 'stream_event' ? [] : [message],
  'without the names of messages': (message) => {
    if (!isObject(message)) return [message]
    const { api_message_id, ...others } = message
    return [others]
  },
}

const all = allRecordings

describe.each(all.map((recording) => [recording.name, recording] as const))('%s', (_, recording) => {
  const sides = joinedSession(recording)

  it('joins the stream to its files: nothing lost, overwritten, doubled or reordered', () => {
    checkJoin(claudeSource, {
      ...sides,
      cuts: cutsOf(recording)
        .slice(isThorough ? 0 : recording.name.length % CUTS)
        .slice(0, isThorough ? CUTS : 1),
    })
  })

  further.each(Object.entries(FORMS))('joins a stream %s', (_, formOf) => {
    const stream = sides.live
      .flatMap(formOf)
      .map((message) => JSON.stringify(message))
      .join('\n')
    const session = joinedSession({ ...recording, stream })
    checkJoin(claudeSource, { ...session, cuts: [0, session.live.length] })
  })

  it('equals the finished files after any join', () => {
    const stored = replay(recording.disk).state
    for (const cut of cutsOf(recording)) {
      const session = read(sides.historyAt(cut))
      for (const start of [session, claudeSource.open(session.state)]) {
        const joined = read(sides.live.slice(cut), start)
        expect(withoutStoredOnly(joined.state, stored)).toEqual([])
      }
    }
  })

  it('changes nothing after the whole history, at any message', () => {
    const { state } = read(sides.history)
    let joined = claudeSource.open(state)
    for (const message of sides.live) {
      joined = read([message], joined)
      for (const [at, { status }] of state.subagents.entries())
        if (status !== 'running') expect(joined.state.subagents[at]?.status).toBe(status)
      expect(joined.state.blocks.slice(0, state.blocks.length).map(({ status }) => status)).toEqual(
        state.blocks.map(({ status }) => status),
      )
    }
  })
})

/** Reads the messages one by one. */
function read(messages: Iterable<unknown>, start: Session = claudeSource.open()): Session {
  let session = start
  for (const message of messages) ({ session } = claudeSource.read(session, [message]))
  return session
}

/** The differences without stored blocks that were not written yet, and that the stream does not carry. */
function withoutStoredOnly(live: SessionConversationState, stored: SessionConversationState) {
  return compareSessions(live, stored).differences.filter(
    (difference) => difference.kind !== 'missing-block' || difference.stored === undefined,
  )
}
