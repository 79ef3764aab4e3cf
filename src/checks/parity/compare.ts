import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { toolCalls } from '../../core/selectors/find.ts'
import { type ConversationBlock, isRewindMark, messageIdOf, subagentBlockId } from '../../core/state/block.ts'
import {
  type ConversationThread,
  MAIN,
  type MessageUsage,
  type SessionConversationState,
  type SubagentState,
} from '../../core/state/session.ts'
import { type Coverage, type Side, sharedIds } from '../../programs/coverage.ts'
import { coverageOf, coverageOfFiles } from '../../programs/coverages.ts'
import { alignByContent, alignIds, mergeTexts, needsAlignment } from './align.ts'
import { compareBlocks, summarizeContent } from './blocks/compare-blocks.ts'
import { workKey } from './blocks/order.ts'
import {
  Comparison,
  type ComparisonContext,
  type ConversationPair,
  compareFields,
  type ExcludedContent,
  type Pair,
  type SessionDifference,
} from './comparison.ts'
import {
  compareSessionFacts,
  compareSubagent,
  compareTurns,
  compareUnmatchedSubagent,
  hasOwnFacts,
  pairsOf,
} from './session-facts.ts'

/** The differences between two states of one session. */
export interface SessionComparison {
  readonly differences: readonly SessionDifference[]
  /** The content that the comparison ignored because one side never records it, counted by kind. */
  readonly excluded: readonly ExcludedContent[]
}

/**
 * Compares the state of a live stream with the state of the stored files of the same session. It compares ids, order,
 * texts, inputs, outputs, statuses, lineage and final tokens, and times that both sides know. The comparison ignores
 * content that one side never records, by kind and never by id, and counts it in `excluded`. Values nested deeper
 * than 512 levels count as different.
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

/**
 * Returns the state with every agent that a cut ended as it was before, because the input of one side may end before
 * that of the other. The end of main's turn and its blocks stay as the cut left them. A file that ends with the turn
 * of a killed program is no shorter than the stream.
 */
function reopenAgents(state: SessionConversationState): SessionConversationState {
  const statuses = new Map(
    state.subagents.flatMap((agent) => {
      const status = statusBeforeCut(agent)
      return status ? [[agent.toolUseId, status] as const] : []
    }),
  )
  if (statuses.size === 0) return state
  const reopened = (block: ConversationBlock, openBlocks: readonly string[] = []): ConversationBlock => {
    if (block.type === 'subagent') return { ...block, status: statuses.get(block.toolUseId) ?? block.status }
    return openBlocks.includes(block.id) ? { ...block, status: 'pending' } : block
  }
  const subagents = state.subagents.map(({ openBlocks, ...agent }) => ({
    ...agent,
    status: statuses.get(agent.toolUseId) ?? agent.status,
    blocks: agent.blocks.map((block) => reopened(block, openBlocks)),
  }))
  return { ...state, subagents, blocks: state.blocks.map((block) => reopened(block)) }
}

function statusBeforeCut({ toolUseId, openBlocks }: SubagentState): 'pending' | 'running' | undefined {
  if (!openBlocks) return undefined
  return openBlocks.includes(subagentBlockId(toolUseId)) ? 'pending' : 'running'
}

/**
 * The agents of a session may share one plan. So a stream lacks the changes of an agent that it does not forward. A
 * stream reports a new plan while the call that makes it still runs, and files have it with the call's result. A
 * program keeps its plan when it removes messages, but then its files lack the calls that made the plan.
 */
function compareTodos(
  { live, stored }: Pair<ConversationThread>,
  subagents: readonly Partial<Pair<SubagentState>>[],
  { comparison, isShort, isOwn }: TodosContext,
): void {
  if (isEqual(live.todos, stored.todos)) return
  if (isOwn) return comparison.exclude('unknown-fact', live.todos ? 'live' : 'stored')
  // A short form states only which todos are completed.
  if (isShort && isEqual(completedIn(live), completedIn(stored)))
    return comparison.exclude('unknown-fact', 'stored')
  if (subagents.some((pair) => !pair.live?.blocks.length && pair.stored?.blocks.length))
    comparison.exclude('unknown-fact', 'stored')
  else if (toolCalls(live).some(({ result }) => !result)) comparison.exclude('unfinished', 'live')
  else if (live.blocks.some(isRewindMark)) comparison.exclude('unknown-fact', 'live')
  else
    compareFields(
      { kind: 'session', conversationId: MAIN },
      { live: { todos: live.todos }, stored: { todos: stored.todos } },
      { optional: [] },
      comparison,
    )
}

