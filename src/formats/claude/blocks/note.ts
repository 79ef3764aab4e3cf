import { omitUndefined } from '../../../json/omit-undefined.ts'
import type { ClaudeContext } from '../context.ts'
import { type Line, lineId } from '../lines/line.ts'

interface Note {
  readonly subtype: string
  readonly message: string
  /** The line's own id where it is left out. */
  readonly id?: string
  readonly status?: 'pending' | 'complete' | 'error'
  readonly data?: unknown
}

/** Puts a system block into the line's conversation. */
export function note(
  line: Line,
  { id, status = 'complete', ...rest }: Note,
  translation: ClaudeContext,
): void {
  const { conversationId, timestamp } = line
  const block = { type: 'system' as const, id: id ?? lineId(line, translation), status, ...rest, timestamp }
  translation.upsert(conversationId, omitUndefined(block))
}
