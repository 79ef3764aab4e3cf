import { describe, expect, it } from 'vitest'
import { geminiSource } from '../../../src/entries/gemini.ts'
import { compareSessions } from '../../../src/entries/parity.ts'
import { checkJoin, checkSource } from '../../../src/entries/testing.ts'
import { forms, pairs, read, storedAt } from './recordings.ts'

describe.each(forms)('$name, $form', ({ messages }) => {
  it('keeps the laws of a source, without an issue', () => {
    const { issues } = checkSource(geminiSource, messages)
    expect(issues.filter(({ code }) => code !== 'unfinished-subagent')).toEqual([])
  })

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
  it('says the same live and stored', () => {
    expect(compareSessions(read(live), read(stored)).differences).toEqual([])
  })

  it('joins the stream to the chat at every line', () => {
    checkJoin(geminiSource, { history: stored, live })
  })

  it('joins the stream to what the disk had at that line', () => {
    for (const [count, history] of storedAt(name))
      checkJoin(geminiSource, { history, live, cuts: [0, count] })
  })
})

it('has recordings of both forms', () => {
  expect(pairs.length).toBeGreaterThan(3)
  expect(pairs.flatMap(({ name }) => storedAt(name)).length).toBeGreaterThan(5)
})
