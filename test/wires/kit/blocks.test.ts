import { describe, expect, it } from 'vitest'
import { createInitialConversationState, MAIN } from '../../../src/core/state/session.ts'
import { TranslationContext } from '../../../src/reading/context.ts'
import { declareNotes } from '../../../src/reading/notes/notes.ts'
import { abandonBlocks, endAbandonedTurn, endAgent } from '../../../src/wires/kit/abandon.ts'
import { callBlock, hasResult, noteBlock, resultBlock, show } from '../../../src/wires/kit/blocks.ts'

const NOTES = declareNotes({ source: 'kit', version: 1 }, {})
const open = () => new TranslationContext({ state: createInitialConversationState(), notes: NOTES.initial })
const call = { toolName: 'ls', toolUseId: 'c1', input: {}, messageId: 'm1' }
const note = noteBlock({ id: 'n1', subtype: 'retry', message: 'again' })

/** Returns the number of events of an action. */
function eventsOf(context: ReturnType<typeof open>, act: () => void): number {
  const before = context.finish().events.length
  act()
  return context.finish().events.length - before
}

describe('the blocks of the kit', () => {
  it('show a block once, until it changes', () => {
    const context = open()
    show(MAIN, note, context)
    expect(eventsOf(context, () => show(MAIN, note, context))).toBe(0)
    expect(eventsOf(context, () => show(MAIN, { ...note, message: 'once more' }, context))).toBe(1)
  })

  it('leave what the person took back, and the others of its message, on their branch', () => {
    const context = open()
    show(MAIN, callBlock(call), context)
    abandonBlocks({ id: 'r1', blockIds: ['c1'], data: {} }, context)
    for (const toolUseId of ['c1', 'c2'])
      expect(eventsOf(context, () => show(MAIN, callBlock({ ...call, toolUseId }), context))).toBe(0)
    expect(eventsOf(context, () => show('agent', callBlock(call), context))).toBe(1)
  })
})

it('an agent ends once, and a later report adds to its end', () => {
  const ends = [
    { isError: false, output: 'One.' },
    { isError: false, output: 'One.' },
    { isError: false },
    { isError: false, output: 'Two.' },
    { isError: false, durationMs: 5 },
    { isError: false, durationMs: 6 },
    { isError: true },
  ]
  const countAfter = (count: number) => {
    const context = open()
    context.emit({ type: 'subagent:spawned', toolUseId: 'a', prompt: 'Go.' })
    for (const end of ends.slice(0, count)) endAgent('a', end, context)
    return context.finish().events.length
  }
  expect(ends.map((_, at) => countAfter(at + 1))).toEqual([2, 2, 2, 3, 4, 4, 5])
})

it('a killed process leaves agents that have failed, and a turn that was stopped, unless the model has answered', () => {
  const statusAfter = (act: (context: ReturnType<typeof open>) => void) => {
    const context = open()
    act(context)
    context.emit({ type: 'subagent:spawned', toolUseId: 'a', prompt: 'Go.' })
    endAbandonedTurn('2026-01-01T00:00:00.000Z', context)
    expect(context.state.findAgent('a')).toMatchObject({ status: 'error' })
    return context.state.turn
  }
  expect(statusAfter(() => {})).toEqual({ status: 'idle' })
  expect(statusAfter(({ turn }) => turn.start())).toEqual({
    status: 'interrupted',
    endedAt: '2026-01-01T00:00:00.000Z',
  })
  expect(statusAfter(({ turn }) => [turn.start(), turn.answer({})])).toEqual({ status: 'running' })
})

it('a call has its result, unless only the end of an input has ended the result', () => {
  const context = open()
  const states = [
    () => {},
    () => context.upsert(MAIN, resultBlock({ toolUseId: 'c1', output: '', isError: false }, 'pending')),
    () => context.endInput(),
    () => context.upsert(MAIN, resultBlock({ toolUseId: 'c1', output: 'a', isError: false })),
  ].map((act) => [act(), hasResult(MAIN, 'c1', context.state)].at(1))
  expect(states).toEqual([false, false, false, true])
})
