import { asObject } from '../../../core/json/values.ts'
import { type ConversationBlock, messageIdOf } from '../../../core/state/block.ts'
import type { ClaudeContext } from '../context.ts'
import { lastTextOf, runningAgents } from './agent.ts'
import { completeAgent } from './agent-run.ts'

/**
 * Completes the agents that have written nothing after their `SubagentStop` hook. The input has ended, and no result reports their end. An agent may
 * write on after the hook, if another hook blocks it.
 */
export function completeStoppedAgents(context: ClaudeContext): void {
  const stopped = runningAgents(context).filter(({ toolUseId }) => isStopped(toolUseId, context))
  for (const agent of stopped)
    completeAgent(agent, { status: 'completed', output: lastTextOf(agent, context) }, context)
}

function isStopped(conversationId: string, context: ClaudeContext): boolean {
  const isSign = (block: ConversationBlock) => messageIdOf(block) !== undefined || isStopHook(block)
  const last = context.blocksOf(conversationId).findLast(isSign)
  return last !== undefined && isStopHook(last)
}

function isStopHook(block: ConversationBlock): boolean {
  if (block.type !== 'system' || block.subtype !== 'hook' || block.status !== 'complete') return false
  return asObject(block.data).hookEvent === 'SubagentStop'
}
