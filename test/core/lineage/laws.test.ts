import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentNode } from '../../../src/entries/index.ts'
import {
  type AgentEvent,
  type AgentRegistry,
  buildAgentTree,
  createAgentRegistry,
  reduceAgentEvent,
  stepAgentEvent,
} from '../../../src/entries/lineage.ts'
import { deepFreeze } from '../../objects.ts'
import { agentIn, run, runFrom, tick } from './events.ts'
import { agentLog, log } from './logs.ts'

const registryOf = (events: readonly AgentEvent[]) => run(...events).registry
/** The registry before the first event, and after each. */
function registriesOf(events: readonly AgentEvent[]): readonly AgentRegistry[] {
  const all = [createAgentRegistry()]
  for (const event of events) all.push(reduceAgentEvent(all.at(-1) ?? createAgentRegistry(), event))
  return all
}

describe('the registry', () => {
  it('accepts deeply frozen arguments and changes none', () => {
    fc.assert(
      fc.property(log, (events) => {
        let registry = deepFreeze(createAgentRegistry())
        for (const event of deepFreeze(structuredClone(events)))
          registry = deepFreeze(reduceAgentEvent(registry, event))
        expect(registry).toEqual(registryOf(events))
      }),
    )
  })

  it('continues from JSON as from the original', () => {
    fc.assert(
      fc.property(log, fc.nat(30), (events, at) => {
        const stored: AgentRegistry = JSON.parse(JSON.stringify(registryOf(events.slice(0, at))))
        expect(runFrom(stored, events.slice(at)).registry).toStrictEqual(registryOf(events))
      }),
    )
  })

  it('keeps its reference when an event repeats, except for a call without an id', () => {
    fc.assert(
      fc.property(log, (events) => {
        for (const [at, registry] of registriesOf(events).slice(1).entries()) {
          const event = events[at]
          if (!event || (event.type === 'agent:spawning' && !event.toolUseId)) continue
          if (event.type === 'agent:spawning' && event.lifetimeMs === 0) continue
          expect(reduceAgentEvent(registry, event)).toBe(registry)
        }
      }),
    )
  })

  it('keeps the reference of everything that an event does not change', () => {
    fc.assert(
      fc.property(log, (events) => {
        const registries = registriesOf(events)
        for (const [at, after] of registries.slice(1).entries()) {
          const before = registries[at]
          if (!before) continue
          expect(sharedIn(before, after)).toEqual(equalIn(before, after))
        }
      }),
    )
  })

  it('gives each part of a log the same result alone as mixed with an unrelated part', () => {
    const end = tick(10_000_000)
    fc.assert(
      fc.property(agentLog({ name: 'one ' }), agentLog({ name: 'two ' }), (one, two) => {
        const mixed = [...one, ...two].sort((left, right) => left.at - right.at)
        const { registry, issues } = run(...mixed, end)
        for (const alone of [run(...one, end), run(...two, end)]) {
          const ids = alone.registry.agents.map(({ id }) => id)
          const isOurs = (id: string) => ids.includes(id)
          expect(registry.agents.filter(({ id }) => isOurs(id)).map(unordered)).toEqual(
            alone.registry.agents.map(unordered),
          )
          // The events of the other part let time pass, so claims may expire in another order.
          const expired = registry.expiredClaims.filter(({ parentAgentId }) => isOurs(parentAgentId))
          expect(expired).toHaveLength(alone.registry.expiredClaims.length)
          expect(expired).toEqual(expect.arrayContaining([...alone.registry.expiredClaims]))
        }
        expect(issues.length).toBe(run(...one, end).issues.length + run(...two, end).issues.length)
      }),
    )
  })
})

