import { isObject, type JsonObject } from '../../core/json/values.ts'
import { isModelText } from '../../core/state/block.ts'
import { numberOfId } from '../../core/state/numbered-id.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { type InputEnd, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { requestIdOf } from '../kit/requests.ts'
import { readPromptId, showBufferedPrompt } from './blocks/prompt.ts'
import { closeText, isAnswer } from './blocks/text.ts'
import { showBufferedMessage } from './blocks/user.ts'
import { AcpContext, type AcpMemory, type TextBlock } from './context.ts'
import { acpTranscripts } from './format.ts'
import { NOTES } from './notes.ts'
import { translateLine } from './routing/own-message.ts'
import { translateMessage } from './routing/translate-message.ts'
import { readMessage } from './rpc.ts'

/** Makes the notes that are needed to go on from a state. All messages of the agent are whole, except the last one of what runs. */
function open(state: SessionConversationState, memory: AcpMemory): void {
  const { blocks, turn, subagents } = state
  const isRunning = turn.status === 'running'
  const from = blocks.findLastIndex(({ type }) => type === 'user_message') + 1
  memory.notes.remember({ isOpened: true })
  openPrompts(state, memory.notes)
  openThread(MAIN, state, memory.notes)
  const priced = isRunning ? state.usage.slice(0, -1) : state.usage
  for (const { messageId } of priced) memory.notes.setEntry('pricedTurns', messageId, true)
  if (isRunning) openTurn(MAIN, { blocks: blocks.slice(from) }, memory)
  for (const agent of subagents) {
    openThread(agent.toolUseId, agent, memory.notes)
    if (!isFinal(agent.status)) openAgent(agent, memory)
  }
}

/**
 * The state has no ids of the client's requests. A source that has read them knows the working folder or the program.
 */
function openPrompts({ session, turn, blocks }: SessionConversationState, notes: AcpContext['notes']): void {
  const numbers = new Map<string, number>()
  for (const { id, type } of blocks) {
    const prompt = type === 'user_message' ? readPromptId(id) : undefined
    if (prompt) numbers.set(prompt.key, Math.max(numbers.get(prompt.key) ?? 0, prompt.number + 1))
  }
  for (const [key, count] of numbers) if (count > 1) notes.setEntry('prompts', key, { count })
  if (numbers.size === 0 || (session.cwd === undefined && session.program === undefined)) return
  notes.remember({ hasPrompts: true })
  if (turn.status === 'running') notes.remember({ openPrompts: 1, hasUnnamedPrompt: true })
}

function openThread(
  conversationId: string,
  { blocks }: ConversationThread,
  notes: AcpContext['notes'],
): void {
  let unnamed = 0
  for (const block of blocks) {
    const { id } = block
    unnamed = Math.max(unnamed, (numberOfId(id.slice(id.lastIndexOf('unnamed:'))) ?? -1) + 1)
    if (block.type === 'request') notes.setEntry('requests', requestIdOf(id), { conversationId, blockId: id })
  }
  if (unnamed > 0) notes.setEntry('unnamed', conversationId, unnamed)
}

/** The call of a running agent may still report its end. */
function openAgent(agent: SubagentState, memory: AcpMemory): void {
  const { toolUseId, agentId = toolUseId, parentConversationId = MAIN } = agent
  memory.notes.setEntry('calls', memory.notes.keyOf(parentConversationId, toolUseId), {
    toolName: '',
    fields: {},
  })
  const { resultsNameAgents, isUnreported } = memory.reader
  if (agentId !== toolUseId && (resultsNameAgents || isUnreported?.(agent)))
    memory.notes.setEntry('launched', toolUseId, true)
  openTurn(toolUseId, agent, memory)
}

/** The messages of a turn that goes on may come again. */
function openTurn(
  conversationId: string,
  { blocks }: Pick<ConversationThread, 'blocks'>,
  memory: AcpMemory,
): void {
  const text = blocks.findLast(isModelText)
  if (!text && !blocks.some(({ type }) => type === 'tool_use' || type === 'subagent')) return
  const open = text?.status === 'pending' ? text : undefined
  const openText = open && { id: open.id, length: open.content.length }
  const named = blocks.filter(isModelText).findLast(({ messageId }) => messageId !== undefined)
  memory.notes.setEntry('joints', conversationId, openText ? { openText } : {})
  memory.updateStream(conversationId, {
    ...(named?.messageId !== undefined && { messageId: named.messageId }),
    ...(open && { blockId: open.id }),
  })
}

// A message takes these steps:
// - `rpc.ts` reads a message of any form as a call or a response
// - `routing/` finds the session, and the conversation of an update
// - `blocks/`, `calls/`, `agents/`, `requests.ts` and `tokens.ts` translate the update into session events

/**
 * Reads the messages of the Agent Client Protocol, version 1, of any agent:
 * - a log of both directions: `{ dir, at, msg }`, where `in` is from the agent
 * - JSON-RPC messages without a log, of one side or of both
 * - the bare params of `session/update`: `{ sessionId, update }`
 * - lines of a program's own stream with these updates, such as Grok's `streaming-json`
 */
export const acpSource: Source = /* @__PURE__ */ defineSource({
  transcripts: acpTranscripts,
  notes: NOTES,
  begin: (session) => new AcpContext(session),
  translate,
  end,
  open,
})

function translate(message: unknown, context: AcpContext): void {
  const read = context.read(message)
  const known = isObject(read) ? readMessage(read) : undefined
  if (known) translateMessage(known, context)
  else if (isObject(read) && translateLine(read, context)) return
  else context.reportUnknown('unknown-message', isObject(read) ? nameOf(read) : 'no object')
}

function nameOf({ method, type, msg }: JsonObject): string {
  return typeName(method ?? (isObject(msg) ? msg.method : type))
}

/** Shows what waits. A text of a turn or an agent that the end of the input cuts stays open. */
function end(context: AcpContext): InputEnd {
  showBufferedPrompt(context)
  for (const id of context.conversations()) {
    showBufferedMessage(id, context)
    const open = context.openText(id)
    if (open?.status === 'pending' && endsItself(id, open, context)) closeText(id, context)
  }
  return context.endInput()
}

/** Whether the text is complete at the end of the input: it ends its turn, or belongs to none. */
function endsItself(conversationId: string, open: TextBlock, memory: AcpMemory): boolean {
  if (conversationId === MAIN) return memory.state.turn.status !== 'running' || isAnswer(open, memory)
  return isFinal(memory.state.agentOfCall(conversationId)?.status ?? 'running')
}