interface TodosContext {
  readonly comparison: Comparison
  readonly isShort: boolean
  /** Each side words the plan in its own way. */
  readonly isOwn: boolean
}

function completedIn({ todos = [] }: ConversationThread): unknown {
  return todos.map(({ text, status }) => [text, status === 'completed'])
}

/** Compares the tokens of a conversation's messages, as far as both sides know the final figures. */
function compareUsage(
  { id: conversationId, threads, agentWork }: ConversationPair,
  { comparison, coverage }: ComparisonContext,
): void {
  const isSilent = coverage?.streamMayLackTokens === true && threads.live.usage.length === 0
  const pair = { live: byMessage(threads.live), stored: byMessage(threads.stored) }
  const seen = { live: messageIds(threads.live), stored: messageIds(threads.stored) }
  for (const id of new Set([...pair.live.keys(), ...pair.stored.keys()])) {
    const live = pair.live.get(id)
    const stored = pair.stored.get(id)
    const provisional = firstSide(live?.final === false, stored?.final === false)
    const lacking = firstSide(live === undefined, stored === undefined)
    if (isEqual(live, stored)) continue
    const isSum = coverage?.streamSumsAgents === true && agentWork.stored.size > 0
    if (isSum && live && stored) comparison.exclude('unknown-fact', 'stored')
    else if (provisional) comparison.exclude('provisional-usage', provisional)
    else if (
      lacking &&
      (isSilent || !seen[lacking].has(id) || (lacking === 'live' && coverage?.lacksTokensOfStopped))
    )
      comparison.exclude('unseen-usage', lacking === 'live' ? 'stored' : 'live')
    else if (live && stored)
      compareFields(
        { kind: 'usage', conversationId, id },
        { live, stored },
        { optional: ['model'] },
        comparison,
      )
    else comparison.differ({ kind: 'missing-usage', conversationId, id, ...omitUndefined({ live, stored }) })
  }
}

/** An entry from a result names no message. Its side lacks that message, so there is nothing to compare. */
function byMessage({ usage }: ConversationThread): ReadonlyMap<string, MessageUsage> {
  return new Map(usage.flatMap((entry) => (entry.fromResult ? [] : [[entry.messageId, entry]])))
}

function firstSide(isLive: boolean, isStored: boolean): Side | undefined {
  if (isLive) return 'live'
  return isStored ? 'stored' : undefined
}

function messageIds({ blocks }: ConversationThread): ReadonlySet<string> {
  return new Set(blocks.flatMap((block) => messageIdOf(block) || []))
}

/** Two states of one session differ. */
export class ParityError extends Error {
  readonly differences: readonly SessionDifference[]

  constructor(differences: readonly SessionDifference[]) {
    super(
      `live and stored differ, ${differences.length} in all: ${differences.slice(0, MAX_SHOWN).map(describe).join('; ')}`,
    )
    this.name = 'ParityError'
    this.differences = differences
  }
}

/**
 * Compares the state of a live stream with the state of the stored files, by `compareSessions`. Returns the content
 * that the comparison ignored, counted by kind, so that a test can check that too. Throws a `ParityError` with the
 * differences.
 */
export function assertParity(
  live: SessionConversationState,
  stored: SessionConversationState,
): SessionComparison['excluded'] {
  const { differences, excluded } = compareSessions(live, stored)
  if (differences.length > 0) throw new ParityError(differences)
  return excluded
}

/** The error names the first differences only. The others mostly follow from them. */
const MAX_SHOWN = 5

function describe({ kind, conversationId, id, field }: SessionDifference): string {
  return [kind, conversationId, id, field].filter((part) => part !== undefined).join(' ')
}
