import type { BlockOf, SessionEvent } from 'agentfold'

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

type Result = Pick<BlockOf<'tool_result'>, 'id' | 'toolUseId' | 'output'> &
  Partial<Pick<BlockOf<'tool_result'>, 'status' | 'isError' | 'changes'>>

export function callResult(result: Result): SessionEvent {
  const block = { type: 'tool_result', isError: false, status: 'complete', ...result } as const
  return { type: 'block:upsert', block }
}
