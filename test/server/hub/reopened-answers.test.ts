import { describe, expect, it } from 'vitest'
import { HubError } from '../../../src/entries/hub.ts'
import {
  type BlockOf,
  pendingRequests,
  reduceSessionEvents,
  type SessionConversationState,
} from '../../../src/entries/index.ts'
import {
  answeredRequest,
  type PersonAnswer,
  reopeningEvents,
} from '../../../src/server/hub/answered-request.ts'
import { inputs } from '../../wires/inputs.ts'

const asking = inputs.filter(({ messages }) => /request|permission|question/i.test(JSON.stringify(messages)))

// A refused question was closed for ever if the program had shown its own form of the refusal before the listener failed.
describe.each(asking)('$name', ({ source, messages }) => {
  it('opens a request again whose answer the program only seemed to have read', () => {
    let session = source.open()
    const known = new Set<string>()
    for (const message of messages) {
      session = source.read(session, [message]).session
      for (const { block } of pendingRequests(session.state)) {
        if (known.has(block.id)) continue
        known.add(block.id)
        for (const answer of answersTo(block)) {
          const answered = answerIn(session.state, block.id, answer)
          if (!answered) continue
          const { events, reply } = answered
          expect(reopeningEvents(reduceSessionEvents(session.state, events), events[0])).not.toEqual([])
          if ('type' in reply && ['http', 'call', 'answer'].includes(String(reply.type))) continue
          const read = source.read(session, [reply]).session
          expect([answer, reopeningEvents(read.state, events[0])]).not.toEqual([answer, []])
        }
      }
    }
  })
})

function answersTo({ options = [], questions }: BlockOf<'request'>): readonly PersonAnswer[] {
  return [
    { denied: true },
    { denied: true, comment: 'no thanks' },
    ...options.flatMap(({ id, label }) => [id, { answer: id, comment: 'words' }, [[label]]]),
    ...(questions ? [questions.map((each) => [each.options?.[0]?.label ?? 'x'])] : []),
  ]
}

/** Undefined if the program takes no such answer. */
function answerIn(state: SessionConversationState, id: string, answer: PersonAnswer) {
  try {
    return answeredRequest(state, id, answer)
  } catch (error) {
    if (error instanceof HubError) return undefined
    throw error
  }
}
