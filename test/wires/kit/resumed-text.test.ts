import { expect, it } from 'vitest'
import { createInitialConversationState, MAIN } from '../../../src/core/state/session.ts'
import { TranslationContext } from '../../../src/reading/context.ts'
import { declareNotes } from '../../../src/reading/notes/notes.ts'
import {
  extendResumed,
  NO_PLACE,
  type ResumedPlace,
  repeatedTo,
} from '../../../src/wires/kit/resumed-text.ts'

const NOTES = declareNotes({ source: 'kit', version: 1 }, {})
const TEXT = 'The quick brown fox jumps over the lazy dog; then it rests.'

/** Adds deltas to the text of a state, and returns the text, the events, and the place that the deltas have reached. */
function extend(known: string, deltas: readonly string[], start: ResumedPlace = NO_PLACE) {
  const state = createInitialConversationState()
  const context = new TranslationContext({ state, notes: NOTES.initial })
  context.upsert(MAIN, { type: 'assistant_text', id: 't', status: 'pending', content: known })
  let place: ResumedPlace | undefined = start
  for (const delta of deltas) {
    const block = context.state.findBlock(MAIN, 't')
    if (block?.type !== 'assistant_text') throw new Error('no text')
    if (place) place = extendResumed(block, { delta, place }, context)
    else context.emit({ type: 'block:delta', conversationId: MAIN, blockId: 't', delta })
  }
  const { session, events } = context.finish()
  const [block] = session.state.blocks
  return {
    text: block?.type === 'assistant_text' && block.content,
    events: events.map(({ type }) => type),
    place,
  }
}

const piecesOf = (text: string, size: number) => text.match(new RegExp(`.{1,${size}}`, 'g')) ?? []

it.each([1, 3, 7, 99])('has each text once if deltas of %s characters come again', (size) => {
  for (const known of [0, 7, 8, 9, 30, TEXT.length])
    for (const from of [0, 1, 5, 20, 29, 30].filter((each) => each <= known)) {
      const deltas = piecesOf(TEXT.slice(from), size)
      const before = TEXT.slice(0, known)
      expect(extend(before, deltas, repeatedTo(from)).text).toBe(TEXT)
      // Fewer than 8 characters may be there twice by chance.
      const isKnown = known - from >= 8 || known === from
      expect(extend(before, deltas).text).toBe(isKnown ? TEXT : before + TEXT.slice(from))
    }
})

it.each([
  ['a line of dashes', '----------', '---------- on', '-------------------- on'],
  ['three characters', 'x abcabcab', 'abcabcab on', 'x abcabcababcabcab on'],
  ['four characters', 'x abcdabcd', 'abcdabcd on', 'x abcdabcd on'],
  ['six characters and spaces', 'x  abcdef', '  abcdef on', 'x  abcdef  abcdef on'],
])('takes %s for a repetition only if they are long and varied', (_, known, delta, text) => {
  expect(extend(known, [delta]).text).toBe(text)
})

it('shows the least, and looks for repetitions as long as deltas may come again', () => {
  expect(extend('abc', ['ab', 'c'], repeatedTo(0))).toMatchObject({
    events: ['block:upsert'],
    place: repeatedTo(3),
  })
  expect(extend('abc', ['abcd'], repeatedTo(0))).toEqual({
    ...{ text: 'abcd', events: ['block:upsert', 'block:delta'], place: undefined },
  })
  expect(extend('abc', ['x'], repeatedTo(1))).toMatchObject({ text: 'abcx', place: undefined })
  expect(extend('abc', ['b'])).toMatchObject({ text: 'abcb', place: { type: 'appended', deltas: 'b' } })
  expect(extend('abc', ['b', 'x', 'c'])).toMatchObject({ text: 'abcbxc', place: undefined })
})
