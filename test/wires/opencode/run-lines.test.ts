import { describe, expect, it } from 'vitest'
import type { ConversationBlock } from '../../../src/entries/index.ts'
import { ofType, textsOf } from '../recordings.ts'
import { type Message, main, tokens, toLines } from './messages.ts'
import { recordings, replay } from './recordings.ts'

const { id: sessionID } = main
const line = (type: string, part: Message): Message => ({
  type,
  timestamp: 1,
  sessionID,
  part: { messageID: 'msg_1', sessionID, ...part },
})
const text = (id: string, text: string) =>
  line('text', { id, type: 'text', text, time: { start: 1, end: 2 } })
const finish = (id: string, fields: Message = {}) =>
  line('step_finish', {
    id,
    type: 'step-finish',
    reason: 'stop',
    tokens: tokens(1, 2),
    cost: 0.25,
    ...fields,
  })
const readLines = (...lines: readonly Message[]) => replay(toLines(lines))

describe.each(recordings)('$name', ({ run, events }) => {
  const { state, issues, reducerIssues } = replay(run)
  const whole = replay(events).state

  it('is read without issues', () => {
    expect(issues).toEqual([])
    expect(reducerIssues).toEqual([])
  })

  // The lines hold main's finished parts, but neither the model nor the user's prompts.
  it('gives the same blocks of main as the bus', () => {
    const essence = ({ timestamp, ...block }: ConversationBlock): object =>
      Object.fromEntries(Object.entries(block).filter(([key]) => key !== 'model'))
    const known = new Map(whole.blocks.map((block) => [block.id, essence(block)]))
    for (const block of state.blocks) expect(essence(block)).toEqual(known.get(block.id))
  })
})

const standalones = recordings.flatMap(({ name, standalone }) =>
  standalone ? [{ name, ...standalone }] : [],
)

describe.each(standalones)('$name without a server', ({ run, exported }) => {
  const { state, issues, ending } = replay(run)
  const stored = replay(exported).state

  it('gives the same texts, calls and results as its export', () => {
    const withoutModel = (block: ConversationBlock) => ({ ...block, model: undefined })
    for (const type of ['assistant_text', 'tool_use', 'tool_result', 'subagent'] as const)
      expect(ofType(state, type).map(withoutModel)).toEqual(ofType(stored, type).map(withoutModel))
    expect(textsOf(state)).not.toEqual([])
    expect(issues).toEqual([])
    expect(ending).toBe('finished')
  })

  it('gives the same tokens as its export', () => {
    const figures = (usage: typeof state.usage) => usage.map(({ model, ...known }) => known)
    expect(figures(state.usage)).toEqual(figures(stored.usage))
    expect(state.usage).not.toEqual([])
  })

  it('shows a subagent with its report, but without its own blocks', () => {
    const factsOf = (of: typeof state) => of.subagents.map(({ blocks, usage, ...facts }) => facts)
    expect(factsOf(state)).toEqual(factsOf(stored))
    for (const { blocks } of state.subagents) expect(blocks).toEqual([])
  })
})

describe('lines of a run', () => {
  it('sum up to the cost of the session, each step once', () => {
    const { state } = readLines(finish('prt_1'), finish('prt_1'), finish('prt_2', { cost: 0.5 }))
    expect(state.session.costUsd).toBe(0.75)
    expect(state.usage).toHaveLength(1)
  })

  it('end with the error of the run', () => {
    const error = { name: 'APIError', data: { message: 'refused' } }
    const { state, ending } = readLines(text('prt_2', 'So'), {
      type: 'error',
      timestamp: 1,
      sessionID,
      error,
    })
    expect(ofType(state, 'error')).toMatchObject([{ message: 'refused', code: 'APIError' }])
    expect(ending).toBe('finished')
  })

  it('are interrupted if they end within a turn', () => {
    expect(readLines(line('step_start', { id: 'prt_0', type: 'step-start' })).ending).toBe('interrupted')
    expect(readLines(finish('prt_1', { reason: 'tool-calls' })).ending).toBe('interrupted')
  })

  it('are counted if their type is unknown', () => {
    const { state, issues } = readLines(line('tea', { id: 'p', type: 'tea' }), text('prt_2', 'Done.'))
    expect(issues).toEqual([{ code: 'unknown-message', count: 1, messageType: 'tea', line: 1 }])
    expect(textsOf(state)).toEqual(['Done.'])
  })
})
