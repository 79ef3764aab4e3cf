import { omitUndefined } from '../../core/json/fields.ts'
import { MAIN, type SubagentState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { type ComparisonContext, compareFields, isDifferent, type Pair } from './comparison.ts'

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
