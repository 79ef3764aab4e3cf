import type { SessionConversationState, SubagentState } from '../../../state/session.ts'
import { MAIN } from '../../../state/session.ts'
import type { LossCounter } from '../losses.ts'
import { firstTime } from './clock.ts'
import type { IdMaker } from './ids.ts'
import { idMaker } from './ids.ts'
import type { SessionPlan } from './plan.ts'
import { planThread } from './plan-thread.ts'

/** What the plan needs to know about the program that will read it. */
export interface PlanTarget {
  readonly program: string
  /** The program stores thinking apart from what the provider gets again. */
  readonly keepsThinking: boolean
  /** The program stores an agent's conversation in a session of its own. */
  readonly keepsAgents: boolean
}

/** What all threads of a plan share. */
export interface PlanContext {
  readonly target: PlanTarget
  readonly ids: IdMaker
  readonly losses: LossCounter
  /** The program that made the calls. */
  readonly source: string | undefined
  /** The agents whose calls are still to come, by those calls. An agent leaves the map when its call is planned. */
  readonly agents: Map<string, SubagentState>
}

interface PlanInput {
  readonly target: PlanTarget
  readonly cwd: string
  readonly losses: LossCounter
}

/** Plans a session for a program. Nothing in the plan depends on the clock. */
export function planSession(
  state: SessionConversationState,
  { target, cwd, losses }: PlanInput,
): { readonly plan: SessionPlan; readonly ids: IdMaker } {
  const ids = idMaker(JSON.stringify(sessionKey(state, target, cwd)))
  const agents = new Map(state.subagents.map((agent) => [agent.toolUseId, agent]))
  const context = { target, ids, losses, source: state.session.program, agents }
  const thread = planThread(state, { place: MAIN, start: firstTime(state) }, context)
  losses.add('abandoned-branch', MAIN, (state.branches ?? []).flatMap(({ blocks }) => blocks).length)
  losses.add('usage', MAIN, state.usage.length)
  for (const { toolUseId, blocks } of agents.values())
    losses.add('subagent-conversation', toolUseId, blocks.length)
  const { model = 'unknown' } = state.session
  return { plan: { id: ids.uuid('session'), cwd, model, thread }, ids }
}

/** A session that has grown since it was written gets another id, so that the new one replaces nothing. */
function sessionKey(
  { session, blocks }: SessionConversationState,
  { program }: PlanTarget,
  cwd: string,
): readonly unknown[] {
  const { program: source, id } = session
  return [program, cwd, source, id, blocks.length, blocks[0]?.id, blocks.at(-1)?.id]
}
