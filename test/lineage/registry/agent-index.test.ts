import fc from 'fast-check'
import { castDraft, createDraft, finishDraft, produce } from 'immer'
import { expect, it } from 'vitest'
import { type AgentRegistry, createAgentRegistry, reduceAgentEvent } from '../../../src/lineage/index.ts'
import { completed, run, spawning, started } from '../events.ts'
import { log } from '../logs.ts'

// The registries of one log share an index, so an event on an older one must not see agents of a newer one.
it('an event on any earlier registry gives the same as on a copy without an index', () => {
  fc.assert(
    fc.property(log, log, fc.infiniteStream(fc.nat(100)), (one, two, choices) => {
      const registries: AgentRegistry[] = [createAgentRegistry()]
      for (const event of [...one, ...two]) {
        const chosen = registries[(choices.next().value ?? 0) % registries.length] ?? createAgentRegistry()
        const next = reduceAgentEvent(chosen, event)
        expect(next).toStrictEqual(reduceAgentEvent(structuredClone(chosen), event))
        registries.push(next)
      }
    }),
  )
})

it('a registry whose host has dropped agents is indexed again', () => {
  const { registry } = run(
    started('a', 0),
    started('b', 1),
    started('c', 2),
    completed('a', 3),
    completed('c', 4),
  )
  const kept: AgentRegistry = { ...registry, agents: registry.agents.filter(({ id }) => id !== 'a') }
  const next = reduceAgentEvent(kept, completed('b', 5))
  expect(next.agents.map(({ id, completionOrder }) => [id, completionOrder])).toEqual([
    ['b', 2],
    ['c', 1],
  ])
  expect(reduceAgentEvent(kept, started('a', 6)).agents).toHaveLength(3)
})

it('the first of two agents with one id takes its events', () => {
  const { registry } = run(started('a', 0), started('b', 1))
  const [first, second] = registry.agents
  const bad: AgentRegistry = { ...registry, agents: [first, second, first].flatMap((agent) => agent ?? []) }
  expect(reduceAgentEvent(bad, completed('a', 2)).agents.map(({ status }) => status)).toEqual([
    'complete',
    'streaming',
    'streaming',
  ])
})

const events = [
  started('main', 0, { isMain: true }),
  spawning('main', 1, { toolUseId: 't1' }),
  started('child', 2, { name: 'recon', toolUseId: 't1' }),
  completed('child', 3),
  completed('main', 4),
]

it('the registry may be part of a state that the host updates with immer', () => {
  const state = events.reduce(
    (before, event) =>
      produce(before, (draft) => {
        draft.registry = castDraft(reduceAgentEvent(draft.registry, event))
      }),
    { registry: createAgentRegistry() },
  )
  expect(state.registry).toEqual(run(...events).registry)
})

it('a draft that its host changes between two events is read anew', () => {
  const draft = createDraft({ registry: run(...events).registry })
  draft.registry = castDraft(reduceAgentEvent(draft.registry, started('late', 5)))
  draft.registry.agents.splice(0, 1)
  draft.registry = castDraft(reduceAgentEvent(draft.registry, started('later', 6)))
  expect(finishDraft(draft).registry.agents.map(({ id }) => id)).toEqual(['child', 'late', 'later'])
})

it('an agent that two registries have at different positions is found in both', () => {
  const { registry: base } = run(started('main', 0))
  const longer = [started('a', 1), started('b', 2)].reduce(reduceAgentEvent, base)
  const shorter = reduceAgentEvent(base, started('b', 3))
  const statuses = ({ agents }: AgentRegistry) => agents.map(({ id, status }) => `${id} ${status}`)
  expect(statuses(reduceAgentEvent(longer, completed('b', 4)))).toEqual([
    'main streaming',
    'a streaming',
    'b complete',
  ])
  expect(statuses(reduceAgentEvent(shorter, completed('b', 4)))).toEqual(['main streaming', 'b complete'])
})

it('the child of another registry gets no hash from the parent', () => {
  const { registry: base } = run(started('main', 0))
  const called = reduceAgentEvent(base, spawning('main', 1, { toolUseId: 't1' }))
  const linked = reduceAgentEvent(called, started('child', 2, { name: 'recon', toolUseId: 't1' }))
  expect(linked.agents[1]?.parentAgentId).toBe('main')
  const apart = reduceAgentEvent(base, started('other', 3))
  const [main, other] = reduceAgentEvent(apart, completed('main', 4)).agents
  expect(main?.conversationHash).toEqual(expect.any(String))
  expect(other?.parentConversationHash).toBe(null)
})
