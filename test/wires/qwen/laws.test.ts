import { describe, expect, it } from 'vitest'
import { compareSessions } from '../../../src/entries/parity.ts'
import { qwenSource } from '../../../src/entries/qwen.ts'
import { checkJoin, LawError } from '../../../src/entries/testing.ts'
import { depth, sampleOf } from '../../depth.ts'
import { forms, pairs, read, storedAt } from './recordings.ts'

describe.each(forms)('$name, $form', ({ messages }) => {
  it('has no issue', () => {
    const { issues } = qwenSource.read(qwenSource.open(), messages)
    expect(issues.filter(({ code }) => code !== 'unfinished-subagent')).toEqual([])
  })

  it('stays the same if its last messages come again', () => {
    const { session } = qwenSource.read(qwenSource.open(), messages)
    const named = messages.filter((message) => Object(message).uuid !== undefined)
    for (const count of [1, 2, 3, 5, 8]) {
      const again = qwenSource.read(session, named.slice(-count)).session
      expect(again.state, `${count} messages`).toEqual(session.state)
    }
  })
})

// The terminal's file has what the person took back, and no line that says so. A fork has a file of its own.
const OTHERS: readonly string[] = ['15d-rewind-tui', '15-resume-fork']

describe.each(pairs.filter(({ name }) => !OTHERS.includes(name)))('$name, $form', ({ live, stored }) => {
  it('says the same live and stored', () => {
    expect(compareSessions(read(live), read(stored)).differences).toEqual([])
  })
})

/** A command of the person is in no file, so nothing shows its place among the blocks of the history (docs/reopening.md). */
const isCommand = (part: string) => part.startsWith('block command:')

/** The program writes a line to its files some lines after its stream. */
const LAG = 3

describe.each(pairs)('$name, $form', ({ name, live, stored }) => {
  it('joins the stream to the chat', () => {
    expect(faultsOf(() => checkJoin(qwenSource, { history: stored, live, cuts: cutsOf(live) }))).toEqual([])
  })

  it('joins the stream to what the disk had at that line', () => {
    for (const [count, history] of storedAt(name))
      checkJoin(qwenSource, { history, live, cuts: [0, count - LAG] })
  })
})

function cutsOf(live: readonly unknown[]): readonly number[] {
  return sampleOf([...live.keys(), live.length], depth({ few: 4, all: 64 }))
}

function faultsOf(check: () => void): readonly string[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof LawError)) throw error
    return error.faults.map(({ part }) => part).filter((part) => !isCommand(part))
  }
}

it('has what the disk had in the middle of a session', () => {
  expect(pairs.flatMap(({ name }) => storedAt(name)).length).toBeGreaterThan(3)
})

it('has recordings of all forms', () => {
  expect(new Set(forms.map(({ form }) => form))).toEqual(new Set(['stream', 'sdk', 'tui', 'store']))
})
