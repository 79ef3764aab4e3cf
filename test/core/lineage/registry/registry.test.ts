import { describe, expect, it } from 'vitest'
import { hashFirstAssistantResponse } from '../../../../src/entries/identity.ts'
import { createAgentRegistry, reduceAgentEvent, stepAgentEvent } from '../../../../src/entries/lineage.ts'
import { agentIn, completed, failed, hashOf, run, spawning, started, tick } from '../events.ts'

it.each([
  ['agent:foo', '{"type":"agent:foo","at":1}'],
  ['object', '{"at":1}'],
  ['object', '{"type":{"toString":1},"at":1}'],
])('an event of an unknown type is an error that names the type: %s', (named, event) => {
  expect(() => reduceAgentEvent(createAgentRegistry(), JSON.parse(event))).toThrow(
    new TypeError(`no case for ${named}`),
  )
})

it('the registry is empty before the first event, and takes the oldest of equal claims', () => {
  expect(createAgentRegistry()).toEqual({ agents: [], claims: [], expiredClaims: [], onAmbiguous: 'oldest' })
})

describe('the hash of a conversation', () => {
  it('is not known before the first response has ended', () => {
    const { registry } = run(started('main', 0))
    expect(agentIn(registry, 'main')).toMatchObject({
      conversationHash: null,
      firstAssistantResponseHash: null,
    })
  })

  it('comes from the first response, and later responses do not change it', () => {
    const { registry } = run(
      started('main', 0),
      completed('main', 1),
      started('main', 2),
      completed('main', 3, { responseText: 'Something else.', inputTokens: 20 }),
    )
    expect(agentIn(registry, 'main')).toMatchObject({ conversationHash: hashOf('main'), inputTokens: 20 })
  })

  it.each(['', ' \n'])('comes from the empty text if the first response is %j', (text) => {
    const { registry } = run(started('main', 0), completed('main', 1, { responseText: text }))
    expect(agentIn(registry, 'main')?.conversationHash).toBe(hashOf('main', ''))
  })

  it('stays unknown if the host does not report the text', () => {
    const { registry } = run(started('main', 0), completed('main', 1, { responseText: undefined }))
    expect(agentIn(registry, 'main')?.conversationHash).toBeNull()
  })

  it('stays unknown if only later responses have a text, because it would be a wrong hash', () => {
    const { registry } = run(
      started('main', 0),
      completed('main', 1, { responseText: undefined }),
      started('main', 2),
      completed('main', 3),
    )
    expect(agentIn(registry, 'main')?.conversationHash).toBeNull()
  })

  it('stays unknown if a repeated completion reports the text of a later response', () => {
    const { registry } = run(
      started('main', 0),
      completed('main', 1, { responseText: undefined }),
      started('main', 2),
      completed('main', 3, { responseText: undefined }),
      completed('main', 3),
    )
    expect(agentIn(registry, 'main')?.conversationHash).toBeNull()
  })

  it.each([{ agentTypeHash: undefined }, { firstUserMessageHash: undefined }])(
    'stays unknown if the first request lacks a fact: %j',
    (missing) => {
      const { registry } = run(started('main', 0, missing), completed('main', 1))
      expect(agentIn(registry, 'main')).toMatchObject({
        firstAssistantResponseHash: hashFirstAssistantResponse('main is done.'),
        conversationHash: null,
      })
    },
  )

  it('is filled in when a repeated completion reports the first text', () => {
    const { registry } = run(
      started('main', 0),
      completed('main', 1, { responseText: undefined }),
      completed('main', 1),
    )
    expect(agentIn(registry, 'main')).toMatchObject({ conversationHash: hashOf('main'), inputTokens: 10 })
  })

  it('comes from the first complete response, after failed requests', () => {
    const { registry } = run(started('main', 0), failed('main', 1), started('main', 2), completed('main', 3))
    expect(agentIn(registry, 'main')).toMatchObject({ conversationHash: hashOf('main'), status: 'complete' })
  })

  it('counts the first 500 UTF-16 units of a response', () => {
    const { registry } = run(started('main', 0), completed('main', 1, { responseText: 'a'.repeat(1000) }))
    expect(agentIn(registry, 'main')?.conversationHash).toBe(hashOf('main', 'a'.repeat(500)))
  })

  it('keeps the agent type of the first request, although the tools change', () => {
    const { registry } = run(
      started('main', 0),
      started('main', 1, { agentTypeHash: 'other' }),
      completed('main', 2),
    )
    expect(agentIn(registry, 'main')).toMatchObject({
      agentTypeHash: 'type',
      conversationHash: hashOf('main'),
    })
  })
})

