import { asObject } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { sortedByOrder } from '../../../session/order.ts'
import type { ClaudeContext } from '../context.ts'
import type { Line } from '../lines/line.ts'
import { completeAgent } from './agent-run.ts'
import { lastTextOf } from './find-agent.ts'
import { storeAgent } from './register-agent.ts'

/** Remembers that the `SubagentStop` hook of an agent has succeeded. The agent may still write, if another hook blocks it. */
export function rememberStopHook({ raw, conversationId }: Line, context: ClaudeContext): void {
  const { type, hookEvent } = asObject(raw.attachment)
  const agent = context.memory.agents.get(conversationId)
  if (agent && type === 'hook_success' && hookEvent === 'SubagentStop')
    storeAgent(withChanges(agent, { hasStopHook: true }), context)
}

/** Completes the agents whose last line is their stop hook. The input has ended, and no result reports their end. */
export function completeStoppedAgents(context: ClaudeContext): void {
  const stopped = sortedByOrder(
    context.memory.agents,
    ({ hasStopHook, hasEnded }) => hasStopHook === true && hasEnded !== true,
  )
  for (const agent of stopped)
    completeAgent(agent, { status: 'completed', output: lastTextOf(agent, context) }, context)
}
