import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sessionLog } from '../../../src/entries/arbitraries.ts'
import {
  expectIdempotent,
  expectPure,
  expectSameInBatches,
  expectStableReferences,
  type Fold,
  LawError,
  sessionFold,
} from '../../../src/entries/testing.ts'
import { unrulyEvents } from '../../unruly-events.ts'

interface Count {
  readonly total: number
  readonly last: readonly number[]
}

/** Sums numbers and keeps the last one. The input 0 changes nothing. */
const sum: Fold<Count, number> = {
  initial: { total: 0, last: [] },
  reduce: (state, input) => (input === 0 ? state : { total: state.total + input, last: [input] }),
}
const reduceAll = (state: Count, inputs: readonly number[]) => inputs.reduce(sum.reduce, state)

const laws = {
  expectPure,
  expectStableReferences,
  expectIdempotent,
  expectSameInBatches,
}

describe.each(Object.entries(laws))('%s', (_, law) => {
  it.each([
    ['logs without errors', sessionLog()],
    ['logs with errors', unrulyEvents()],
  ])('holds for the reducer: %s', (_, logs) => {
    fc.assert(fc.property(logs, (events) => law(sessionFold, events)))
  })

  it('holds for no inputs', () => {
    law({ ...sum, reduceAll }, [])
  })

  it('names the input at which a fold throws', () => {
    const cause = new Error('no twos')
    const reduce = (state: Count, input: number) => {
      if (input === 2) throw cause
      return state
    }
    expect(broken(() => law({ ...sum, reduce, reduceAll }, [1, 1, 2]))).toMatchObject({
      code: 'throws',
      index: 2,
      cause,
    })
  })
})

describe('expectPure', () => {
  it('reports a fold that mutates its state', () => {
    const reduce = (state: { total: number }, input: number) => {
      state.total += input
      return state
    }
    expect(broken(() => expectPure({ initial: { total: 0 }, reduce }, [1]))).toMatchObject({
      code: 'changes-argument',
      index: 0,
      cause: expect.any(TypeError),
    })
  })

  it('reports a fold that mutates a nested value of its state', () => {
    const initial = { byId: new Map([['a', { seen: [0] }]]) }
    const reduce = ({ byId }: typeof initial, input: number) => {
      byId.get('a')?.seen.push(input)
      return { byId: new Map(byId) }
    }
    expect(broken(() => expectPure({ initial, reduce }, [1, 2])).code).toBe('changes-argument')
  })

  it('reports a fold that mutates an input', () => {
    const reduce = (state: number, input: number[]) => state + (input.pop() ?? 0)
    expect(broken(() => expectPure({ initial: 0, reduce }, [[1], [2]])).code).toMatch(
      /not-repeatable|changes-argument/,
    )
  })

  it('reports a fold that depends on more than its arguments', () => {
    let calls = 0
    const reduce = (state: number) => {
      calls += 1
      return state + calls
    }
    expect(broken(() => expectPure({ initial: 0, reduce }, [0, 0]))).toMatchObject({ code: 'not-repeatable' })
  })

  it('does not freeze the inputs of the caller', () => {
    const inputs = [{ a: [1] }]
    expectPure({ initial: 0, reduce: (state: number) => state }, inputs)
    expect(Object.isFrozen(inputs[0])).toBe(false)
  })

  it('throws a TypeError for an input that cannot be cloned', () => {
    expect(() => expectPure({ initial: 0, reduce: (state: number) => state }, [1, Symbol('odd')])).toThrow(
      new TypeError('pass plain data as inputs: input 1 cannot be cloned'),
    )
  })
})

it('expectStableReferences reports a new object for an unchanged state', () => {
  const reduce = (state: Count, input: number): Count => ({ ...sum.reduce(state, input) })
  expect(broken(() => expectStableReferences({ ...sum, reduce }, [1, 0]))).toMatchObject({
    code: 'new-reference',
    index: 1,
  })
  expectStableReferences(sum, [1, 0])
})

it('expectSameInBatches reports a batch with another result', () => {
  const first = (state: Count, inputs: readonly number[]) => reduceAll(state, inputs.slice(0, 1))
  const found = broken(() => expectSameInBatches({ ...sum, reduceAll: first }, [1, 2]))
  expect(found).toMatchObject({ code: 'batch-differs', index: 0, expected: { total: 3, last: [2] } })
  expect(found.actual).toEqual({ total: 1, last: [1] })
})

it('expectIdempotent reports an input with a second effect, unless it appends', () => {
  expect(broken(() => expectIdempotent(sum, [0, 1]))).toMatchObject({ code: 'not-idempotent', index: 1 })
  expectIdempotent({ ...sum, appends: () => true }, [0, 1])
})

it('an error names the law and the input', () => {
  expect(broken(() => expectIdempotent(sum, [0, 1])).message).toBe(
    'an input that comes twice changes the result twice (input 1)',
  )
})

function broken(check: () => void): LawError {
  try {
    check()
  } catch (error) {
    if (error instanceof LawError) return error
    throw error
  }
  return expect.unreachable('the law holds')
}
