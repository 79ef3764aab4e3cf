import { asFiniteNumber, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { textInTag } from '../../../programs/claude-code/framed-text.ts'
import { isTaskNotification } from '../../../programs/claude-code/program-text.ts'
import type { ClaudeContext } from '../context.ts'
import { type Agent, lastTextOf } from './agent.ts'
import { completeAgent, runStatus } from './agent-run.ts'
import { agentOfTask } from './find-agent.ts'
import { registerAgent } from './register-agent.ts'
import { endWorkflow } from './workflow.ts'

/** Completes the agent whose report a `queue-operation` queues. The model gets the report later. */
export function completeQueuedNotification(raw: JsonObject, context: ClaudeContext): void {
  const { operation, content } = raw
  if (operation === 'enqueue' && typeof content === 'string' && isTaskNotification(content))
    completeNotifiedAgent(raw, content, context)
}

/**
 * Completes the agent whose report the program hands to the model in a conversation. An earlier part of the session, which the input lacks, may have
 * started the agent. Then the report is all that is known of it.
 */
export function completeNotifiedAgent(
  raw: JsonObject,
  text: string,
  context: ClaudeContext,
  conversationId?: string,
): void {
  const task = {
    task_id: textInTag(text, 'task-id') ?? textInTag(text, 'agent-id'),
    tool_use_id: textInTag(text, 'tool-use-id'),
  }
  const agent = agentOfTask(task, context) ?? agentOfReport(task, text, conversationId, context)
  const notified = textInTag(text, 'status')
  endWorkflow(task.tool_use_id, notified, context)
  if (!agent || notified === 'running') return
  const duration = textInTag(text, 'duration_ms', { isLast: true })
  const status = runStatus(notified)
  completeAgent(
    agent,
    {
      status,
      runId: asString(asObject(raw.origin).runId),
      output:
        textInTag(text, 'result') ??
        (status === 'error' ? textInTag(text, 'summary') : lastTextOf(agent, context)),
      durationMs: duration === undefined ? undefined : asFiniteNumber(Number(duration)),
    },
    context,
  )
}

/** Registers an agent that only its report names, below the conversation that gets the report. Commands have reports, too. */
function agentOfReport(
  {
    task_id: agentId,
    tool_use_id: callId,
  }: { readonly [Name in 'task_id' | 'tool_use_id']: string | undefined },
  text: string,
  parent: string | undefined,
  context: ClaudeContext,
): Agent | undefined {
  const description = /^Agent "(.*)" /.exec(textInTag(text, 'summary') ?? '')?.[1]
  if (parent === undefined || agentId === undefined || description === undefined) return undefined
  // The call of `SendMessage` is no agent's.
  const isOther = callId === undefined || context.conversationOfCall(callId) !== undefined
  return registerAgent(isOther ? agentId : callId, { parent, agentId, description }, context)
}
