import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MessageUsage } from '../../../src/core/state/session.ts'
import type {
  ConversationBlock,
  SessionConversationState,
  SubagentState,
} from '../../../src/entries/index.ts'
import { compareSessions, type SessionDifference, type Side } from '../../../src/entries/parity.ts'
import { runs } from '../../depth.ts'
import {
  blockOf,
  blockPlace,
  changed,
  changesOf,
  differencesOf,
  keyOf,
  type Place,
  places,
  side,
  threadOf,
  values,
  withBlocks,
} from './changed-sessions.ts'
import { otherSide } from './sessions.ts'

describe('one change on one side', () => {
  it('of a final block is the only difference, with its place and both values', () => {
    fc.assert(
      fc.property(blockPlace, fc.nat(), ({ place, key, side }, nth) => {
        const block = blockOf(place, side, key)
        const changes = changesOf(block)
        const [field, value] = changes[nth % changes.length] ?? ['', '']
        const after: ConversationBlock = Object.assign({ ...block }, { [field]: value })
        const session = changed(place, side, ({ blocks }) => ({
          blocks: blocks.map((each) => (each === block ? after : each)),
        }))
        const other = blockOf(place, otherSide(side), key)
        expect(differencesOf(session)).toStrictEqual([
          {
            kind: 'block',
            conversationId: place.conversationId,
            id: blockOf(place, 'stored', key).id,
            field,
            ...values(side, value, Reflect.get(other, field)),
          },
        ])
      }),
      { numRuns: runs(2000) },
    )
  })

  it('that removes a text, a call, a result or an agent’s call from main is reported', () => {
    const types: readonly string[] = ['assistant_text', 'tool_use', 'tool_result', 'subagent']
    const ofMain = blockPlace.filter(
      ({ place, key, side }) =>
        place.conversationId === 'main' && types.includes(blockOf(place, side, key).type),
    )
    fc.assert(fc.property(ofMain.filter(isNotCut), expectLossReported), { numRuns: runs(1000) })
  })

  it('that removes a call or a result from a subagent is reported, unless the subagent becomes empty', () => {
    const ofSubagent = blockPlace.filter(
      ({ place, key, side }) =>
        place.conversationId !== 'main' &&
        ['tool_use', 'tool_result'].includes(blockOf(place, side, key).type) &&
        threadOf(place, side).blocks.length > 1,
    )
    fc.assert(fc.property(ofSubagent, expectLossReported), { numRuns: runs(500) })
  })

  // A text that the person interrupted may be missing on disk.
  function isNotCut({ place, key, side }: { place: Place; key: string; side: Side }): boolean {
    const { blocks } = threadOf(place, 'live')
    const next = blocks[blocks.findIndex(({ id }) => id === blockOf(place, side, key).id) + 1]
    return side === 'live' || !(next?.type === 'system' && next.subtype === 'interruption')
  }

  function expectLossReported({ place, key, side }: { place: Place; key: string; side: Side }): void {
    const block = blockOf(place, side, key)
    const session = changed(place, side, ({ blocks }) => ({
      blocks: blocks.filter((each) => each !== block),
    }))
    const other = blockOf(place, otherSide(side), key)
    const { conversationId } = place
    expect(differencesOf(session)).toContainEqual({
      kind: 'missing-block',
      conversationId,
      id: other.id,
      [otherSide(side)]: other,
    })
  }

  it('of the order is reported with both orders, unless a result moves', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...withBlocks),
        side,
        fc.nat(),
        fc.nat(),
        ({ place, keys }, side, from, to) => {
          const movable = keys.filter((key) => blockOf(place, side, key).type !== 'tool_result')
          fc.pre(movable.length > 1)
          const one = blockOf(place, side, movable[from % movable.length] ?? '')
          const two = blockOf(place, side, movable[to % movable.length] ?? '')
          // Lines of `run` report calls as they finish.
          fc.pre(one !== two && place.session.live.blocks.some(({ type }) => type === 'user_message'))
          const session = changed(place, side, ({ blocks }) => ({
            blocks: blocks.map((each) => (each === one ? two : each === two ? one : each)),
          }))
          const [difference, ...others] = differencesOf(session)
          expect(others).toEqual([])
          expect(difference).toMatchObject({ kind: 'order', conversationId: place.conversationId })
          const { live, stored } = ordersIn(difference)
          expect(new Set(live.map(callOf(place, 'live')))).toEqual(
            new Set(stored.map(callOf(place, 'stored'))),
          )
          const moved = side === 'live' ? live : stored
          expect([moved[0], moved.at(-1)].sort()).toEqual([one.id, two.id].sort())
        },
      ),
      { numRuns: runs(500) },
    )
  })

  it.each(['parentConversationId', 'agentId', 'status', 'output', 'prompt', 'name'] as const)(
    'of a subagent’s %s is reported, with both values',
    (field) => {
      const subagents = places.filter(({ conversationId }) => conversationId !== 'main')
      fc.assert(
        fc.property(fc.constantFrom(...subagents), side, (place, side) => {
          const { conversationId } = place
          const value = field === 'status' ? 'pending' : 'another'
          const find = (state: SessionConversationState) =>
            state.subagents.find(({ toolUseId }) => toolUseId === conversationId)
          const other = find(place.session[otherSide(side)])?.[field]
          const session = changed(place, side, () => ({ [field]: value }))
          expect(differencesOf(session)).toContainEqual({
            kind: 'subagent',
            conversationId,
            field,
            ...values(side, value, other),
          })
        }),
      )
    },
  )

  it('that removes a final subagent is reported', () => {
    const subagents = places.filter(({ conversationId }) => conversationId !== 'main')
    fc.assert(
      fc.property(fc.constantFrom(...subagents), side, ({ session, conversationId }, side) => {
        const isIt = ({ toolUseId }: SubagentState) => toolUseId === conversationId
        const lost = session[otherSide(side)].subagents.find(isIt)
        const subagents = session[side].subagents.filter((each) => !isIt(each))
        const { differences } = compareSessions(
          side === 'live' ? { ...session.live, subagents } : session.live,
          side === 'stored' ? { ...session.stored, subagents } : session.stored,
        )
        expect(differences).toContainEqual({
          kind: 'missing-subagent',
          conversationId,
          [otherSide(side)]: lost,
        })
      }),
    )
  })

  it('of a final figure is reported with its message and both values', () => {
    const finals = places.flatMap((place) => finalUsage(place).map((messageId) => ({ place, messageId })))
    const figures = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const
    fc.assert(
      fc.property(
        fc.constantFrom(...finals),
        side,
        fc.constantFrom(...figures),
        ({ place, messageId }, side, field) => {
          const isIt = (entry: MessageUsage) => entry.messageId === messageId
          const own = threadOf(place, side).usage.find(isIt)
          const other = threadOf(place, otherSide(side)).usage.find(isIt)
          const value = (own?.[field] ?? 0) + 1
          const session = changed(place, side, ({ usage }) => ({
            usage: usage.map((entry) => (isIt(entry) ? { ...entry, [field]: value } : entry)),
          }))
          expect(differencesOf(session)).toStrictEqual([
            {
              kind: 'usage',
              conversationId: place.conversationId,
              id: messageId,
              field,
              ...values(side, value, other?.[field]),
            },
          ])
        },
      ),
      { numRuns: runs(500) },
    )
  })
})

function ordersIn(difference: SessionDifference | undefined): {
  readonly live: readonly string[]
  readonly stored: readonly string[]
} {
  const idsIn = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])
  return { live: idsIn(difference?.live), stored: idsIn(difference?.stored) }
}

const callOf = (place: Place, side: Side) => (id: string) => {
  const block = threadOf(place, side).blocks.find((each) => each.id === id)
  return block ? keyOf(block) : id
}

function finalUsage(place: Place): readonly string[] {
  const idsIn = (side: Side) =>
    threadOf(place, side)
      .usage.filter(({ final }) => final)
      .map(({ messageId }) => messageId)
  const stored = new Set(idsIn('stored'))
  return idsIn('live').filter((id) => stored.has(id))
}
