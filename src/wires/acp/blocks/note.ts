import { omitUndefined } from '../../../json/omit-undefined.ts'
import type { AcpContext } from '../context.ts'
import { wordsKey } from './words-key.ts'

interface Note {
  readonly id: string
  readonly subtype: string
  readonly message: string
  readonly status?: 'pending' | 'complete'
  readonly data?: unknown
}

/** Shows a note of the agent's program. */
export function showNote(
  conversationId: string,
  { id, subtype, message, status = 'complete', data }: Note,
  context: AcpContext,
): void {
  context.upsert(conversationId, omitUndefined({ type: 'system', id, status, subtype, message, data }))
}

/** Shows a note without an id. The same words in the same conversation are one note. */
export function showUnnamedNote(
  conversationId: string,
  { subtype, message }: Pick<Note, 'subtype' | 'message'>,
  context: AcpContext,
): void {
  showNote(conversationId, { id: `${subtype}:${wordsKey(message)}`, subtype, message }, context)
}
