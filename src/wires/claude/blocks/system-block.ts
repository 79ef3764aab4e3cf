import type { ClaudeContext } from '../context.ts'
import { type Line, lineId } from '../lines/line.ts'

interface SystemBlockFields {
  readonly subtype: string
  readonly message: string
  /** The line's own id if absent. */
  readonly id?: string
  /** `complete` if absent. */
  readonly status?: 'pending' | 'complete' | 'error'
  readonly data?: unknown
}

/** Adds a system block to the line's conversation. */
export function upsertSystemBlock(
  line: Line,
  { id, subtype, message, status = 'complete', data }: SystemBlockFields,
  context: ClaudeContext,
): void {
  const { conversationId, timestamp } = line
  const blockId = id ?? lineId(line, context)
  context.upsert(conversationId, { type: 'system', id: blockId, status, subtype, message, data, timestamp })
}