describe('after any log', () => {
  it('children and parents have each other’s hash as soon as it is known', () => {
    fc.assert(
      fc.property(log, (events) => {
        for (const registry of registriesOf(events))
          for (const agent of registry.agents) {
            const { parentAgentId, parentConversationHash, childConversationHashes, id } = agent
            const parent = parentAgentId === undefined ? undefined : agentIn(registry, parentAgentId)
            expect(parentConversationHash).toBe(parent?.conversationHash ?? null)
            const children = registry.agents.filter((other) => other.parentAgentId === id)
            const hashes = children.flatMap(({ conversationHash }) => conversationHash ?? [])
            expect([...childConversationHashes].sort()).toEqual([...hashes].sort())
          }
      }),
    )
  })

  it('known hashes and parents never change', () => {
    fc.assert(
      fc.property(log, (events) => {
        const registries = registriesOf(events)
        const last = registries.at(-1)
        for (const { agents } of registries)
          for (const { id, conversationHash, parentAgentId } of agents) {
            const later = last && agentIn(last, id)
            if (conversationHash !== null) expect(later?.conversationHash).toBe(conversationHash)
            if (parentAgentId !== undefined) expect(later?.parentAgentId).toBe(parentAgentId)
          }
      }),
    )
  })

  it('open claims have time left, and each expired claim was reported once', () => {
    fc.assert(
      fc.property(log, (events) => {
        const last = events.at(-1)?.at ?? 0
        const { registry, issues } = run(...events, tick(last))
        expect(registry.claims.every(({ expiresAt }) => expiresAt > last)).toBe(true)
        const reported = issues.flatMap((issue) => (issue.code === 'expired-claim' ? issue.claim : []))
        expect(reported.map(withoutHash)).toEqual(registry.expiredClaims.map(withoutHash))
      }),
    )
  })

  it('each call has at most one child', () => {
    fc.assert(
      fc.property(log, (events) => {
        const { agents, claims, expiredClaims } = registryOf(events)
        const answered = agents.flatMap(({ parentAgentId, toolUseIds }) =>
          parentAgentId === undefined ? [] : toolUseIds.map((id) => JSON.stringify([parentAgentId, id])),
        )
        const waiting = [...claims, ...expiredClaims].flatMap(({ toolUseId, parentAgentId }) =>
          toolUseId === undefined ? [] : JSON.stringify([parentAgentId, toolUseId]),
        )
        const calls = [...new Set(answered), ...waiting]
        expect(new Set(calls).size).toBe(calls.length)
      }),
    )
  })

  it('each agent and each claim is in the tree once, and all tokens count once', () => {
    fc.assert(
      fc.property(log, (events) => {
        const registry = registryOf(events)
        const tree = buildAgentTree(registry)
        const nodes = tree.flatMap(allIn)
        expect(
          nodes.flatMap(({ conversationId: id, lineage }) => (lineage.includes('claim') ? [] : id)).sort(),
        ).toEqual(registry.agents.map(({ id }) => id).sort())
        expect(nodes.length).toBe(
          registry.agents.length + registry.claims.length + registry.expiredClaims.length,
        )
        expect(new Set(nodes.map(({ conversationId: id }) => id)).size).toBe(nodes.length)
        expect(nodes.some(({ lineage }) => lineage === 'cycle')).toBe(false)
        const messages = registry.agents.reduce(
          (sum, { usage }) => sum + usage.earlier.messages + usage.last.messages,
          0,
        )
        expect(tree.reduce((sum, { usage }) => sum + usage.total.final.messages, 0)).toBe(messages)
      }),
    )
  })

  it('an agent that starts moves none of its siblings', () => {
    fc.assert(
      fc.property(log, (events) => {
        const registries = registriesOf(events)
        for (const [at, event] of events.entries()) {
          if (event.type !== 'agent:started') continue
          // Time passes first, because a claim that expires may move.
          const before = siblingsIn(reduceAgentEvent(registries[at] ?? createAgentRegistry(), tick(event.at)))
          const after = siblingsIn(registries[at + 1] ?? createAgentRegistry())
          for (const [parent, ids] of before) {
            const left = new Set(after.get(parent))
            const old = new Set(ids)
            expect(after.get(parent)?.filter((id) => old.has(id)) ?? []).toEqual(
              ids.filter((id) => left.has(id)),
            )
          }
        }
      }),
    )
  })

  it('an orphan has no parent, is not main, and has an issue with the reason', () => {
    fc.assert(
      fc.property(log, fc.constantFrom('oldest', 'none'), (events, onAmbiguous) => {
        const { registry, issues } = runFrom(createAgentRegistry({ onAmbiguous }), events)
        for (const { id, isOrphan, parentAgentId, isMain } of registry.agents) {
          if (!isOrphan) continue
          expect([parentAgentId, isMain]).toEqual([undefined, false])
          expect(issues.some(({ code, agentId }) => agentId === id && /late|ambiguous/.test(code))).toBe(true)
        }
      }),
    )
  })
})

it('a step and a reduce give the same registry', () => {
  fc.assert(
    fc.property(log, (events) => {
      for (const [at, registry] of registriesOf(events).entries()) {
        const event = events[at]
        if (event) expect(stepAgentEvent(registry, event).registry).toEqual(reduceAgentEvent(registry, event))
      }
    }),
  )
})

function unordered({ completionOrder: _, ...agent }: AgentRegistry['agents'][number]): unknown {
  return agent
}

function withoutHash({ parentConversationHash: _, ...claim }: AgentRegistry['claims'][number]): unknown {
  return claim
}

function allIn(node: AgentNode): readonly AgentNode[] {
  return [node, ...node.children.flatMap(allIn)]
}

/** The ids of the children of each agent. */
function siblingsIn(registry: AgentRegistry): ReadonlyMap<string, readonly string[]> {
  const nodes = buildAgentTree(registry).flatMap(allIn)
  return new Map(
    nodes.map(({ conversationId: id, children }) => [id, children.map((child) => child.conversationId)]),
  )
}

/** Which lists, entries and claims are the same reference, and which are equal. */
function sharedIn(before: AgentRegistry, after: AgentRegistry): readonly boolean[] {
  return pairsOf(before, after).map(([left, right]) => left === right)
}
function equalIn(before: AgentRegistry, after: AgentRegistry): readonly boolean[] {
  return pairsOf(before, after).map(([left, right]) => JSON.stringify(left) === JSON.stringify(right))
}
function pairsOf(before: AgentRegistry, after: AgentRegistry): readonly (readonly [unknown, unknown])[] {
  return [
    [before, after],
    [before.agents, after.agents],
    [before.claims, after.claims],
    [before.expiredClaims, after.expiredClaims],
    ...before.agents.flatMap((agent, at) => {
      const later = after.agents[at]
      return [
        [agent, later],
        [agent.usage, later?.usage],
        [agent.childConversationHashes, later?.childConversationHashes],
      ] as const
    }),
  ]
}
