import { createHash } from 'node:crypto'
import type { ConversationIdentity } from '../../../src/core/identity/hashes.ts'
import type { IdentifyOptions } from '../../../src/core/identity/identify.ts'
import type { BlockStatus, UserMessageBlock } from '../../../src/core/state/block.ts'
import type { SessionConversationState, SessionEvent } from '../../../src/entries/index.ts'
import { identifyConversation } from '../../../src/gateway/identify-session.ts'
import { upsert } from '../../core/reducer/example.ts'

const agentTypeHash = '0123456789abcdef'
export const identify = (
  state: SessionConversationState,
  options: Partial<IdentifyOptions> = {},
): ConversationIdentity | null => identifyConversation(state, { agentTypeHash, ...options })

const digits = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** The identity by RFC 00033 of a first prompt and a first response. */
export function identityOf(prompt: string, response: string): ConversationIdentity {
  const firstUserMessageHash = digits(prompt)
  const firstAssistantResponseHash = digits(response)
  const conversationHash = digits(agentTypeHash + firstUserMessageHash + firstAssistantResponseHash)
  const hashes = { agentTypeHash, firstUserMessageHash, firstAssistantResponseHash, conversationHash }
  return { ...hashes, isDistinct: response !== '' }
}

/** The hash of the empty text. */
export const EMPTY = 'e3b0c44298fc1c14'

/** A block of a model's message. Its id is the message's id and a number. */
const part = (id: string) => ({ id, messageId: id.split(':')[0] ?? id })

export const user = (
  id: string,
  content: UserMessageBlock['content'],
  fields: Partial<UserMessageBlock> = {},
): SessionEvent =>
  upsert({ id, type: 'user_message', status: 'complete', content, ...fields }, fields.conversationId)
export const reply = (
  id: string,
  content: string,
  conversationId = 'main',
  status: BlockStatus = 'complete',
): SessionEvent => upsert({ ...part(id), type: 'assistant_text', status, content }, conversationId)
export const thought = (id: string, conversationId = 'main'): SessionEvent =>
  upsert({ ...part(id), type: 'thinking', status: 'complete', content: 'hm' }, conversationId)
export const called = (id: string, conversationId = 'main'): SessionEvent =>
  upsert(
    { ...part(id), type: 'tool_use', status: 'pending', toolName: 'Read', toolUseId: id, input: {} },
    conversationId,
  )
