import type { SubagentState } from '../../state/session.ts'
import { isFinal } from '../../state/subagent.ts'
import type { Join, JoinFault } from './compare-join.ts'

/** The facts of an agent that stay once they are known. */
const KEPT_FACTS = ['agentId', 'name', 'description', 'prompt', 'parentConversationId'] as const

/** The facts that a later run may change. */
const RUN_FACTS = ['status', 'output', 'durationMs'] as const

/** Agents stay, keep their facts, and end as the stream says if the history does not have their end. */
export function compareAgents({ joined, history, live, cut }: Join): readonly JoinFault[] {
  const agents = byToolUse(joined.subagents)
  const streamed = byToolUse(live.state.subagents)
  const kept = history.subagents.flatMap((expected): readonly JoinFault[] => {
    const actual = agents.get(expected.toolUseId)
    if (!actual) return [{ code: 'lost', expected: factsOf(expected) }]
    return losesFacts(actual, expected, streamed.get(expected.toolUseId))
      ? [{ code: 'overwritten', actual: factsOf(actual), expected: factsOf(expected) }]
      : []
  })
  const known = new Set(
    history.subagents.filter(({ status }) => isFinal(status)).map(({ toolUseId }) => toolUseId),
  )
  const ended = live.state.subagents.flatMap((expected): readonly JoinFault[] => {
    const actual = agents.get(expected.toolUseId)
    if (!actual || !isFinal(expected.status)) return []
    const endsHere = (live.endedAt.get(expected.toolUseId) ?? -1) >= cut && !known.has(expected.toolUseId)
    if (isFinal(actual.status) && !(endsHere && lacksEnd(actual, expected))) return []
    return [{ code: 'incomplete', actual: factsOf(actual), expected: factsOf(expected) }]
  })
  return [...kept, ...ended]
}

function byToolUse(agents: readonly SubagentState[]): ReadonlyMap<string, SubagentState> {
  return new Map(agents.map((agent) => [agent.toolUseId, agent]))
}

function losesFacts(
  actual: SubagentState,
  expected: SubagentState,
  live: SubagentState | undefined,
): boolean {
  if (KEPT_FACTS.some((name) => expected[name] !== undefined && actual[name] !== expected[name])) return true
  if (!isFinal(expected.status)) return false
  return RUN_FACTS.some(
    (name) =>
      expected[name] !== undefined && actual[name] !== expected[name] && actual[name] !== live?.[name],
  )
}

function lacksEnd(actual: SubagentState, expected: SubagentState): boolean {
  return RUN_FACTS.some((name) => expected[name] !== undefined && actual[name] !== expected[name])
}

function factsOf({ blocks, usage, ...facts }: SubagentState): unknown {
  return facts
}
