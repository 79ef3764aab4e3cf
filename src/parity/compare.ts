import { traitsOfProgram } from '../formats/all.ts'
import { sharedIds } from '../formats/coverage.ts'
import type { FormatTraits } from '../formats/format.ts'
import { isEqual } from '../json/equal.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { toolCalls } from '../selectors/find.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SessionFacts,
  type SubagentState,
} from '../state/session.ts'
import { isFinal } from '../state/subagent.ts'
import type { SessionTurn } from '../state/turn.ts'
import { alignByContent, mergeTexts } from './align-by-content.ts'
import { alignIds, needsAlignment } from './align-ids.ts'
import { compareBlocks, summarizeContent } from './blocks.ts'
import { Comparison, type ComparisonContext, type ConversationPair } from './comparison.ts'
import type { Pair, SessionDifference } from './difference.ts'
import type { ExcludedContent } from './exclusion.ts'
import { compareFields } from './fields.ts'
import { compareUsage } from './usage.ts'

/** The differences between two states of one session. */
export interface SessionComparison {
  readonly differences: readonly SessionDifference[]
  /** The content that the comparison ignored because one side never records it, counted by kind. */
  readonly projected: readonly ExcludedContent[]
}

/**
 * Compares the state of a live stream with the state of the stored files of the same session. It compares ids, order, texts, inputs,
 * outputs, statuses, lineage and final tokens, and times that both sides know. The comparison ignores content that one side never
 * records, by kind and never by id, and counts it in `projected`. Values nested deeper than 512 levels count as different.
 */
export function compareSessions(
  live: SessionConversationState,
  stored: SessionConversationState,
): SessionComparison {
  const comparison = new Comparison()
  const traits = traitsOf(live, stored)
  if (traits?.coverage.alignsByContent) {
    const merged = { live: mergeTexts(live), stored: mergeTexts(stored) }
    return compareAligned(alignByContent(merged.live, merged.stored), merged.stored, traits, comparison)
  }
  if (traits && needsAlignment([live, stored], traits.coverage))
    return compareAligned(alignIds(live, stored), stored, traits, comparison)
  return compareStates(live, stored, traits, comparison)
}

/** A protocol that carried one side alone is compared with the format of the other side. */
function traitsOf(
  live: SessionConversationState,
  stored: SessionConversationState,
): FormatTraits | undefined {
  const protocol = live.session.protocol ?? stored.session.protocol
  const traits = traitsOfProgram(protocol ?? stored.session.program ?? live.session.program)
  const isAcross = live.session.protocol !== stored.session.protocol
  return isAcross && traits?.coverageOfFiles ? { ...traits, coverage: traits.coverageOfFiles } : traits
}

/** Each side has usage under its own ids, so only the numbers of entries are counted. */
function compareAligned(
  live: SessionConversationState,
  stored: SessionConversationState,
  traits: FormatTraits,
  comparison: Comparison,
): SessionComparison {
  const count = (state: SessionConversationState) =>
    [state, ...state.subagents].reduce((sum, { usage }) => sum + usage.length, 0)
  comparison.exclude('unseen-usage', 'live', isEqual(live, stored) ? 0 : count(live))
  comparison.exclude('unseen-usage', 'stored', isEqual(live, stored) ? 0 : count(stored))
  return compareStates(withoutUsage(live), withoutUsage(stored), traits, comparison)
}

function withoutUsage(state: SessionConversationState): SessionConversationState {
  return { ...state, usage: [], subagents: state.subagents.map((agent) => ({ ...agent, usage: [] })) }
}

function compareStates(
  live: SessionConversationState,
  stored: SessionConversationState,
  traits: FormatTraits | undefined,
  comparison: Comparison,
): SessionComparison {
  const context = {
    traits,
    version: stored.session.version ?? live.session.version ?? '',
    comparison,
  }
  compareSessionFacts({ live: live.session, stored: stored.session }, context)
  compareTurns({ live: live.turn, stored: stored.turn }, context)
  const pairs = pairsOf(live.subagents, stored.subagents)
  const isShort = traits?.coverage.isShort?.(summarizeContent(live)) === true
  const isOwn = hasOwnFacts('todos', context)
  compareTodos({ live, stored }, pairs, { comparison, isShort, isOwn })
  const ids = idsByConversation(stored)
  compareConversation({ id: MAIN, parentIds: new Set() }, { live, stored }, context)
  for (const { live, stored } of pairs) {
    if (!live || !stored) continue
    const parentIds = ids.get(stored.parentConversationId ?? '') ?? new Set()
    compareSubagent({ live, stored }, context)
    compareConversation({ id: stored.toolUseId, parentIds }, { live, stored }, context)
  }
  const parentsWithoutLiveBlocks = new Set(
    pairs.flatMap(({ live, stored }) => (live?.blocks.length ? [] : (stored?.toolUseId ?? []))),
  )
  for (const pair of pairs) compareUnmatchedSubagent(pair, { parentsWithoutLiveBlocks, isShort }, context)
  return { differences: comparison.differences, projected: comparison.excluded }
}

