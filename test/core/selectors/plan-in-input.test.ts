import { describe, expect, it } from 'vitest'
import { planInInput } from '../../../src/core/selectors/todos.ts'

describe('planInInput', () => {
  it('reads todos and the steps of a plan', () => {
    expect(planInInput({ todos: [{ content: 'Look', status: 'completed', activeForm: 'Looking' }] })).toEqual(
      [{ text: 'Look', status: 'completed' }],
    )
    expect(planInInput({ explanation: 'One step.', plan: [{ step: 'Look', status: 'pending' }] })).toEqual([
      { text: 'Look', status: 'pending' },
    ])
  })

  it.each([
    undefined,
    'todos',
    {},
    { todos: [] },
    { todos: 'Look' },
    { todos: [null] },
    { todos: [{ content: 'Look', status: 'constructor' }] },
    { plan: [{ step: 'Look', status: 'pending' }, { status: 'pending' }] },
  ])('finds no plan in %j', (input) => {
    expect(planInInput(input)).toBeUndefined()
  })
})
