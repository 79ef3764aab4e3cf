import fc from 'fast-check'
import { castDraft, createDraft, finishDraft } from 'immer'
import { expect, it } from 'vitest'
import { type AgentRegistry, createAgentRegistry, reduceAgentEvent } from '../../../../src/entries/lineage.ts'
import { completed, failed, run, spawning, started } from '../events.ts'
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

const events = [
  started('main', 0, { isMain: true }),
  spawning('main', 1, { toolUseId: 't1' }),
  started('child', 2, { name: 'recon', toolUseId: 't1' }),
  completed('child', 3),
  completed('main', 4),
]

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

it('the link goes to the agent that matches the call, even if an earlier agent has the same id', () => {
  const { registry: base } = run(started('main', 0, { isMain: true }))
  const { registry: old } = run(started('twin', -60_000))
  const { registry: early } = run(started('twin', 1, { toolUseId: 't1' }))
  const agents = [old, early, base].flatMap((registry) => registry.agents)
  const next = reduceAgentEvent({ ...base, agents }, spawning('main', 2, { toolUseId: 't1' }))
  expect(next.agents.map(({ parentAgentId }) => parentAgentId)).toEqual([undefined, 'main', undefined])
})

it('a draft that its host extends between two events is read anew', () => {
  const draft = createDraft(reduceAgentEvent(run(...events).registry, failed('child', 5)))
  // The event changes nothing, so the registry after it is the draft.
  reduceAgentEvent(draft, failed('child', 5))
  draft.agents.push(...castDraft(run(started('late', 6)).registry.agents))
  expect(reduceAgentEvent(draft, failed('late', 7)).agents.at(-1)).toMatchObject({
    id: 'late',
    status: 'error',
  })
})

it('an event reads few agents of many', () => {
  const { registry } = run(
    started('main', 0, { isMain: true }),
    ...Array.from({ length: 200 }, (_, at) => [
      spawning('main', at, { toolUseId: `t${at}` }),
      started(`a${at}`, at, { toolUseId: `t${at}` }),
    ]).flat(),
  )
  let reads = 0
  const agents = registry.agents.map(({ id, ...agent }) => ({
    ...agent,
    get id() {
      reads += 1
      return id
    },
  }))
  const host = { ...registry, agents }
  reduceAgentEvent(host, failed('a7', 300))
  for (const event of [
    failed('a9', 301),
    failed('nobody', 302),
    started('a8', 303, { toolUseId: 't400' }),
    started('new', 304),
    completed('a10', 305),
    spawning('a11', 306, { toolUseId: 't401' }),
    spawning('main', 306, { toolUseId: 't402' }),
  ]) {
    reads = 0
    reduceAgentEvent(reduceAgentEvent(host, event), failed('a12', 307))
    expect(reads, `${event.type} at ${event.at}`).toBeLessThan(20)
  }
})

it('each child gets the parent’s hash, and the parent gets each child’s hash once', () => {
  const { registry } = run(
    started('main', 0, { isMain: true }),
    spawning('main', 1, { toolUseId: 't1' }),
    spawning('main', 1, { toolUseId: 't2' }),
    started('one', 2, { toolUseId: 't1' }),
    started('two', 2, { toolUseId: 't2' }),
    completed('main', 3),
    completed('one', 4),
    completed('one', 4),
    started('one', 5),
    completed('one', 6),
  )
  const [main, one, two] = registry.agents
  expect(main?.conversationHash).toEqual(expect.any(String))
  expect([one, two].map((agent) => agent?.parentConversationHash)).toEqual([
    main?.conversationHash,
    main?.conversationHash,
  ])
  expect(main?.childConversationHashes).toEqual([one?.conversationHash])
})
