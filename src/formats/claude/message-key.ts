import { MAIN } from '../../state/session.ts'

/** Names a model message: message ids are unique within a conversation only. */
export interface MessageRef {
  readonly conversationId: string
  readonly messageId: string
}

/** Whether the message's id is its key. Most messages are main's, and need no other text. A `compositeKey` begins with a digit. */
export function isOwnKey({ conversationId, messageId }: MessageRef): boolean {
  return conversationId === MAIN && !(messageId >= '0' && messageId < ':')
}
