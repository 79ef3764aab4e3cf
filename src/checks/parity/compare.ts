import { isEqual } from '../../core/json/equal.ts'
import { type ConversationThread, MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { type Coverage, sharedIds } from '../../programs/coverage.ts'
import { coverageOf, coverageOfFiles } from '../../programs/coverages.ts'
import { alignByContent, mergeTexts } from './align/align-by-content.ts'
import { alignIds, needsAlignment } from './align/align-ids.ts'
import { workKey } from './blocks/block-keys.ts'
import { compareBlocks, summarizeContent } from './blocks/compare-blocks.ts'
import {
  Comparison,
  type ComparisonContext,
  type ConversationPair,
  type ExcludedContent,
  type Pair,
  type SessionDifference,
} from './comparison.ts'
import { reopenAgents } from './reopen-agents.ts'
import { compareSessionFacts, compareTurns, hasOwnFacts } from './session-facts.ts'
import { compareSubagent, compareUnmatchedSubagent, pairsOf } from './subagents.ts'
import { compareTodos } from './todos.ts'
import { compareUsage } from './usage.ts'

/** The differences between two states of one session. */
export interface SessionComparison {
  readonly differences: readonly SessionDifference[]
  /** The content that the comparison ignored because one side never records it, counted by kind. */
  readonly excluded: readonly ExcludedContent[]
}

/**
 * Compares the state of a live stream with the state of the stored files of the same session. It compares ids, order, texts, inputs,
 * outputs, statuses, lineage and final tokens, and times that both sides know. The comparison ignores content that one side never
 * records, by kind and never by id, and counts it in `excluded`. Values nested deeper than 512 levels count as different.
 */
export function compareSessions(
  live: SessionConversationState,
  stored: SessionConversationState,
): SessionComparison {
  return compareOpen(reopenAgents(live), reopenAgents(stored))
}

function compareOpen(live: SessionConversationState, stored: SessionConversationState): SessionComparison {
  const comparison = new Comparison()
  const coverage = coverageBetween(live, stored)
  if (coverage?.alignsByContent) {
    const merged = { live: mergeTexts(live), stored: mergeTexts(stored) }
    return compareAligned(alignByContent(merged.live, merged.stored), merged.stored, coverage, comparison)
  }
  if (coverage && needsAlignment([live, stored], coverage))
    return compareAligned(alignIds(live, stored), stored, coverage, comparison)
  return compareStates(live, stored, coverage, comparison)
}

/** A protocol that carried one side alone is compared with the format of the other side. */
function coverageBetween(
  live: SessionConversationState,
  stored: SessionConversationState,
): Coverage | undefined {
  const protocol = live.session.protocol ?? stored.session.protocol
  if (live.session.protocol !== stored.session.protocol) return coverageOfFiles(protocol)
  return coverageOf(protocol ?? stored.session.program ?? live.session.program)
}

/** Each side has usage under its own ids, so only the numbers of entries are counted. */
function compareAligned(
  live: SessionConversationState,
  stored: SessionConversationState,
  coverage: Coverage,
  comparison: Comparison,
): SessionComparison {
  const count = (state: SessionConversationState) =>
    [state, ...state.subagents].reduce((sum, { usage }) => sum + usage.length, 0)
  comparison.exclude('unseen-usage', 'live', isEqual(live, stored) ? 0 : count(live))
  comparison.exclude('unseen-usage', 'stored', isEqual(live, stored) ? 0 : count(stored))
  return compareStates(withoutUsage(live), withoutUsage(stored), coverage, comparison)
}

function withoutUsage(state: SessionConversationState): SessionConversationState {
  return { ...state, usage: [], subagents: state.subagents.map((agent) => ({ ...agent, usage: [] })) }
}

function compareStates(
  live: SessionConversationState,
  stored: SessionConversationState,
  coverage: Coverage | undefined,
  comparison: Comparison,
): SessionComparison {
  const context = {
    coverage,
    version: stored.session.version ?? live.session.version ?? '',
    comparison,
  }
  compareSessionFacts({ live: live.session, stored: stored.session }, context)
  compareTurns({ live: live.turn, stored: stored.turn }, context)
  const pairs = pairsOf(live.subagents, stored.subagents)
  const isShort = coverage?.isShort?.(summarizeContent(live)) === true
  const isOwn = hasOwnFacts('todos', context)
  compareTodos({ live, stored }, pairs, { comparison, isShort, isOwn })
  const ids = idsByConversation(stored)
  const agentWork = { live: agentWorkIn(live), stored: agentWorkIn(stored) }
  compareConversation({ id: MAIN, parentIds: new Set(), agentWork }, { live, stored }, context)
  for (const { live, stored } of pairs) {
    if (!live || !stored) continue
    const parentIds = ids.get(stored.parentConversationId ?? '') ?? new Set()
    compareSubagent({ live, stored }, context)
    compareConversation({ id: stored.toolUseId, parentIds, agentWork }, { live, stored }, context)
  }
  const parentsWithoutLiveBlocks = new Set(
    pairs.flatMap(({ live, stored }) => (live?.blocks.length ? [] : (stored?.toolUseId ?? []))),
  )
  for (const pair of pairs) compareUnmatchedSubagent(pair, { parentsWithoutLiveBlocks, isShort }, context)
  return { differences: comparison.differences, excluded: comparison.excluded }
}

function compareConversation(
  place: Omit<ConversationPair, 'threads' | 'content'>,
  threads: Pair<ConversationThread>,
  context: ComparisonContext,
): void {
  const content = { live: summarizeContent(threads.live), stored: summarizeContent(threads.stored) }
  const conversation = { ...place, threads, content }
  compareBlocks(conversation, context)
  compareUsage(conversation, context)
}

function agentWorkIn({ subagents }: SessionConversationState): ReadonlySet<string> {
  return new Set(subagents.flatMap(({ blocks }) => blocks.map(workKey)))
}

function idsByConversation(state: SessionConversationState): ReadonlyMap<string, ReadonlySet<string>> {
  const idsIn = ({ blocks }: ConversationThread) => new Set(blocks.flatMap(sharedIds))
  return new Map([
    [MAIN, idsIn(state)],
    ...state.subagents.map((each) => [each.toolUseId, idsIn(each)] as const),
  ])
}
