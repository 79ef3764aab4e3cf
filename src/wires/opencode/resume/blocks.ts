import { compositeKey } from '../../../json/composite-key.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asString } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { opencode } from '../../../programs/opencode/program.ts'
import { answeredCalls } from '../../../selectors/find.ts'
import {
  type AssistantTextBlock,
  type ConversationBlock,
  type SubagentBlock,
  type ThinkingBlock,
  type ToolUseBlock,
  toolResultBlockId,
  type UserMessageBlock,
} from '../../../state/block.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownPart } from '../memory.ts'
import { findMessage, newMessage, rememberPart } from '../records/message.ts'
import { rememberResumedPart, userPart, WHOLE_INPUT } from '../records/resumed.ts'
import { rememberRequest } from '../requests/known-request.ts'
import { resumeNote } from './notes.ts'
import type { ResumedThread } from './threads.ts'

/** Remembers the part, request or error that a block shows. */
export function resumeBlock(block: ConversationBlock, thread: ResumedThread, context: OpencodeContext): void {
  switch (block.type) {
    case 'user_message':
      return resumeUserMessage(block, thread, context)
    case 'assistant_text':
    case 'thinking':
      return resumeText(block, thread, context)
    case 'tool_use':
      return resumeCall(block, thread, context)
    case 'subagent':
      return resumeSubagentCall(block, thread, context)
    case 'request':
      return rememberRequest(thread.sessionId, block, context)
    case 'system':
    case 'error':
      return resumeNote(block, thread, context)
    default:
      return
  }
}

/** A person's message has the message's id. A message that the program wrote has its part's id, and names no message. */
function resumeUserMessage(block: UserMessageBlock, thread: ResumedThread, context: OpencodeContext): void {
  const { id, content, origin, timestamp, changes } = block
  if (origin === 'summary')
    return rememberResumedPart(
      thread.sessionId,
      { part: textPart(block), message: { isUser: false, isSummary: true } },
      context,
    )
  if (origin !== undefined) return rememberResumedPart(thread.sessionId, userPart(block), context)
  const ref = { ...thread, messageId: id }
  context.setMessage(ref, { ...newMessage(id), isReported: true, isUser: true, timestamp, changes })
  const parts = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
  for (const [at, part] of parts.entries())
    rememberPart(ref, { id: placeholderId(at), blockIds: [id], content: part, isPlaceholder: true }, context)
}

/** Returns an id that sorts before the ids of OpenCode's parts. */
function placeholderId(at: number): string {
  return `!${String(at).padStart(6, '0')}`
}

function resumeText(
  block: AssistantTextBlock | ThinkingBlock,
  thread: ResumedThread,
  context: OpencodeContext,
): void {
  const { id, messageId = '', type, content, status, timestamp } = block
  const isOpen = status === 'pending' || id === thread.openTextId
  const ref = { ...thread, messageId }
  const time = timestamp === undefined ? {} : { start: Date.parse(timestamp), end: Date.parse(timestamp) }
  const part = { id, type: 'text', text: content, time }
  const isUnattributed = type === 'assistant_text' && findMessage(ref, context)?.isReported !== true
  const unattributed = isUnattributed ? { part, id, eventId: undefined } : undefined
  rememberPart(ref, withChanges(textPart(block, isOpen), omitUndefined({ unattributed })), context)
  const message = context.ownMessage(ref)
  if (isOpen) message.streamingPartIds = [...message.streamingPartIds, id]
  message.lastResumedPartId = id
}

/** A text is final unless its block is open. An empty one may still grow: an export holds no text before it is complete. */
function textPart(
  block: AssistantTextBlock | ThinkingBlock | UserMessageBlock,
  isOpen = block.status === 'pending',
): KnownPart {
  const { id, content } = block
  const blockIds = [id]
  if (typeof content !== 'string' || (!isOpen && content !== '')) return { id, blockIds, isFinal: true }
  return { id, blockIds, resumedText: { block: { ...block, content } } }
}

function resumeCall(
  { id, toolUseId, toolName, messageId = '', status, timestamp }: ToolUseBlock,
  thread: ResumedThread,
  context: OpencodeContext,
): void {
  const isFinal = status !== 'pending'
  // The end of an input makes a call final whose result may still follow.
  const mayHaveResult = !isFinal || answeredCalls(thread.blocks).has(toolUseId)
  const blockIds = mayHaveResult ? [id, toolResultBlockId(toolUseId)] : [id]
  const output = isFinal ? undefined : outputOf(toolUseId, thread)
  const part = omitUndefined({ id: toolUseId, blockIds, isFinal, output, timestamp, isPlaceholder: true })
  rememberPart({ ...thread, messageId }, part, context)
  rememberCallOwner(toolUseId, thread.sessionId, context)
  if (opencode.tools.agent.includes(toolName)) rememberCallOwner(toolUseId, WHOLE_INPUT, context)
}

function outputOf(toolUseId: string, { blocks }: ResumedThread): string | undefined {
  const result = blocks.find((block) => block.type === 'tool_result' && block.toolUseId === toolUseId)
  return result?.type === 'tool_result' ? asString(result.output) : undefined
}

function resumeSubagentCall(
  { id, toolUseId, messageId }: SubagentBlock,
  thread: ResumedThread,
  context: OpencodeContext,
): void {
  if (messageId === undefined) return
  const part = { id: toolUseId, blockIds: [id], subagentCallId: toolUseId, isPlaceholder: true }
  rememberPart({ ...thread, messageId }, part, context)
  rememberCallOwner(toolUseId, WHOLE_INPUT, context)
}

/** The call's id stands in for the id of its part until the part's next event. */
function rememberCallOwner(callId: string, scope: string, context: OpencodeContext): void {
  context.setEntry('partIdByCall', compositeKey(scope, callId), callId)
}
