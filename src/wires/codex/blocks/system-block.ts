import { omitUndefined } from '../../../json/omit-undefined.ts'
import type { CodexContext } from '../context.ts'

interface SystemNote {
  readonly id: string
  readonly subtype: string
  readonly message: string
  readonly time?: string | undefined
  readonly status?: 'pending' | 'complete'
}

/** Shows a note of the program. */
export function showNote(
  threadId: string,
  { id, subtype, message, time, status = 'complete' }: SystemNote,
  context: CodexContext,
): void {
  context.show(threadId, omitUndefined({ type: 'system', id, status, subtype, message, timestamp: time }))
}
