import { asString } from '../../../core/json/values.ts'
import type { SessionOutput } from '../../../reading/context.ts'

interface SystemBlockFields {
  readonly id: string
  readonly subtype: string
  readonly message: string
  readonly data?: unknown
  readonly timestamp?: string | undefined
}

/** Shows an action of the program as a complete system block. */
export function upsertSystemBlock(
  conversationId: string,
  { id, ...fields }: SystemBlockFields,
  output: SessionOutput,
): void {
  output.upsert(conversationId, { type: 'system', id, status: 'complete', ...fields })
}

interface Retry {
  readonly id: string
  /** The reason for the retry, which OpenCode may omit. */
  readonly message: unknown
  readonly data: unknown
  readonly timestamp?: string | undefined
}

/** Shows that OpenCode repeats a failed request. */
export function upsertRetry(
  conversationId: string,
  { id, message: reason, data, timestamp }: Retry,
  output: SessionOutput,
): void {
  const message = asString(reason) ?? 'the request is made again'
  upsertSystemBlock(conversationId, { id, data, timestamp, subtype: 'retry', message }, output)
}
