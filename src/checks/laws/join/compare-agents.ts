import type { SubagentState } from '../../../core/state/session.ts'
import { hasEnded, isFinal } from '../../../core/state/subagent.ts'
import type { Join, PartFault } from './live-run.ts'

/** The facts of an agent that stay once they are known. */
const KEPT_FACTS = ['agentId', 'name', 'description', 'prompt', 'parentConversationId'] as const

/** The facts that a later run may change. */
const RUN_FACTS = ['status', 'output', 'durationMs'] as const

/** Agents stay, keep their facts, and end as the stream says if the history does not have their end. */
export function compareAgents({ joined, history, live, cut }: Join): readonly PartFault[] {
  const agents = byToolUse(joined.subagents)
  const streamed = byToolUse(live.state.subagents)
  const kept = history.subagents.flatMap((expected): readonly PartFault[] => {
    const actual = agents.get(expected.toolUseId)
    const part = partOf(expected)
    if (!actual) return [{ code: 'lost', part, expected: factsOf(expected) }]
    const fact = lostFact(actual, expected, streamed.get(expected.toolUseId))
    const facts = { actual: factsOf(actual), expected: factsOf(expected) }
    return fact === undefined ? [] : [{ code: 'overwritten', part: `${fact} of ${part}`, ...facts }]
  })
  const known = new Set(history.subagents.filter(hasEnded).map(({ toolUseId }) => toolUseId))
  const ended = live.state.subagents.flatMap((expected): readonly PartFault[] => {
    const actual = agents.get(expected.toolUseId)
    if (!actual || !isFinal(expected.status)) return []
    const endsHere = (live.endedAt.get(expected.toolUseId) ?? -1) >= cut && !known.has(expected.toolUseId)
    if (isFinal(actual.status) && !(endsHere && lacksEnd(actual, expected))) return []
    const part = `the end of ${partOf(expected)}`
    return [{ code: 'incomplete', part, actual: factsOf(actual), expected: factsOf(expected) }]
  })
  return [...kept, ...ended]
}

function byToolUse(agents: readonly SubagentState[]): ReadonlyMap<string, SubagentState> {
  return new Map(agents.map((agent) => [agent.toolUseId, agent]))
}

/** Returns the first fact of the history that the agent lacks. */
function lostFact(
  actual: SubagentState,
  expected: SubagentState,
  live: SubagentState | undefined,
): string | undefined {
  const isLost = (name: (typeof KEPT_FACTS | typeof RUN_FACTS)[number]) =>
    expected[name] !== undefined && actual[name] !== expected[name]
  const kept = KEPT_FACTS.find(isLost)
  if (kept !== undefined || !hasEnded(expected)) return kept
  return RUN_FACTS.find((name) => isLost(name) && actual[name] !== live?.[name])
}

function lacksEnd(actual: SubagentState, expected: SubagentState): boolean {
  return RUN_FACTS.some((name) => expected[name] !== undefined && actual[name] !== expected[name])
}

function partOf({ toolUseId }: SubagentState): string {
  return `agent ${toolUseId}`
}

function factsOf({ blocks, usage, ...facts }: SubagentState): unknown {
  return facts
}
