import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../src/index.ts'
import { threadsOf } from '../recordings.ts'
import { child, delegation, main, question, read, Session, tokens } from './messages.ts'
import { recordings, replay } from './recordings.ts'
import { readBoth } from './stored.ts'

describe('tokens', () => {
  it('of reasoning are output, those of the cache stand apart', () => {
    const figures = tokens(10, 5, { reasoning: 7, cache: { read: 100, write: 20 } })
    const { state } = readBoth(...question, main.begun('msg_2'), main.completed('msg_2', { tokens: figures }))
    expect(state.usage).toEqual([
      {
        messageId: 'msg_2',
        final: true,
        model: 'mock-1',
        inputTokens: 10,
        outputTokens: 12,
        cacheReadTokens: 100,
        cacheWriteTokens: 20,
      },
    ])
  })

  it('are entered once for each message, however often they are told', () => {
    const figures = { tokens: tokens(10, 5) }
    const { state } = readBoth(
      ...question,
      main.begun('msg_2'),
      main.stepFinish('msg_2', 'prt_1', figures),
      main.completed('msg_2', figures),
      main.completed('msg_2', figures),
    )
    expect(state.usage).toMatchObject([{ messageId: 'msg_2', inputTokens: 10, outputTokens: 5, final: true }])
  })

  it('that are all zero are not known', () => {
    const { state } = readBoth(
      ...question,
      main.begun('msg_2'),
      main.completed('msg_2', { tokens: tokens(0, 0) }),
    )
    expect(state.usage).toEqual([])
  })

  it('that were told stay when a message without them follows', () => {
    const { state } = read(
      ...question,
      main.stepFinish('msg_2', 'prt_1', { tokens: tokens(10, 5) }),
      main.completed('msg_2', { tokens: undefined }),
      main.completed('msg_2', { tokens: tokens(0, 0) }),
    )
    expect(state.usage).toMatchObject([{ inputTokens: 10, outputTokens: 5 }])
  })

  it('are an early snapshot before the message is complete', () => {
    const { state } = read(...question, main.begun('msg_2', { tokens: tokens(10, 1) }))
    expect(state.usage).toMatchObject([{ messageId: 'msg_2', inputTokens: 10, final: false }])
  })

  it.each([null, 7, 'many', [], { input: '10', output: null }, { input: Number.MAX_VALUE, output: {} }])(
    'that are odd are read as far as they are figures: %j',
    (odd) => {
      const { state } = read(...question, main.completed('msg_2', { tokens: odd }))
      for (const { inputTokens, outputTokens } of state.usage) {
        expect(inputTokens).toBe(Number.MAX_VALUE)
        expect(outputTokens).toBeUndefined()
      }
    },
  )

  it('of a subagent are its own', () => {
    const { state } = readBoth(...delegation)
    expect(state.usage).toEqual([])
    expect(findSubagent(state, 'call-1')?.usage).toMatchObject([{ inputTokens: 10, outputTokens: 5 }])
  })

  it('of every message that is complete are in the ledger', () => {
    for (const { events, disk } of recordings)
      for (const raw of [events, disk])
        for (const { blocks, usage } of threadsOf(replay(raw).state)) {
          const entered = new Set(usage.map(({ messageId }) => messageId))
          const failed = new Set(blocks.map(({ id }) => id))
          const speaking = blocks.flatMap((block) => ('messageId' in block ? [block.messageId ?? ''] : []))
          for (const id of speaking) expect(entered.has(id) || failed.has(`${id}:error`)).toBe(true)
          expect(entered.size).toBe(usage.length)
          expect(usage.every(({ final }) => final)).toBe(true)
        }
  })
})

describe('the cost of a session', () => {
  it('is that of its subagents too, of all depths', () => {
    const inner = new Session('ses_inner', child.id)
    const costs = [
      main.updated({ cost: 0.1 }),
      child.created({ cost: 0 }),
      inner.created({ cost: 0.3 }),
      child.updated({ cost: 0.2 }),
    ]
    const { state } = read(main.created(), ...costs)
    expect(state.session.costUsd).toBe(0.6)
  })

  it('does not depend on the order in which it is told', () => {
    const costs = [main.updated({ cost: 0.1 }), child.created({ cost: 0.2 }), main.updated({ cost: 0.7 })]
    const forwards = read(main.created(), ...costs).state.session.costUsd
    const backwards = read(main.created(), child.created({ cost: 0.2 }), main.updated({ cost: 0.7 }))
    expect(forwards).toBe(backwards.state.session.costUsd)
    expect(forwards).toBe(0.9)
  })

  it('is what the session says, not the sum of what its steps say besides', () => {
    const step = main.stepFinish('msg_2', 'prt_1', { cost: 0.5, tokens: tokens(1, 1) })
    const { state } = readBoth(...question, main.begun('msg_2'), step, main.updated({ cost: 0.5 }))
    expect(state.session.costUsd).toBe(0.5)
  })

  it('is the sum of the steps until the session says more', () => {
    const step = main.stepFinish('msg_2', 'prt_1', { cost: 0.5 })
    expect(read(step).state.session.costUsd).toBe(0.5)
    expect(read(step, main.updated({ cost: 0.75 })).state.session.costUsd).toBe(0.75)
  })

  it('is not known where nothing was paid', () => {
    expect(read(...question, main.updated({ cost: 0 })).state.session).not.toHaveProperty('costUsd')
  })
})
