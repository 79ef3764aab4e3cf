import type { CodexContext } from '../context.ts'
import type { TurnError } from '../items/fields.ts'

interface Place {
  readonly id: string
  readonly time?: string | undefined
}

interface SystemNote extends Place {
  readonly subtype: string
  readonly message: string
  readonly data?: unknown
  readonly status?: 'pending' | 'complete'
}

/** Shows a note of the program. */
export function showNote(
  threadId: string,
  { id, subtype, message, data, time, status = 'complete' }: SystemNote,
  context: CodexContext,
): void {
  context.show(threadId, { type: 'system', id, status, subtype, message, data, timestamp: time })
}

/** Shows the reason of a turn that failed. */
export function showError(
  threadId: string,
  { id, message, code, time }: Place & TurnError,
  context: CodexContext,
): void {
  const block = { type: 'error', id, status: 'error', message, code, timestamp: time } as const
  context.show(threadId, block)
}
