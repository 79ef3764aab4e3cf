import { omitUndefined } from '../json/omit-undefined.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../state/session.ts'
import { isFinal } from '../state/subagent.ts'
import { carriedBy, compareBlocks } from './blocks.ts'
import { Comparison, type Context, type Conversation } from './comparison.ts'
import type { Pair, SessionDifference } from './difference.ts'
import { compareFields } from './fields.ts'
import type { Projected } from './projection.ts'
import { sharedIds } from './rules.ts'
import { compareUsage } from './usage.ts'

/** What is not the same in two states of one session, and what was left out because one side does not carry it. */
export interface SessionComparison {
  readonly differences: readonly SessionDifference[]
  readonly projected: readonly Projected[]
}

/**
 * Compares the state that a live stream led to with the one read from what the program stored: ids, order, texts, inputs,
 * outputs, statuses, lineage and final tokens, and times where both know them. What one side does not carry is projected
 * away by kind, and counted. Values that are nested deeper than 512 levels count as different.
 */
export function compareSessions(
  live: SessionConversationState,
  stored: SessionConversationState,
): SessionComparison {
  const comparison = new Comparison()
  const context = {
    program: stored.session.program ?? live.session.program,
    version: stored.session.version ?? live.session.version ?? '',
    comparison,
  }
  compareFields(
    { kind: 'session', conversationId: MAIN },
    { live: live.session, stored: stored.session },
    { maybeUnknown: ['id', 'model', 'cwd', 'program', 'version', 'tools', 'costUsd'] },
    comparison,
  )
  const pairs = pairsOf(live.subagents, stored.subagents)
  const ids = idsByConversation(stored)
  compareConversation({ id: MAIN, parentIds: new Set() }, { live, stored }, context)
  for (const { live, stored } of pairs) {
    if (!live || !stored) continue
    const parentIds = ids.get(stored.parentConversationId ?? '') ?? new Set()
    compareSubagent({ live, stored }, context)
    compareConversation({ id: stored.toolUseId, parentIds }, { live, stored }, context)
  }
  const unheard = new Set(
    pairs.flatMap(({ live, stored }) => (live?.blocks.length ? [] : (stored?.toolUseId ?? []))),
  )
  for (const pair of pairs) missSubagent(pair, unheard, context)
  return { differences: comparison.differences, projected: comparison.projected }
}

function compareConversation(
  place: Pick<Conversation, 'id' | 'parentIds'>,
  threads: Pair<ConversationThread>,
  context: Context,
): void {
  const carried = { live: carriedBy(threads.live), stored: carriedBy(threads.stored) }
  const conversation = { ...place, threads, carried }
  compareBlocks(conversation, context)
  compareUsage(conversation, context)
}

function idsByConversation(state: SessionConversationState): ReadonlyMap<string, ReadonlySet<string>> {
  const idsIn = ({ blocks }: ConversationThread) => new Set(blocks.flatMap(sharedIds))
  return new Map([
    [MAIN, idsIn(state)],
    ...state.subagents.map((each) => [each.toolUseId, idsIn(each)] as const),
  ])
}

function pairsOf(
  live: readonly SubagentState[],
  stored: readonly SubagentState[],
): readonly Partial<Pair<SubagentState>>[] {
  const storedById = new Map(stored.map((subagent) => [subagent.toolUseId, subagent]))
  const liveIds = new Set(live.map(({ toolUseId }) => toolUseId))
  return [
    ...live.map((subagent) => omitUndefined({ live: subagent, stored: storedById.get(subagent.toolUseId) })),
    ...stored.filter(({ toolUseId }) => !liveIds.has(toolUseId)).map((subagent) => ({ stored: subagent })),
  ]
}

function compareSubagent(pair: Pair<SubagentState>, { comparison }: Context): void {
  // Before 2.1 a call's result is the first to name the agent.
  const isRunning = !isFinal(pair.live.status) && !isFinal(pair.stored.status)
  compareFields(
    { kind: 'subagent', conversationId: pair.stored.toolUseId },
    pair,
    {
      ignored: ['blocks', 'usage'],
      maybeUnknown: ['runId', 'durationMs', ...(isRunning ? ['agentId'] : [])],
    },
    comparison,
  )
}

/** A subagent that only one side has heard of. */
function missSubagent(
  { live, stored }: Partial<Pair<SubagentState>>,
  unheard: ReadonlySet<string>,
  { program, comparison }: Context,
): void {
  const lone = live ?? stored
  if (!lone || (live && stored)) return
  const { toolUseId: conversationId, status, parentConversationId = '' } = lone
  const side = live ? 'live' : 'stored'
  if (!isFinal(status)) comparison.project('unfinished', side)
  // Where the stream has nothing of the conversation that called it, it cannot have the call.
  else if (program !== undefined && stored && unheard.has(parentConversationId))
    comparison.project('subagent-conversation', side)
  else comparison.differ(omitUndefined({ kind: 'missing-subagent', conversationId, live, stored }))
}
