import { isEqual } from '../../core/json/equal.ts'
import { MAIN, type SessionFacts } from '../../core/state/session.ts'
import type { SessionTurn } from '../../core/state/turn.ts'
import type { Coverage } from '../../programs/coverage.ts'
import { type ComparisonContext, compareFields, type Pair } from './comparison.ts'

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
