import type { SessionConversationState } from '../../core/state/session.ts'
import { MAIN } from '../../core/state/session.ts'
import { firstTime } from './clock.ts'
import type { PlanContext, PlanTarget } from './context.ts'
import type { IdMaker } from './ids.ts'
import { idMaker } from './ids.ts'
import type { LossCounter } from './losses.ts'
import type { SessionPlan } from './plan.ts'
import { planThread } from './plan-thread.ts'

interface PlanInput {
  readonly destination: PlanTarget
  readonly cwd: string
  readonly losses: LossCounter
  readonly model: string | undefined
  /** Makes the ids. By default, they are new ones. */
  readonly ids?: IdMaker
}

/** Plans a session for a program. Nothing in the plan depends on the clock. */
export function planSession(
  state: SessionConversationState,
  { destination, cwd, losses, model = state.session.model ?? 'unknown', ...input }: PlanInput,
): { readonly plan: SessionPlan; readonly ids: IdMaker } {
  const ids = input.ids ?? idMaker(JSON.stringify(sessionKey(state, destination, cwd)))
  const agents = new Map(state.subagents.map((agent) => [agent.toolUseId, agent]))
  const context: PlanContext = {
    ...{ destination, ids, losses, source: state.session.program, agents },
    planThread: (each, start) => planThread(each, start, context),
  }
  const thread = context.planThread(state, { place: MAIN, depth: 0, start: firstTime(state) })
  losses.add('abandoned-branch', MAIN, (state.branches ?? []).flatMap(({ blocks }) => blocks).length)
  losses.add('usage', MAIN, state.usage.length)
  for (const { toolUseId, blocks } of agents.values())
    losses.add('subagent-conversation', toolUseId, blocks.length)
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
