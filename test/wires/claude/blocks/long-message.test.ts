import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createInitialConversationState } from '../../../../src/index.ts'
import { notesOf } from '../../../../src/session/notes/notes.ts'
import type { Session } from '../../../../src/session/session.ts'
import type { Reading } from '../../../../src/session/source.ts'
import { BlockList, IndexedBlockList } from '../../../../src/wires/claude/blocks/model/block-search.ts'
import { ClaudeContext } from '../../../../src/wires/claude/context.ts'
import { NOTES } from '../../../../src/wires/claude/memory-shape.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import {
  assistantMessage,
  blockStart,
  type Message,
  messageStart,
  messageStop,
  readStream,
  text,
  textDelta,
  thinking,
  toolUse,
  withUuids,
} from '../messages.ts'

/** More blocks than a message's list has when the source begins to change it in place. */
const COUNT = 70

const counted = <Item>(itemAt: (at: number) => Item): readonly Item[] =>
  Array.from({ length: COUNT }, (_, at) => itemAt(at))

/** Two messages of which each has many blocks: whole ones, and ones that still stream. */
const long: readonly Message[] = [
  messageStart('m1'),
  ...counted((at) =>
    at % 2 === 0 ? blockStart('m1', at, text('')) : assistantMessage('m1', toolUse(`t${at}`)),
  ),
  ...counted((at) => assistantMessage('m2', at % 3 === 0 ? toolUse(`u${at}`) : text(`Text ${at}.`))),
]

const messageIn = ({ notes }: Session, id: string) => notesOf(NOTES, notes).messages.get('main')?.get(id)
const blocksOf = (session: Session) => ['m1', 'm2'].map((id) => messageIn(session, id)?.blocks)

const place = fc.record({
  messageId: fc.constantFrom('m1', 'm2'),
  index: fc.integer({ min: 0, max: COUNT + 3 }),
})
const step: fc.Arbitrary<Message> = fc.oneof(
  place.map(({ messageId, index }) => blockStart(messageId, index, text(''))),
  place.map(({ messageId, index }) => textDelta(messageId, index, 'more')),
  place.map(({ messageId, index }) => assistantMessage(messageId, text(`Text ${index}.`))),
  place.map(({ messageId, index }) =>
    assistantMessage(messageId, text('Indexed.'), { apiBlockIndex: index }),
  ),
  place.map(({ messageId, index }) => assistantMessage(messageId, thinking(`Thought ${index}.`))),
  place.map(({ messageId, index }) => assistantMessage(messageId, toolUse(`t${index}`))),
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

const newContext = () => new ClaudeContext({ state: createInitialConversationState(), notes: NOTES.initial })

describe('a message with many blocks', () => {
  it('has all of them in their order', () => {
    const { state } = readStream(
      messageStart('m1'),
      ...counted((at) => [
        blockStart('m1', at, text('')),
        textDelta('m1', at, `Text ${at}`),
        assistantMessage('m1', text(`Text ${at}.`)),
      ]).flat(),
    )
    expect(state.blocks).toMatchObject(
      counted((at) => ({ id: `m1:${at}`, status: 'complete', content: `Text ${at}.` })),
    )
  })

  it('is searched by an index from the second line of a batch on', () => {
    const context = newContext()
    const block = { id: 'm1:0', contentType: 'text', index: 0, isWhole: true }
    const blocks = context.appendBlocks(
      counted(() => block),
      [block],
    )
    expect(context.searchIn(blocks)).toBeInstanceOf(IndexedBlockList)
    expect(context.searchIn([block])).toBeInstanceOf(BlockList)
  })

  it('is the same in one batch and in many, and a batch changes no earlier session', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.array(step, { maxLength: 10 }), (steps, others) => {
        const messages = withUuids([...long, ...steps])
        const whole = claudeSource.read(claudeSource.open(), messages)
        const singly = readSingly(messages)
        expect(singly.events).toEqual(whole.events)
        expect(blocksOf(singly.session)).toEqual(blocksOf(whole.session))
        const before = structuredClone(blocksOf(whole.session))
        const further = others.map((message, at) => ({ uuid: `other-${at}`, ...message }))
        const once = claudeSource.read(whole.session, further)
        expect(blocksOf(whole.session)).toEqual(before)
        expect(claudeSource.read(whole.session, further).events).toEqual(once.events)
      }),
      { numRuns: 50 },
    )
  })
})

describe('a message', () => {
  const ref = { conversationId: 'main', messageId: 'm1' }

  it('is copied once in a batch, unless another one comes between its lines', () => {
    const context = newContext()
    const first = context.editMessage(ref)
    expect(context.editMessage(ref)).toBe(first)
    context.editMessage({ ...ref, messageId: 'm2' })
    expect(context.editMessage(ref)).not.toBe(first)
    expect(new ClaudeContext(context.finish().session).editMessage(ref)).not.toBe(context.message(ref))
  })

  it('forgets the uuids of its deltas when its stream ends', () => {
    const streamed = withUuids([messageStart('m1'), blockStart('m1', 0, text('')), textDelta('m1', 0, 'Hi.')])
    const { session } = claudeSource.read(claudeSource.open(), streamed)
    const { session: ended } = claudeSource.read(session, [messageStop('m1')])
    const uuidsOf = (each: Session) => messageIn(each, 'm1')?.deltaUuids?.size
    expect([uuidsOf(session), uuidsOf(ended)]).toEqual([1, undefined])
  })
})
