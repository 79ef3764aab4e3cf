import { omitUndefined } from '../json/fields.ts'
import { findConversation } from '../selectors/find.ts'
import { type ConversationBlock, isPrompt, messageIdOf, type UserMessageBlock } from '../state/block.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../state/session.ts'
import { type FirstMessages, firstResponseText, isModelBlock, type OwnThread } from './first-response.ts'
import {
  type ConversationIdentity,
  computeConversationHash,
  hashFirstAssistantResponse,
  hashUserMessage,
} from './hashes.ts'

/** The options of `identifyConversation`. */
export interface IdentifyOptions {
  readonly agentTypeHash: string
  /** `'main'` (the default), or a subagent's `toolUseId` or `agentId`. */
  readonly conversationId?: string
  /** The user's first message, if the stream does not contain it. The stream must be complete from its beginning. */
  readonly firstUserText?: string
  /** The certain facts about the first messages of the session's program. If absent, each message of the model counts as whole. */
  readonly program?: FirstMessages | undefined
}

/**
 * Returns the identity of a conversation in a session, or null while the state does not contain the first prompt and
 * the whole first response.
 */
export function identifyConversation(
  state: SessionConversationState,
  { conversationId = MAIN, program, ...options }: IdentifyOptions,
): ConversationIdentity | null {
  const thread = findConversation(state, conversationId)
  if (!thread) return null
  const parentId = 'toolUseId' in thread ? thread.parentConversationId : undefined
  const parent = parentId === undefined ? undefined : findConversation(state, parentId)
  return identifyThread(thread, options, { ...parentFacts(parent), program })
}

/** The facts outside of a thread that its identity depends on. */
interface ThreadContext {
  /** The ids of the messages in the parent's thread. */
  readonly parentMessageIds: ReadonlySet<string>
  /** The ids of the parent's calls of subagents, if the message of the call is known. */
  readonly parentCallIds: ReadonlySet<string>
  readonly program: FirstMessages | undefined
}

/** Returns the facts about a parent that its children's identities depend on. */
export function parentFacts(parent: ConversationThread | undefined): Omit<ThreadContext, 'program'> {
  const blocks = parent?.blocks ?? []
  const calls = blocks.filter((block) => block.type === 'subagent')
  return {
    parentMessageIds: new Set(blocks.flatMap((block) => messageIdOf(block) ?? [])),
    parentCallIds: new Set(
      calls.flatMap(({ messageId, toolUseId }) => (messageId === undefined ? [] : toolUseId)),
    ),
  }
}

/** Like `identifyConversation`, for a thread. */
export function identifyThread(
  thread: ConversationThread | SubagentState,
  { agentTypeHash, firstUserText }: Omit<IdentifyOptions, 'conversationId' | 'program'>,
  context: ThreadContext,
): ConversationIdentity | null {
  const own = withoutParentMessages(thread, context.parentMessageIds)
  const first = own.blocks.find(isExchange)
  const shownPrompt = first && isPrompt(first) ? userText(first) : undefined
  const isSubagent = 'toolUseId' in thread
  if (isSubagent && shownPrompt !== thread.prompt && !hasBeginning(thread, context)) return null
  const prompt = firstUserText ?? (isSubagent ? thread.prompt : undefined) ?? shownPrompt
  const response = firstResponseText(own, { program: context.program, isSubagent })
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
    isDistinct: response.trim() !== '',
  }
}

/** The thread of a forked subagent begins with a copy of its parent's messages. They are not its own. */
function withoutParentMessages(thread: OwnThread, parentMessageIds: ReadonlySet<string>): OwnThread {
  if (parentMessageIds.size === 0) return thread
  const { blocks, usage, openBlocks, status } = thread
  return omitUndefined({
    openBlocks,
    status,
    blocks: blocks.filter((block) => !parentMessageIds.has(messageIdOf(block) ?? '')),
    usage: usage.filter(({ messageId }) => !parentMessageIds.has(messageId)),
  })
}

/**
 * Returns whether a subagent's thread is complete from its beginning, although its prompt does not show it. It is
 * complete if the parent's call is known, because the call comes first. The format may say that a program always
 * shows the prompt: then the thread is not complete. With an unknown program it counts as complete.
 */
function hasBeginning(
  { toolUseId }: SubagentState,
  { parentCallIds, program }: Pick<ThreadContext, 'parentCallIds' | 'program'>,
): boolean {
  const start = program?.startProvedBy
  if (start === 'call') return parentCallIds.has(toolUseId)
  return start === undefined
}

/** A prompt after a block of the model, or after a tool result, is not the first prompt. */
function isExchange(block: ConversationBlock): boolean {
  return isPrompt(block) || isModelBlock(block) || block.type === 'tool_result'
}

function userText({ content }: UserMessageBlock): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
