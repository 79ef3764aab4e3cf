import { describe, expect, it } from 'vitest'
import { depth } from '../../depth.ts'
import { oracleFor } from './oracles.ts'
import { wrongStatuses } from './prefix-law.ts'
import { sessions } from './recorded.ts'

describe.each(sessions)('$name', (input) => {
  it('has after each message the statuses that the raw messages prove', () => {
    expect(wrongStatuses(input, depth({ few: 40, all: Number.POSITIVE_INFINITY }))).toEqual([])
  })
})

// An oracle that allows anything would agree with anything.
it('has an oracle that knows the one status of main after nineteen of twenty messages', () => {
  const counts = sessions.flatMap((input) => {
    const oracle = oracleFor(input)
    return input.messages.map((message) => {
      oracle.read(message)
      return oracle.main.length
    })
  })
  expect(counts.filter((count) => count === 1).length / counts.length).toBeGreaterThan(0.94)
})
