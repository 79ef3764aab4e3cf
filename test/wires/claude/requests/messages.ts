import { assistantMessage, type Message, toolResult, toolUse, userMessage } from '../messages.ts'

const TOUCH = { command: 'touch a.txt', description: 'Touch' }

/** A call of the shell. */
export const call = (toolUseId = 't1', fields: Message = {}): Message =>
  assistantMessage(`m-${toolUseId}`, toolUse(toolUseId, 'Bash', TOUCH), fields)

/** The program asks whether a tool may run. */
export function canUseTool(requestId: string, toolUseId = 't1', fields: Message = {}): Message {
  const tool = { tool_name: 'Bash', display_name: 'Bash', description: 'Touch', input: TOUCH }
  return {
    type: 'control_request',
    request_id: requestId,
    request: { subtype: 'can_use_tool', ...tool, tool_use_id: toolUseId, ...fields },
  }
}

export const cancel = (requestId: string): Message => ({
  type: 'control_cancel_request',
  request_id: requestId,
})

/** The client's answer. */
export const clientAnswer = (requestId: string, response: Message): Message => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: requestId, response },
})

/** A result with the program's decision about the call, as a stream and a file state it. */
export function decidedResult(
  toolUseId: string,
  content: string,
  [decision, source]: readonly [string, string],
  fields: Message = {},
): Message {
  const permission_decision = { decision, source }
  return toolResult(
    toolUseId,
    content,
    {
      tool_result_meta: [{ id: toolUseId, permission_decision }],
      permissionDecision: permission_decision,
      ...fields,
    },
    decision === 'reject' ? { is_error: true } : {},
  )
}

export const ACCEPTED = ['accept', 'user_temporary'] as const
export const REJECTED = ['reject', 'user_reject'] as const

/** The program's words about a call that the person refused, and the note that a stop leaves. */
export const REFUSAL =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file)."
export const stopped: Message = userMessage([
  { type: 'text', text: '[Request interrupted by user for tool use]' },
])
