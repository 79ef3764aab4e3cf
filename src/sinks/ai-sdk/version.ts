import type { SessionUIMessage, SessionUIPart, ToolPart } from './messages/ui-message.ts'
import type { SessionUIChunk, UIMessageUpdate } from './stream/ui-chunk.ts'

/** A major version of the AI SDK (`ai`). */
export type AISDKVersion = 5 | 6 | 7

/** The words for a call that the person refused, where a version has no state for it. */
const REFUSED = 'The person refused the call.'

/** Returns the updates that the version reads. The transports of a version refuse chunks that it does not know. */
export function updatesFor(
  version: AISDKVersion,
  updates: readonly UIMessageUpdate[],
): readonly UIMessageUpdate[] {
  if (version === 7) return updates
  const given = new Set(updates.flatMap(givenApproval))
  return updates.flatMap((update): readonly UIMessageUpdate[] => {
    if (update.type === 'message') return [{ ...update, message: messageFor(version, update.message) }]
    if (update.type !== 'chunk') return [update]
    // Without its answer, the page would ask for the permission again.
    if (update.chunk.type === 'tool-approval-request' && given.has(update.chunk.approvalId)) return []
    const chunk = chunkFor(version, update.chunk)
    return chunk ? [{ ...update, chunk }] : []
  })
}

function givenApproval(update: UIMessageUpdate): string | readonly never[] {
  if (update.type !== 'chunk' || update.chunk.type !== 'tool-approval-response') return []
  return update.chunk.approved ? update.chunk.approvalId : []
}

function chunkFor(version: 5 | 6, chunk: SessionUIChunk): SessionUIChunk | undefined {
  if (chunk.type === 'tool-approval-response') return undefined
  if (chunk.type === 'tool-output-available') return { ...chunk, output: outputFor(version, chunk.output) }
  if (version === 6) return chunk
  if (chunk.type === 'tool-approval-request') return undefined
  if (chunk.type !== 'tool-output-denied') return chunk
  return { type: 'tool-output-error', toolCallId: chunk.toolCallId, errorText: REFUSED, dynamic: true }
}

/** Returns the message as the version has it. Version 5 knows neither approvals nor metadata of a result. */
export function messageFor(version: AISDKVersion, message: SessionUIMessage): SessionUIMessage {
  if (version !== 5 || message.role !== 'assistant') return message
  return { ...message, parts: message.parts.map(partWithoutApproval) }
}

function partWithoutApproval(part: SessionUIPart): SessionUIPart {
  return part.type === 'dynamic-tool' ? toolWithoutApproval(part) : part
}

function toolWithoutApproval(part: ToolPart): ToolPart {
  const { type, toolName, toolCallId, callProviderMetadata, input } = part
  const call = { type, toolName, toolCallId, callProviderMetadata } as const
  switch (part.state) {
    case 'approval-requested':
    case 'approval-responded':
      return { ...call, state: 'input-available', input }
    case 'output-denied':
      return { ...call, state: 'output-error', input, errorText: REFUSED }
    case 'output-available': {
      const { approval: _, resultProviderMetadata: __, ...rest } = part
      return { ...rest, output: outputFor(5, part.output) }
    }
    case 'output-error': {
      const { approval: _, resultProviderMetadata: __, ...rest } = part
      return rest
    }
    default:
      return part
  }
}

/** The output of an agent has messages of its own. */
function outputFor(version: 5 | 6, output: unknown): unknown {
  if (version === 6 || typeof output !== 'object' || output === null || !('messages' in output)) return output
  const { messages } = output
  if (!Array.isArray(messages)) return output
  return { ...output, messages: messages.map((message) => messageFor(version, message)) }
}
