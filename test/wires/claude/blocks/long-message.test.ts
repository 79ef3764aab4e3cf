import fc from 'fast-check'
import { expect, it } from 'vitest'
import { saveSession } from '../../../../src/reading/save-session.ts'
import type { Reading, Session } from '../../../../src/reading/source.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { runs } from '../../../depth.ts'
import {
  assistantMessage,
  blockStart,
  type Message,
  messageStart,
  messageStop,
  modelCalls,
  modelSays,
  text,
  textDelta,
  thinking,
  toolUse,
  withUuids,
} from '../messages.ts'

const COUNT = 70

const counted = <Item>(itemAt: (at: number) => Item): readonly Item[] =>
  Array.from({ length: COUNT }, (_, at) => itemAt(at))

/** Two messages of which each has many blocks: whole ones, and ones that still stream. */
const long: readonly Message[] = [
  messageStart('m1'),
  ...counted((at) => (at % 2 === 0 ? blockStart('m1', at, text('')) : modelCalls('m1', `t${at}`))),
  ...counted((at) => assistantMessage('m2', at % 3 === 0 ? toolUse(`u${at}`) : text(`Text ${at}.`))),
]

const place = fc.record({
  messageId: fc.constantFrom('m1', 'm2'),
  index: fc.integer({ min: 0, max: COUNT + 3 }),
})
const step: fc.Arbitrary<Message> = fc.oneof(
  place.map(({ messageId, index }) => blockStart(messageId, index, text(''))),
  place.map(({ messageId, index }) => textDelta(messageId, index, 'more')),
  place.map(({ messageId, index }) => modelSays(messageId, `Text ${index}.`)),
  place.map(({ messageId, index }) => modelSays(messageId, 'Indexed.', { apiBlockIndex: index })),
  place.map(({ messageId, index }) => assistantMessage(messageId, thinking(`Thought ${index}.`))),
  place.map(({ messageId, index }) => modelCalls(messageId, `t${index}`)),
  place.map(({ messageId, index }) => blockStart(messageId, index + 1, toolUse(`t${index}`))),
  place.map(({ messageId, index }) =>
    assistantMessage(messageId, text('Two.'), {}, { content: [text('Two.'), toolUse(`u${index}`)] }),
  ),
  place.map(({ messageId, index }) => messageStop(messageId, index)),
)

function readSingly(messages: readonly Message[]): Pick<Reading, 'session' | 'events'> {
  let session = claudeSource.open()
  const events = messages.flatMap((message) => {
    const reading = claudeSource.read(session, [message])
    session = reading.session
    return reading.events
  })
  return { session, events }
}

it('a message with many blocks is the same in one batch and in many, and a batch changes no earlier session', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.array(step, { maxLength: 10 }), (steps, others) => {
      const messages = withUuids([...long, ...steps])
      const whole = claudeSource.read(claudeSource.open(), messages)
      const singly = readSingly(messages)
      expect(singly.events).toEqual(whole.events)
      const before = saveSession(whole.session)
      expect(saveSession(singly.session)).toEqual(before)
      const further = others.map((message, at) => ({ uuid: `other-${at}`, ...message }))
      const once = claudeSource.read(whole.session, further)
      expect(saveSession(whole.session)).toEqual(before)
      expect(claudeSource.read(whole.session, further).events).toEqual(once.events)
    }),
    { numRuns: runs(50) },
  )
})

it('a message forgets the uuids of its deltas when its stream ends', () => {
  const streamed = withUuids([messageStart('m1'), blockStart('m1', 0, text('')), textDelta('m1', 0, 'Hi.')])
  const { session } = claudeSource.read(claudeSource.open(), streamed)
  const { session: ended } = claudeSource.read(session, [messageStop('m1')])
  const notesIn = (each: Session) => JSON.stringify(Object(saveSession(each)).notes)
  expect(notesIn(session)).toContain('deltaUuids')
  expect(notesIn(ended)).not.toContain('deltaUuids')
})
