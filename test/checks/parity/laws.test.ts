import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ConversationBlock, SessionConversationState } from '../../../src/entries/index.ts'
import { compareSessions, type SessionDifference, type Side } from '../../../src/entries/parity.ts'
import { runs } from '../../depth.ts'
import { allSessions } from './sessions.ts'

const side = fc.constantFrom<Side>('live', 'stored')
const isFinished = ({ status }: ConversationBlock) => status !== 'pending' && status !== 'running'

/** A state, and a copy with random changes. The program is unknown, so that the comparison excludes none of its content. */
const drifted = fc
  .record({ session: fc.constantFrom(...allSessions), side, seed: fc.array(fc.nat(), { maxLength: 12 }) })
  .map(({ session, side, seed }) => {
    const { program, ...facts } = session[side].session
    const state = { ...session[side], session: facts }
    return { state, other: seed.reduce(drift, state) }
  })

function drift(state: SessionConversationState, seed: number): SessionConversationState {
  const at = seed % Math.max(1, state.blocks.length)
  const block = state.blocks[at]
  const rest = state.blocks.filter((each) => each !== block)
  switch (seed % 5) {
    case 0:
      return { ...state, blocks: rest }
    case 1:
      return { ...state, blocks: block ? [...rest, block] : rest }
    case 2:
      return { ...state, subagents: state.subagents.slice(1) }
    case 3:
      return { ...state, usage: state.usage.slice(1), session: { ...state.session, cwd: `/srv/${seed}` } }
    default:
      return {
        ...state,
        blocks: state.blocks.map((each) => (each === block ? { ...each, timestamp: `${seed}` } : each)),
      }
  }
}

describe('the comparison', () => {
  it('gives the same differences with swapped sides', () => {
    fc.assert(
      fc.property(drifted, ({ state, other }) => {
        const there = compareSessions(state, other)
        const back = compareSessions(other, state)
        expect(new Set(back.differences.map(swapped).map(asText))).toEqual(
          new Set(there.differences.map(idless).map(asText)),
        )
      }),
      { numRuns: runs(300) },
    )
  })

  it('finds a difference exactly if the states differ', () => {
    fc.assert(
      fc.property(drifted, ({ state, other }) => {
        const { differences } = compareSessions(state, other)
        if (other === state) expect(differences).toEqual([])
        const lost = state.blocks.filter(
          (block) => isFinished(block) && !other.blocks.some(({ id }) => id === block.id),
        )
        const missing = differences.filter(
          ({ kind, conversationId, live }) =>
            kind === 'missing-block' && conversationId === 'main' && live !== undefined,
        )
        expect(missing.map(({ id }) => id)).toEqual(lost.map(({ id }) => id))
      }),
      { numRuns: runs(300) },
    )
  })

  it('accepts frozen states', () => {
    for (const { live, stored } of allSessions) {
      const before = structuredClone([live, stored])
      compareSessions(deepFrozen(structuredClone(live)), deepFrozen(structuredClone(stored)))
      compareSessions(live, stored)
      expect([live, stored]).toEqual(before)
    }
  })

  it('gives the same, without undefined values, for states that were serialized as JSON', () => {
    fc.assert(
      fc.property(drifted, ({ state, other }) => {
        const comparison = compareSessions(state, other)
        expect(asJson(comparison)).toStrictEqual(comparison)
        expect(compareSessions(asJson(state), asJson(other))).toStrictEqual(comparison)
      }),
      { numRuns: runs(100) },
    )
    for (const { live, stored } of allSessions)
      expect(asJson(compareSessions(live, stored))).toStrictEqual(compareSessions(live, stored))
  })
})

/** The id of an order difference is the live side's first block, so it changes with swapped sides. */
function idless(difference: SessionDifference): SessionDifference {
  if (difference.kind !== 'order') return difference
  const { id, ...rest } = difference
  return rest
}

function swapped(difference: SessionDifference): SessionDifference {
  const { live, stored, ...rest } = idless(difference)
  return {
    ...rest,
    ...(stored !== undefined && { live: stored }),
    ...(live !== undefined && { stored: live }),
  }
}

const asText = (difference: SessionDifference) =>
  JSON.stringify(Object.entries(difference).sort(([left], [right]) => (left < right ? -1 : 1)))

const asJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

function deepFrozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) deepFrozen(inner)
  return Object.freeze(value)
}
