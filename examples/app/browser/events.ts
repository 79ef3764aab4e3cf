import type { SessionEvent } from 'agentfold'

/** Events of the main conversation. */

export function pendingText(id: string): SessionEvent {
  return { type: 'block:upsert', block: { id, type: 'assistant_text', status: 'pending', content: '' } }
}

export function textDelta(blockId: string, delta: string): SessionEvent {
  return { type: 'block:delta', blockId, delta }
}

export function finishedText(id: string, content: string): SessionEvent {
  return { type: 'block:upsert', block: { id, type: 'assistant_text', status: 'complete', content } }
}

export function finishedCall(toolUseId: string, input: unknown = {}): SessionEvent {
  const block = {
    id: toolUseId,
    type: 'tool_use',
    toolName: 'Read',
    toolUseId,
    input,
    status: 'complete',
  } as const
  return { type: 'block:upsert', block }
}

export function callResult(result: {
  readonly id: string
  readonly toolUseId: string
  readonly output: string
}): SessionEvent {
  const block = { ...result, type: 'tool_result', isError: false, status: 'complete' } as const
  return { type: 'block:upsert', block }
}
