import { traitsOfProgram } from '../formats/all.ts'
import { findConversation } from '../selectors/find.ts'
import { type ConversationBlock, isPrompt, messageIdOf, type UserMessageBlock } from '../state/block.ts'
import {
  type ConversationThread,
  MAIN,
  type MessageUsage,
  type SessionConversationState,
  type SubagentState,
} from '../state/session.ts'
import { shortSha256 } from './sha256.ts'

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
  return shortSha256(agentTypeHash, firstUserMessageHash, firstAssistantResponseHash)
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
 * Returns who a conversation is, or null while the state does not tell: its first prompt is not carried (some streams lack
 * main's), or the first response is not there to its end. The first prompt is what the person, or the
 * parent, wrote first, text parts joined by a newline; the first response is the first text of the model's first message, or
 * the empty text if that message called tools alone, or is empty and the last one (an empty one before others may have been
 * taken back). A stream that is joined after main's first turn looks like one that begins there.
 */
export function identifyConversation(
  state: SessionConversationState,
  { conversationId = MAIN, ...options }: IdentifyOptions,
): ConversationIdentity | null {
  const thread = findConversation(state, conversationId)
  if (!thread) return null
  const parentId = 'parentConversationId' in thread ? thread.parentConversationId : undefined
  const parent = typeof parentId === 'string' ? findConversation(state, parentId) : undefined
  return identifyThread(thread, options, { ...callsIn(parent), program: state.session.program })
}

/** Where a thread is. */
interface ThreadPlace {
  /** The ids of its parent's messages. */
  readonly copied: ReadonlySet<string>
  /** The calls of subagents in its parent of which the message is known. */
  readonly called: ReadonlySet<string>
  /** The agent program, where it is known. */
  readonly program: string | undefined
}

/** What a conversation tells of those that it has called. */
export function callsIn(parent: ConversationThread | undefined): Omit<ThreadPlace, 'program'> {
  const blocks = parent?.blocks ?? []
  const calls = blocks.filter((block) => block.type === 'subagent')
  return {
    copied: new Set(blocks.flatMap((block) => messageIdOf(block) ?? [])),
    called: new Set(calls.flatMap(({ messageId, toolUseId }) => (messageId === undefined ? [] : toolUseId))),
  }
}

/** Like `identifyConversation`, of a thread. */
export function identifyThread(
  thread: ConversationThread | SubagentState,
  { agentTypeHash, firstUserText }: Omit<IdentifyOptions, 'conversationId'>,
  { copied, called, program }: ThreadPlace,
): ConversationIdentity | null {
  const own = ownThread(thread, copied)
  const first = own.blocks.find(isSaid)
  const prompted = first && isPrompt(first) ? textOf(first) : undefined
  const isSubagent = 'toolUseId' in thread
  if (isSubagent && prompted !== thread.prompt && !isWhole(thread, { called, program })) return null
  const prompt = firstUserText ?? (isSubagent ? thread.prompt : undefined) ?? prompted
  const response = firstResponse(own, program)
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
function ownThread({ blocks, usage }: ConversationThread, copied: ReadonlySet<string>): ConversationThread {
  if (copied.size === 0) return { blocks, usage }
  return {
    blocks: blocks.filter((block) => !copied.has(messageIdOf(block) ?? '')),
    usage: usage.filter(({ messageId }) => !copied.has(messageId)),
  }
}

/**
 * Whether a subagent's thread is there from its beginning, though that does not show the prompt. It is if its call was seen,
 * which comes first. A program may always show the prompt; of unknown programs nothing is known.
 */
function isWhole(
  { toolUseId }: SubagentState,
  { called, program }: Pick<ThreadPlace, 'called' | 'program'>,
): boolean {
  const start = traitsOfProgram(program)?.firstMessages.subagentStart
  if (start === 'call') return called.has(toolUseId)
  return start === undefined
}

/** A prompt after the model's first word, or a tool's, is a later one. */
function isSaid(block: ConversationBlock): boolean {
  return isPrompt(block) || isOfModel(block) || block.type === 'tool_result'
}

function textOf({ content }: UserMessageBlock): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** Events without a known program come from a host that emits whole messages. */
const NO_PROGRAM = { canBeEmpty: true, hasUsage: false }

/** A model's block that does not name its message may be of any: then nothing is certain. */
function firstResponse(
  { blocks: own, usage }: ConversationThread,
  program: string | undefined,
): string | undefined {
  const { canBeEmpty, hasUsage } = traitsOfProgram(program)?.firstMessages ?? NO_PROGRAM
  const model = own.filter(isOfModel)
  const [first] = usage
  // The tokens of messages that were taken back stay, so it is not certain where others follow.
  if (first && isEmptyMessage(first, own)) return canBeEmpty && model.length === 0 ? '' : undefined
  const messageId = model[0] && messageIdOf(model[0])
  if (messageId === undefined) return undefined
  // Text may arrive before its message's role. Only a model's message has usage.
  if (hasUsage && !usage.some((entry) => entry.messageId === messageId)) return undefined
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
