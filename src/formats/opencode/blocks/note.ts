import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asString } from '../../../json/values.ts'
import type { OpencodeContext } from '../context.ts'

interface Note {
  readonly id: string
  readonly subtype: string
  readonly message: string
  readonly data?: unknown
  readonly timestamp?: string | undefined
}

/** Puts into a conversation what the program did: a system block with nothing to wait for. */
export function note(conversationId: string, { id, ...rest }: Note, translation: OpencodeContext): void {
  translation.upsert(conversationId, omitUndefined({ type: 'system', id, status: 'complete', ...rest }))
}

/** The program makes a request again, whose failure may say nothing. */
export function noteRetry(
  conversationId: string,
  { message, ...rest }: Omit<Note, 'subtype' | 'message'> & { readonly message: unknown },
  translation: OpencodeContext,
): void {
  const said = asString(message) ?? 'the request is made again'
  note(conversationId, { ...rest, subtype: 'retry', message: said }, translation)
}