describe('the status of an agent', () => {
  it('is that of its last request', () => {
    const statuses = [
      [started('main', 0)],
      [started('main', 0), completed('main', 1)],
      [started('main', 0), failed('main', 1)],
      [started('main', 0), failed('main', 1), started('main', 2)],
      [started('main', 0), completed('main', 1), failed('main', 2)],
      [started('main', 0), completed('main', 1), started('main', 2)],
    ].map((events) => agentIn(run(...events).registry, 'main')?.status)
    expect(statuses).toEqual(['streaming', 'complete', 'error', 'streaming', 'error', 'streaming'])
  })

  it('has the latest time, whatever order its events come in', () => {
    const { registry } = run(started('main', 0), completed('main', 10), started('main', 5))
    expect(agentIn(registry, 'main')).toMatchObject({ startTime: 0, lastUpdateTime: 10 })
  })

  it('numbers agents in the order of their first completion', () => {
    const { registry } = run(
      started('a', 0),
      started('b', 1),
      completed('b', 2),
      completed('a', 3),
      completed('b', 4),
    )
    expect(registry.agents.map(({ completionOrder }) => completionOrder)).toEqual([1, 0])
  })
})

describe('tokens', () => {
  it('are kept for the last response and for all responses', () => {
    const { registry } = run(
      started('main', 0),
      completed('main', 1, { inputTokens: 10, outputTokens: 2 }),
      started('main', 2),
      completed('main', 3, { inputTokens: 30, outputTokens: 4 }),
    )
    expect(agentIn(registry, 'main')).toMatchObject({
      inputTokens: 30,
      outputTokens: 4,
      usage: {
        earlier: { messages: 1, inputTokens: 10, outputTokens: 2 },
        last: { messages: 1, inputTokens: 30, outputTokens: 4 },
      },
    })
  })

  it('do not count twice if a completion is repeated', () => {
    const { registry } = run(
      started('main', 0),
      completed('main', 1, { inputTokens: 10, outputTokens: 1 }),
      completed('main', 2, { outputTokens: 7 }),
    )
    expect(agentIn(registry, 'main')?.usage).toEqual({
      earlier: { messages: 0 },
      last: { messages: 1, inputTokens: 10, outputTokens: 7 },
    })
  })

  it.each([{ inputTokens: 70 }, { outputTokens: 70 }])(
    'are the newer ones if a completion is repeated: %j',
    (tokens) => {
      const { registry } = run(
        started('main', 0),
        completed('main', 1),
        completed('main', 2, { inputTokens: undefined, outputTokens: undefined, ...tokens }),
      )
      const latest = { inputTokens: 10, outputTokens: 2, ...tokens }
      expect(agentIn(registry, 'main')).toMatchObject({ ...latest, usage: { last: latest } })
    },
  )

  it('are absent while they are unknown', () => {
    const { registry } = run(
      started('main', 0),
      completed('main', 1, { inputTokens: undefined, outputTokens: undefined }),
    )
    expect(agentIn(registry, 'main')?.usage.last).toEqual({ messages: 1 })
  })
})

describe('an event', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY])('without a time is refused: %d', (at) => {
    expect(() => run(tick(at))).toThrow(RangeError)
  })

  it('of an unknown agent changes nothing and is an issue', () => {
    const empty = createAgentRegistry()
    for (const event of [spawning('x', 0), completed('x', 0), failed('x', 0)]) {
      const step = stepAgentEvent(empty, event)
      expect(step.registry).toBe(empty)
      expect(step.issues).toEqual([{ code: 'unknown-agent', agentId: 'x' }])
    }
  })

  it('that changes nothing gives the same registry', () => {
    const { registry } = run(started('main', 0), completed('main', 1), spawning('main', 2))
    expect(reduceAgentEvent(registry, tick(3))).toBe(registry)
    expect(reduceAgentEvent(registry, completed('main', 1))).toBe(registry)
  })

  it('keeps the references of other agents', () => {
    const { registry } = run(started('a', 0), started('b', 1))
    const next = reduceAgentEvent(registry, completed('b', 2))
    expect(next.agents[0]).toBe(registry.agents[0])
    expect(registry.agents[1]?.status).toBe('streaming')
  })
})
