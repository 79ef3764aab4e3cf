import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashFirstAssistantResponse, hashUserMessage } from '../../../../src/entries/identity.ts'
import {
  type AgentEvent,
  createAgentRegistry,
  reduceAgentEvent,
  stepAgentEvent,
} from '../../../../src/entries/lineage.ts'
import { agentIn, completed, failed, hashOf, lost, run, runFrom, spawning, started, tick } from '../events.ts'

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
})

describe('the status of an agent', () => {
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

describe('an event', () => {
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
})

it('counts each of several open requests once, and runs until the last of them ends', () => {
  const request = fc.record({ input: fc.nat(99), isFailed: fc.boolean() })
  fc.assert(
    fc.property(
      fc.array(request, { minLength: 1, maxLength: 5 }),
      fc.infiniteStream(fc.nat()),
      (all, order) => {
        let registry = createAgentRegistry()
        const open = new Map<string, (typeof all)[number]>()
        const waiting = [...all.entries()]
        const unknown = { requestId: 'unknown' }
        const over = [completed('a', 1, { ...unknown, inputTokens: 99 }), failed('a', 1, unknown)]
        let tokens = 0
        let last = ''
        while (waiting.length > 0 || open.size > 0) {
          const at = order.next().value % (waiting.length + open.size)
          const next = at < waiting.length ? waiting.shift() : undefined
          if (next) {
            const requestId = `r${next[0]}`
            open.set(requestId, next[1])
            registry = runFrom(registry, [started('a', 1, { requestId })]).registry
          } else {
            const [requestId = '', ended] = [...open][at - waiting.length] ?? []
            open.delete(requestId)
            last = ended?.isFailed ? 'error' : 'complete'
            tokens += ended?.isFailed ? 0 : (ended?.input ?? 0)
            const event = ended?.isFailed
              ? failed('a', 1, { requestId })
              : completed('a', 1, { requestId, inputTokens: ended?.input })
            registry = runFrom(registry, [event]).registry
            over.push(event)
          }
          for (const event of over) expect(reduceAgentEvent(registry, event)).toBe(registry)
          const agent = agentIn(registry, 'a')
          expect(agent?.status).toBe(open.size > 0 ? 'streaming' : last)
          expect((agent?.usage.earlier.inputTokens ?? 0) + (agent?.usage.last.inputTokens ?? 0)).toBe(tokens)
        }
      },
    ),
  )
})

it('ends all open requests with an event that names none', () => {
  const open = [started('a', 0, { requestId: 'r1' }), started('a', 1, { requestId: 'r2' })]
  const { agents } = run(...open, failed('a', 2)).registry
  expect(agents).toMatchObject([{ status: 'error' }])
  expect(agents[0]).not.toHaveProperty('openRequests')
})

it.each<readonly [AgentEvent, AgentEvent, string]>([
  [completed('a', 2, { requestId: 'r1' }), lost('a', 3, 'r2'), 'complete'],
  [failed('a', 2, { requestId: 'r1' }), lost('a', 3, 'r2'), 'error'],
  [lost('a', 2, 'r1'), completed('a', 3, { requestId: 'r2' }), 'complete'],
  [lost('a', 2, 'r1'), lost('a', 3, 'r2'), 'error'],
])('a lost request leaves the status of an answer that came while it was open: %#', (first, last, status) => {
  const open = [started('a', 0, { requestId: 'r1' }), started('a', 1, { requestId: 'r2' })]
  const { registry } = run(...open, first)
  expect(agentIn(registry, 'a')).toMatchObject({ status: 'streaming', openRequests: ['r2'] })
  expect(agentIn(runFrom(registry, [last]).registry, 'a')).toMatchObject({ status })
})

it('a request that began without an id may end with one', () => {
  const { registry } = run(started('a', 0), completed('a', 1, { requestId: 'r1' }))
  expect(agentIn(registry, 'a')).toMatchObject({ status: 'complete', endedRequest: 'r1' })
  expect(reduceAgentEvent(registry, completed('a', 2, { requestId: 'r2' }))).toBe(registry)
})

it.each([
  ['x', true],
  [' ', false],
  ['', false],
])('a response %j is distinct: %s', (responseText, isDistinct) => {
  const { registry } = run(started('a', 0), completed('a', 1, { responseText }))
  expect(agentIn(registry, 'a')).toMatchObject({ isDistinct })
})

it('an agent that names its parent has the hash of the parent, and answers its claim alone', () => {
  const prompt = { promptHash: hashUserMessage('Do child.') }
  const { registry } = run(
    ...['main', 'other'].flatMap((id) => [
      started(id, 0),
      completed(id, 1),
      spawning(id, 2, { ...prompt, toolUseId: id }),
    ]),
    started('child', 3, { parentAgentId: 'other' }),
    started('second', 4, { parentAgentId: 'main' }),
    started('early', 5, { parentAgentId: 'unknown' }),
  )
  expect(registry.claims).toMatchObject([{ toolUseId: 'main' }])
  expect(['child', 'second', 'early'].map((id) => agentIn(registry, id)?.parentConversationHash)).toEqual([
    hashOf('other'),
    hashOf('main'),
    null,
  ])
})
