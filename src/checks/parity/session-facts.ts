import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { MAIN, type SessionFacts, type SubagentState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import type { SessionTurn } from '../../core/state/turn.ts'
import type { Coverage } from '../../programs/coverage.ts'
import { type ComparisonContext, compareFields, isDifferent, type Pair } from './comparison.ts'

/** The facts of a session that each side of a coverage with such own facts states in its own way. */
const OWN_FACTS: Readonly<Record<'cost' | 'model' | 'program', readonly (keyof SessionFacts)[]>> = {
  cost: ['costUsd', 'contextTokens', 'contextWindow'],
  model: ['model'],
  program: ['program', 'protocol', 'version'],
}

/** Compares what the two sides say about the session itself. */
export function compareSessionFacts(facts: Pair<SessionFacts>, context: ComparisonContext): void {
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
        'title',
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

/**
 * A cut input may end before the other side's turn has begun, or before it is over. Each side takes the times from
 * lines of its own, and tells in its own words why the turn failed.
 */
export function compareTurns(turns: Pair<SessionTurn>, context: ComparisonContext): void {
  const { comparison } = context
  const unfinished = isOpen(turns.live) ? 'live' : isOpen(turns.stored) ? 'stored' : undefined
  if (turns.live.status !== turns.stored.status && unfinished)
    return comparison.exclude('unfinished', unfinished)
  if (turns.live.status !== turns.stored.status && hasOwnFacts('outcome', context))
    return comparison.exclude('unknown-fact', 'live')
  if (!isEqual(turns.live.error, turns.stored.error)) comparison.exclude('unknown-fact', 'live')
  compareFields(
    { kind: 'turn', conversationId: MAIN },
    turns,
    { ignored: ['startedAt', 'endedAt', 'durationMs', 'openBlocks', 'error'], optional: [] },
    comparison,
  )
}

function isOpen({ status }: SessionTurn): boolean {
  return status === 'idle' || status === 'running'
}

type OwnFact = NonNullable<Coverage['ownFacts']>[number]

/** Whether each side states these facts in its own way. */
export function hasOwnFacts(name: OwnFact, { coverage }: ComparisonContext): boolean {
  return coverage?.ownFacts?.includes(name) === true
}

/** Returns the agents of both sides, by their `toolUseId`. */
export function pairsOf(
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

/** Compares the facts of an agent that both sides have. */
export function compareSubagent(
  pair: Pair<SubagentState>,
  { comparison, coverage }: ComparisonContext,
): void {
  // An agent's id may become known only with the result of its call.
  const own = (coverage?.ownAgentFacts ?? []).filter((name) => isDifferent(pair, name))
  comparison.exclude('unknown-fact', 'live', own.length)
  const isRunning = !isFinal(pair.live.status) && !isFinal(pair.stored.status)
  compareFields(
    { kind: 'subagent', conversationId: pair.stored.toolUseId },
    pair,
    {
      ignored: ['blocks', 'usage', ...own],
      optional: [
        'runId',
        'durationMs',
        ...(coverage?.agentFacts ?? []),
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
export function compareUnmatchedSubagent(
  { live, stored }: Partial<Pair<SubagentState>>,
  { parentsWithoutLiveBlocks, isShort }: MissingParents,
  { coverage, comparison }: ComparisonContext,
): void {
  const unmatched = live ?? stored
  if (!unmatched || (live && stored)) return
  const { toolUseId: conversationId, status, parentConversationId = '' } = unmatched
  const side = live ? 'live' : 'stored'
  if (!isFinal(status)) comparison.exclude('unfinished', side)
  // A stream without the calling conversation cannot have the call.
  else if (coverage && stored && (isShort || parentsWithoutLiveBlocks.has(parentConversationId)))
    comparison.exclude('subagent-conversation', side)
  else if (coverage?.storesMainOnly && live && parentConversationId !== MAIN)
    comparison.exclude('subagent-conversation', side)
  else comparison.differ(omitUndefined({ kind: 'missing-subagent', conversationId, live, stored }))
}
