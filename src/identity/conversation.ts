import { findConversation } from '../selectors/find.ts'
import { type ConversationBlock, messageIdOf, type UserMessageBlock } from '../state/block.ts'
import {
  type ConversationThread,
  MAIN,
  type MessageUsage,
  type SessionConversationState,
  type SessionFacts,
  type SubagentState,
} from '../state/session.ts'
import { shortSha256 } from './agent-type.ts'

/** Who a conversation is: the hashes of RFC 00033, 16 hex digits each. */
export interface ConversationIdentity {
  readonly agentTypeHash: string
  readonly firstUserMessageHash: string
  readonly firstAssistantResponseHash: string
  readonly conversationHash: string
}

/** Returns the hash of a conversation, 16 hex digits, known after the first response (RFC 00033). */
export function computeConversationHash(
  agentTypeHash: string,
  firstUserMessageHash: string,
  firstAssistantResponseHash: string,
): string {
  return shortSha256(agentTypeHash + firstUserMessageHash + firstAssistantResponseHash)
}

/** How much of the first response counts, in UTF-16 units. */
const RESPONSE_LENGTH = 500

/**
 * Returns the hash of a first response's text, 16 hex digits: trimmed, then its first 500 UTF-16 units (RFC 00033). A
 * surrogate pair that the end cuts hashes like U+FFFD.
 */
export function hashFirstAssistantResponse(text: string): string {
  return shortSha256(text.trim().slice(0, RESPONSE_LENGTH))
}

/** Returns the hash of a user message, 16 hex digits; white space around it does not count (RFC 00033). */
export function hashUserMessage(text: string): string {
  return shortSha256(text.trim())
}

/** Which conversation of a session, and what its blocks do not tell. */
export interface IdentifyOptions {
  readonly agentTypeHash: string
  /** `'main'`, or a subagent's `toolUseId` or `agentId`; main where it is left out. */
  readonly conversationId?: string
  /** What the person wrote first, where the stream does not carry it. The stream has to be there from its beginning. */
  readonly firstUserText?: string
}

/**
 * Returns who a conversation is, or null while the state does not tell: its first prompt is not carried (the stream of
 * Claude Code lacks main's), or the first response is not there to its end. The first prompt is what the person, or the
 * parent, wrote first, text parts joined by a newline; the first response is the first text of the model's first message, or
 * the empty text if that message ended without one.
 */
export function identifyConversation(
  state: SessionConversationState,
  { agentTypeHash, conversationId = MAIN, firstUserText }: IdentifyOptions,
): ConversationIdentity | null {
  const thread = findConversation(state, conversationId)
  if (!thread) return null
  const own = ownThread(state, thread)
  const prompt = firstUserText ?? firstPrompt(thread, own.blocks)
  const response = firstResponse(own, state.session)
  if (prompt === undefined || response === undefined) return null
  const firstUserMessageHash = hashUserMessage(prompt)
  const firstAssistantResponseHash = hashFirstAssistantResponse(response)
  return {
    agentTypeHash,
    firstUserMessageHash,
    firstAssistantResponseHash,
    conversationHash: computeConversationHash(
      agentTypeHash,
      firstUserMessageHash,
      firstAssistantResponseHash,
    ),
  }
}

/** A forked subagent's conversation begins with a copy of its parent's message, which is not its own. */
function ownThread(state: SessionConversationState, thread: ConversationThread): ConversationThread {
  const parentId = 'parentConversationId' in thread ? thread.parentConversationId : undefined
  const parent = typeof parentId === 'string' ? findConversation(state, parentId) : undefined
  if (!parent) return thread
  const copied = new Set(parent.blocks.flatMap((block) => messageIdOf(block) ?? []))
  return {
    blocks: thread.blocks.filter((block) => !copied.has(messageIdOf(block) ?? '')),
    usage: thread.usage.filter(({ messageId }) => !copied.has(messageId)),
  }
}

/** A prompt after the model's first word is a later one; a subagent's is known from its call too. */
function firstPrompt(
  thread: ConversationThread | SubagentState,
  blocks: readonly ConversationBlock[],
): string | undefined {
  if ('prompt' in thread) return thread.prompt
  for (const block of blocks) {
    if (isOfModel(block)) return undefined
    if (block.type === 'user_message' && block.origin === undefined) return textOf(block)
  }
  return undefined
}

function textOf({ content }: UserMessageBlock): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** A model's block that does not name its message may be of any: then nothing is certain. */
function firstResponse(
  { blocks: own, usage }: ConversationThread,
  { program }: SessionFacts,
): string | undefined {
  const [first] = usage
  // OpenCode keeps the tokens of messages that it takes back, so there it is not certain either.
  if (first && isEmptyMessage(first, own)) return program === 'opencode' ? undefined : ''
  const model = own.filter(isOfModel)
  const messageId = model[0] && messageIdOf(model[0])
  if (messageId === undefined) return undefined
  const text = model.find((block) => block.type === 'assistant_text' && block.messageId === messageId)
  if (text?.type === 'assistant_text') return text.status === 'pending' ? undefined : text.content
  return hasEndedWithoutText(messageId, usage, own) ? '' : undefined
}

/** A message whose tokens are known to the end, and that has left no block. */
function isEmptyMessage({ final, messageId }: MessageUsage, own: readonly ConversationBlock[]): boolean {
  return final && !own.some((block) => messageIdOf(block) === messageId)
}

/**
 * A stream may not carry a subagent's text, and a file may end before the next line of the message. That there was none is
 * certain where the tokens are known to the end and the message has called a tool, or something else has followed.
 */
function hasEndedWithoutText(
  messageId: string,
  usage: readonly MessageUsage[],
  own: readonly ConversationBlock[],
): boolean {
  if (!usage.some((entry) => entry.messageId === messageId && entry.final)) return false
  const last = own.findLastIndex((block) => messageIdOf(block) === messageId)
  const hasCalled = own.some((block) => messageIdOf(block) === messageId && isCall(block))
  return hasCalled || last < own.length - 1
}

function isOfModel({ type }: ConversationBlock): boolean {
  return type === 'assistant_text' || type === 'thinking' || type === 'tool_use' || type === 'subagent'
}

function isCall({ type }: ConversationBlock): boolean {
  return type === 'tool_use' || type === 'subagent'
}
