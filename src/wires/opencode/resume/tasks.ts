import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { opencode } from '../../../programs/opencode/program.ts'
import type { ToolUseBlock } from '../../../state/block.ts'
import type { SessionConversationState, SubagentState } from '../../../state/session.ts'
import { isFinal } from '../../../state/subagent.ts'
import type { OpencodeContext } from '../context.ts'
import { knownTask, rememberTask } from '../records/task.ts'
import { isStartedByCall } from './threads.ts'

/** Remembers the calls that started or resumed subagents. */
export function resumeTasks(state: SessionConversationState, context: OpencodeContext): void {
  for (const subagent of state.subagents) if (isStartedByCall(subagent)) resumeStart(subagent, context)
  for (const { blocks } of [state, ...state.subagents])
    for (const block of blocks)
      if (block.type === 'tool_use' && opencode.tools.agent.includes(block.toolName))
        resumeResumption(block, context)
}

function resumeStart({ toolUseId, agentId, prompt, status, runId }: SubagentState, context: OpencodeContext) {
  const facts = omitUndefined({
    agentId,
    prompt,
    isStarted: status !== 'pending',
    runId: runId ?? toolUseId,
    hasEnded: isFinal(status),
  })
  rememberTask(withChanges(knownTask(toolUseId, context), facts), context)
}

/** A pending call that is not the current run's own has joined that run. */
function resumeResumption({ toolUseId, input, status }: ToolUseBlock, context: OpencodeContext): void {
  const agentId = asString(asObject(input).task_id)
  const resumedCallId = agentId === undefined ? undefined : context.memory.callIdBySession.get(agentId)
  if (resumedCallId === undefined || resumedCallId === toolUseId) return
  const runId = status === 'pending' ? knownTask(resumedCallId, context).runId : toolUseId
  const facts = { resumedCallId, runId, isStarted: true, hasEnded: true }
  rememberTask(withChanges(knownTask(toolUseId, context), facts), context)
}