/** The facts of a session that each side of a coverage with such own facts states in its own way. */
const OWN_FACTS: Readonly<Record<'cost' | 'model' | 'program', readonly (keyof SessionFacts)[]>> = {
  cost: ['costUsd', 'contextTokens', 'contextWindow'],
  model: ['model'],
  program: ['program', 'protocol', 'version'],
}

function compareSessionFacts(facts: Pair<SessionFacts>, context: ComparisonContext): void {
  const names = (['cost', 'model', 'program'] as const).filter((name) => hasOwnFacts(name, context))
  const ignored = names.flatMap((name) => OWN_FACTS[name])
  const different = ignored.filter((name) => !isEqual(facts.live[name], facts.stored[name]))
  context.comparison.exclude('unknown-fact', 'live', different.length)
  compareFields(
    { kind: 'session', conversationId: MAIN },
    facts,
    {
      ignored,
      optional: [
        'id',
        'model',
        'cwd',
        'program',
        'version',
        'tools',
        'costUsd',
        'contextTokens',
        'contextWindow',
      ],
    },
    context.comparison,
  )
}

type OwnFact = NonNullable<FormatTraits['coverage']['ownFacts']>[number]

function hasOwnFacts(name: OwnFact, { traits }: ComparisonContext): boolean {
  return traits?.coverage.ownFacts?.includes(name) === true
}

/** A cut input may end before the other side's turn has begun, or before it is over. Each side takes the times from lines of its own. */
function compareTurns(turns: Pair<SessionTurn>, context: ComparisonContext): void {
  const { comparison } = context
  const unfinished = isOpen(turns.live) ? 'live' : isOpen(turns.stored) ? 'stored' : undefined
  if (turns.live.status !== turns.stored.status && unfinished)
    return comparison.exclude('unfinished', unfinished)
  if (turns.live.status !== turns.stored.status && hasOwnFacts('outcome', context))
    return comparison.exclude('unknown-fact', 'live')
  compareFields(
    { kind: 'turn', conversationId: MAIN },
    turns,
    { ignored: ['startedAt', 'endedAt', 'durationMs'], optional: ['error'] },
    comparison,
  )
}

/**
 * The agents of a session may share one plan. So a stream lacks the changes of an agent that it does not forward. A stream reports a new plan
 * while the call that makes it still runs, and files have it with the call's result. A program keeps its plan when it removes messages, but
 * then its files lack the calls that made the plan.
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
  else if (live.blocks.some((block) => block.type === 'system' && block.subtype === 'rewind'))
    comparison.exclude('unknown-fact', 'live')
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

function isOpen({ status }: SessionTurn): boolean {
  return status === 'idle' || status === 'running'
}

function compareConversation(
  place: Pick<ConversationPair, 'id' | 'parentIds'>,
  threads: Pair<ConversationThread>,
  context: ComparisonContext,
): void {
  const content = { live: summarizeContent(threads.live), stored: summarizeContent(threads.stored) }
  const conversation = { ...place, threads, content }
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

function compareSubagent(pair: Pair<SubagentState>, { comparison, traits }: ComparisonContext): void {
  // An agent's id may become known only with the result of its call.
  const isRunning = !isFinal(pair.live.status) && !isFinal(pair.stored.status)
  compareFields(
    { kind: 'subagent', conversationId: pair.stored.toolUseId },
    pair,
    {
      ignored: ['blocks', 'usage'],
      optional: [
        'runId',
        'durationMs',
        ...(traits?.coverage.agentFacts ?? []),
        ...(isRunning ? ['agentId'] : []),
        ...(pair.live.blocks.length === 0 ? ['todos'] : []),
      ],
    },
    comparison,
  )
}

interface MissingParents {
  readonly parentsWithoutLiveBlocks: ReadonlySet<string>
  /** The stream is a short form, which lacks some agents. */
  readonly isShort: boolean
}

/** Compares a subagent that only one side has. */
function compareUnmatchedSubagent(
  { live, stored }: Partial<Pair<SubagentState>>,
  { parentsWithoutLiveBlocks, isShort }: MissingParents,
  { traits, comparison }: ComparisonContext,
): void {
  const unmatched = live ?? stored
  if (!unmatched || (live && stored)) return
  const { toolUseId: conversationId, status, parentConversationId = '' } = unmatched
  const side = live ? 'live' : 'stored'
  if (!isFinal(status)) comparison.exclude('unfinished', side)
  // A stream without the calling conversation cannot have the call.
  else if (traits && stored && (isShort || parentsWithoutLiveBlocks.has(parentConversationId)))
    comparison.exclude('subagent-conversation', side)
  else if (traits?.coverage.storesMainOnly && live && parentConversationId !== MAIN)
    comparison.exclude('subagent-conversation', side)
  else comparison.differ(omitUndefined({ kind: 'missing-subagent', conversationId, live, stored }))
}
