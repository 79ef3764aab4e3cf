import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../../src/entries/index.ts'
import { threadsOf } from '../../recordings.ts'
import { child, delegation, main, prompt, readEvents, SessionEvents, tokens } from '../messages.ts'
import { recordings, replay } from '../recordings.ts'
import { readBoth } from '../stored.ts'

describe('tokens', () => {
  it('count reasoning as output, and the cache apart', () => {
    const figures = tokens(10, 5, { reasoning: 7, cache: { read: 100, write: 20 } })
    const { state } = readBoth(
      ...prompt,
      main.assistantStart('msg_2'),
      main.assistantEnd('msg_2', { tokens: figures }),
    )
    expect(state.usage).toEqual([
      {
        messageId: 'msg_2',
        final: true,
        model: 'mock-1',
        inputTokens: 10,
        outputTokens: 12,
        reasoningTokens: 7,
        cacheReadTokens: 100,
        cacheWriteTokens: 20,
      },
    ])
  })

  it('are counted once a message, however many events report them', () => {
    const figures = { tokens: tokens(10, 5) }
    const { state } = readBoth(
      ...prompt,
      main.assistantStart('msg_2'),
      main.stepFinish('msg_2', 'prt_1', figures),
      main.assistantEnd('msg_2', figures),
      main.assistantEnd('msg_2', figures),
    )
    expect(state.usage).toMatchObject([{ messageId: 'msg_2', inputTokens: 10, outputTokens: 5, final: true }])
  })

  it('are unknown if all are zero', () => {
    const { state } = readBoth(
      ...prompt,
      main.assistantStart('msg_2'),
      main.assistantEnd('msg_2', { tokens: tokens(0, 0) }),
    )
    expect(state.usage).toEqual([])
  })

  it('stay when a later event has none', () => {
    const { state } = readEvents(
      ...prompt,
      main.stepFinish('msg_2', 'prt_1', { tokens: tokens(10, 5) }),
      main.assistantEnd('msg_2', { tokens: undefined }),
      main.assistantEnd('msg_2', { tokens: tokens(0, 0) }),
    )
    expect(state.usage).toMatchObject([{ inputTokens: 10, outputTokens: 5 }])
  })

  it('are an early snapshot before the message is complete', () => {
    const { state } = readEvents(...prompt, main.assistantStart('msg_2', { tokens: tokens(10, 1) }))
    expect(state.usage).toMatchObject([{ messageId: 'msg_2', inputTokens: 10, final: false }])
  })

  it.each([null, 7, 'many', [], { input: '10', output: null }, { input: Number.MAX_VALUE, output: {} }])(
    'are read as far as they are numbers: %j',
    (odd) => {
      const { state } = readEvents(...prompt, main.assistantEnd('msg_2', { tokens: odd }))
      for (const { inputTokens, outputTokens } of state.usage) {
        expect(inputTokens).toBe(Number.MAX_VALUE)
        expect(outputTokens).toBeUndefined()
      }
    },
  )

  it('belong to the subagent that used them', () => {
    const { state } = readBoth(...delegation)
    expect(state.usage).toEqual([])
    expect(findSubagent(state, 'call-1')?.usage).toMatchObject([{ inputTokens: 10, outputTokens: 5 }])
  })

  it('are reported for every complete message', () => {
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
  it('includes its subagents of all depths', () => {
    const inner = new SessionEvents('ses_inner', child.id)
    const costs = [
      main.updated({ cost: 0.1 }),
      child.created({ cost: 0 }),
      inner.created({ cost: 0.3 }),
      child.updated({ cost: 0.2 }),
    ]
    const { state } = readEvents(main.created(), ...costs)
    expect(state.session.costUsd).toBe(0.6)
  })

  it('does not depend on the order of the events', () => {
    const costs = [main.updated({ cost: 0.1 }), child.created({ cost: 0.2 }), main.updated({ cost: 0.7 })]
    const forwards = readEvents(main.created(), ...costs).state.session.costUsd
    const backwards = readEvents(main.created(), child.created({ cost: 0.2 }), main.updated({ cost: 0.7 }))
    expect(forwards).toBe(backwards.state.session.costUsd)
    expect(forwards).toBe(0.9)
  })

  it('is the session’s own figure, without the sum of its steps', () => {
    const step = main.stepFinish('msg_2', 'prt_1', { cost: 0.5, tokens: tokens(1, 1) })
    const { state } = readBoth(...prompt, main.assistantStart('msg_2'), step, main.updated({ cost: 0.5 }))
    expect(state.session.costUsd).toBe(0.5)
  })

  it('is the sum of the steps until the session reports its cost', () => {
    const step = main.stepFinish('msg_2', 'prt_1', { cost: 0.5 })
    expect(readEvents(step).state.session.costUsd).toBe(0.5)
    expect(readEvents(step, main.updated({ cost: 0.75 })).state.session.costUsd).toBe(0.75)
  })

  it('is unknown if it is zero', () => {
    expect(readEvents(...prompt, main.updated({ cost: 0 })).state.session).not.toHaveProperty('costUsd')
  })
})
