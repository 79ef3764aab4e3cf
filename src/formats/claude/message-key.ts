import { MAIN } from '../../state/session.ts'
import { compositeKey } from '../translation/composite-key.ts'

/** Names a model message: message ids are unique within a conversation only. */
export interface MessageRef {
  readonly conversationId: string
  readonly messageId: string
}

/**
 * Returns the key of a model message. Most messages are main's, and their id is the key. A `compositeKey` begins with a digit, so an id
 * that does so too is no key. `keyOf` may remember the last `compositeKey`.
 */
export function messageKey(
  { conversationId, messageId }: MessageRef,
  keyOf: (first: string, second: string) => string = compositeKey,
): string {
  const beginsWithDigit = messageId >= '0' && messageId < ':'
  return conversationId === MAIN && !beginsWithDigit ? messageId : keyOf(conversationId, messageId)
}
