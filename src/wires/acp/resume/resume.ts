import { compositeKey } from '../../../json/composite-key.ts'
import { greatest } from '../../../json/greatest.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { openText } from '../../../session/resume/resumed-turn.ts'
import { requestIdOf } from '../../../session/rpc-requests.ts'
import type { BlockOf, ConversationBlock } from '../../../state/block.ts'
import { numberOfId } from '../../../state/numbered-id.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../../../state/session.ts'
import { isFinal } from '../../../state/subagent.ts'
import { isPromptId, resumePrompt } from '../blocks/prompt.ts'
import { countCall, unmarkWhole } from '../blocks/text.ts'
import type { AcpContext } from '../context.ts'
import type { AcpMemory, ResumedItem } from '../memory.ts'

/** Returns a memory that goes on from a state. All its messages are whole, except those that were still open. */
export function resume(state: SessionConversationState, context: AcpContext): void {
  const { session, turn } = state
  context.remember({
    ...omitUndefined({ rootId: session.id }),
    isResumed: true,
    ...openRequests(state),
  })
  if (session.id !== undefined) context.setEntry('sessions', session.id, { id: session.id, role: 'root' })
  const openId = openText(state)?.id
  resumeThread(MAIN, state, openId, context)
  if (turn.status === 'running' || openId !== undefined) resumeTurn(MAIN, lastTurnOf(state.blocks), context)
  resumePrompts(state.blocks, context)
  for (const agent of state.subagents) resumeAgent(agent, context)
}

/**
 * Returns the requests of the client that have no response yet. The state has no ids of requests. A source that has read the requests of
 * the client knows the working folder or the program.
 */
function openRequests({ session, turn, blocks }: SessionConversationState): Partial<AcpMemory> {
  const hasRequests = session.cwd !== undefined || session.program !== undefined
  const isPrompted = hasRequests && blocks.some(({ id }) => isPromptId(id))
  const isOpen = isPrompted && turn.status === 'running'
  return { hasPrompts: isPrompted, ...(isOpen && { openPrompts: 1, hasUnnamedPrompt: true }) }
}

function resumeAgent(agent: SubagentState, context: AcpContext): void {
  const { toolUseId: id, agentId, status, output, parentConversationId = MAIN } = agent
  const run = status === 'pending' ? 'announced' : isFinal(status) ? 'ended' : 'running'
  context.updateAgent(id, { run, agentId, parentId: parentConversationId, hasOutput: output !== undefined })
  context.rememberCall({
    id,
    conversationId: parentConversationId,
    role: 'agent',
    toolName: '',
    fields: {},
    ...(run === 'ended' && { isEnded: true }),
  })
  // The id of a child session is that of its agent, or of the call without one.
  for (const sessionId of [id, ...(agentId === undefined ? [] : [agentId])])
    context.setEntry('sessions', sessionId, { id: sessionId, role: 'child' })
  resumeThread(id, agent, undefined, context)
  if (run === 'running') resumeTurn(id, agent.blocks, context)
}

/** Returns the blocks after main's last prompt. */
function lastTurnOf(blocks: readonly ConversationBlock[]): readonly ConversationBlock[] {
  return blocks.slice(blocks.findLastIndex(({ type }) => type === 'user_message') + 1)
}

/** Remembers the items of a turn that goes on. Its last message may go on too. */
function resumeTurn(conversationId: string, blocks: readonly ConversationBlock[], context: AcpContext): void {
  const items = blocks.flatMap(itemOf)
  if (items.length === 0) return
  const { messageId, openText } = context.thread(conversationId)
  context.updateThread(conversationId, { resumedTurn: { items, openText } })
  if (messageId !== undefined && items.some(({ id }) => id === messageId))
    unmarkWhole(conversationId, messageId, context)
}

function itemOf(block: ConversationBlock): readonly ResumedItem[] {
  switch (block.type) {
    case 'assistant_text':
      return [{ kind: 'text', id: block.messageId, content: block.content }]
    case 'thinking':
      return [{ kind: 'thinking', id: block.messageId, content: block.content }]
    case 'tool_use':
    case 'subagent':
      return [{ kind: 'call', id: block.toolUseId, content: '' }]
    default:
      return []
  }
}

function resumeThread(
  conversationId: string,
  { blocks }: ConversationThread,
  openId: string | undefined,
  context: AcpContext,
): void {
  const numbers = blocks.map(({ id }) => (numberOfId(id.slice(id.lastIndexOf('unnamed:'))) ?? -1) + 1)
  context.updateThread(conversationId, { unnamed: greatest(numbers) })
  for (const block of blocks) resumeBlock(conversationId, block, openId, context)
}

function resumeBlock(
  conversationId: string,
  block: ConversationBlock,
  openId: string | undefined,
  context: AcpContext,
): void {
  switch (block.type) {
    case 'assistant_text':
    case 'thinking':
      return resumeText(conversationId, block, block.status === 'pending' || block.id === openId, context)
    case 'tool_use':
      return resumeCall(conversationId, block, context)
    case 'tool_result':
      return resumeResult(block, context)
    case 'subagent':
      return countCall(conversationId, context)
    case 'request':
      return context.setEntry('requests', requestIdOf(block.id), block)
    default:
      return rememberMessage(conversationId, block.id, context)
  }
}

function rememberMessage(conversationId: string, id: string, context: AcpContext): void {
  const { messages } = context.memory
  const key = compositeKey(conversationId, id)
  const blocks = (messages.get(key)?.blocks ?? 0) + 1
  context.setEntry('messages', key, { id, blocks, isWhole: true })
}

function resumeText(
  conversationId: string,
  { id: blockId, type, messageId, content }: BlockOf<'assistant_text' | 'thinking'>,
  isOpen: boolean,
  context: AcpContext,
): void {
  const kind = type === 'thinking' ? 'thinking' : 'text'
  if (messageId !== undefined) {
    rememberMessage(conversationId, messageId, context)
    context.updateThread(conversationId, { messageId })
  }
  if (isOpen) context.updateThread(conversationId, { openText: { blockId, kind, messageId, content } })
  else if (kind === 'text') context.updateThread(conversationId, { lastText: content })
}

function resumeCall(
  conversationId: string,
  { id, toolName, input, status }: BlockOf<'tool_use'>,
  context: AcpContext,
): void {
  countCall(conversationId, context)
  context.rememberCall({
    id,
    conversationId,
    role: 'tool',
    toolName,
    fields: { rawInput: input, status: status === 'error' ? 'failed' : 'in_progress' },
  })
}

/** A call without a result may still get one, also if the end of an input has made it final. */
function resumeResult(
  { toolUseId, output, status, changes }: BlockOf<'tool_result'>,
  context: AcpContext,
): void {
  const call = context.call(toolUseId)
  if (!call) return
  if (status === 'pending') {
    if (typeof output === 'string') context.rememberCall(withChanges(call, { terminal: output }))
    return
  }
  const fields = withChanges(call.fields, {
    rawOutput: output,
    content: [],
    status: status === 'error' ? 'failed' : 'completed',
  })
  // The state has the changes, and not the tool's record of them.
  const response = changes && {}
  context.rememberCall(withChanges(call, omitUndefined({ fields, isEnded: true, response })))
}

function resumePrompts(blocks: readonly ConversationBlock[], context: AcpContext): void {
  for (const { type, id } of blocks) if (type === 'user_message') resumePrompt(id, context)
}
