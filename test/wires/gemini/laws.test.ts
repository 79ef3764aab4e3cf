import { describe, expect, it } from 'vitest'
import { geminiSource } from '../../../src/entries/gemini.ts'
import { checkJoin } from '../../../src/entries/testing.ts'
import { depth, sampleOf } from '../../depth.ts'
import { forms, pairs, storedAt } from './recordings.ts'

describe.each(forms)('$name, $form', ({ messages }) => {
  it('stays the same if its last messages come again', () => {
    const { session } = geminiSource.read(geminiSource.open(), messages)
    for (const count of [1, 2, 3, 5, 8, 13, 21, messages.length]) {
      const again = geminiSource.read(session, messages.slice(-count)).session
      expect(again.state, `${count} messages`).toEqual(session.state)
    }
  })

  it('adds nothing to the state that it has given', () => {
    const { state } = geminiSource.end(geminiSource.read(geminiSource.open(), messages).session).session
    const again = geminiSource.read(geminiSource.open(state), messages).session
    expect(geminiSource.end(again).session.state.blocks).toEqual(state.blocks)
  })
})

describe.each(pairs)('$name', ({ name, live, stored }) => {
  it('joins the stream to the chat', () => {
    checkJoin(geminiSource, { history: stored, live, cuts: cutsOf(live) })
  })

  it('joins the stream to what the disk had at that line', () => {
    for (const [count, history] of storedAt(name))
      checkJoin(geminiSource, { history, live, cuts: [0, count] })
  })
})

function cutsOf(live: readonly unknown[]): readonly number[] {
  return sampleOf([...live.keys(), live.length], depth({ few: 4, all: 64 }))
}

it('has recordings of both forms', () => {
  expect(pairs.length).toBeGreaterThan(3)
  expect(pairs.flatMap(({ name }) => storedAt(name)).length).toBeGreaterThan(5)
})
