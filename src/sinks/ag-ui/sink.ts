import { isEqual } from '../../core/json/equal.ts'
import { assertNever, isString } from '../../core/json/values.ts'
import type { BlockOf, CallBlock, ConversationBlock } from '../../core/state/block.ts'
import { createInitialConversationState, type SessionConversationState } from '../../core/state/session.ts'
import type { Sink } from '../../core/state/sink.ts'
import { isFinal } from '../../core/state/subagent.ts'
import type { AgUiEvent } from '../../wires/ag-ui/event.ts'
import { attribution, PLACEHOLDER, sessionWideId } from '../../wires/ag-ui/ids.ts'
import type { AgUiMessage, JsonObject } from '../../wires/ag-ui/message.ts'
import { callOf, type Pairs, searchedPairs } from './calls.ts'
import { type BlockChange, type ThreadChange, threadChanges } from './changes.ts'
import {
  activity,
  agentResult,
  isPaired,
  resultMessage,
  type TextMessage,
  type ToolMessage,
  textMessage,
  toAgUiMessages,
} from './messages.ts'
import { type OpenStream, type Runs, RunWriter } from './run-writer.ts'

/** The memory of the sink: the last state, and the runs so far. Treat it as opaque. */
export interface AgUiMemory {
  readonly state: SessionConversationState
  readonly runs: Runs
}

/**
 * Translates the states of a session into the events of AG-UI. A client of AG-UI gets the messages of
 * `toAgUiMessages` and the shared state of `toAgUiState`. Each turn is a run. Agents that outlive the turn keep its
 * run open, and a request to the person ends it with an interrupt.
 */
export const agUiSink: Sink<AgUiMemory, AgUiEvent> = {
  initial: { state: createInitialConversationState(), runs: { count: 0 } },
  translate(memory, state) {
    if (memory.state === state) return { memory, out: [] }
    const writer = new RunWriter(memory.runs, state)
    writeTurn(writer, memory.state, state)
    writeThreads(writer, memory.state, state)
    writer.writeState(memory.state)
    writer.closeUnlessActive()
    return { memory: { state, runs: writer.runs() }, out: writer.out }
  },
  end({ runs }, state) {
    const writer = new RunWriter(runs, state)
    writer.closeWithOutcome()
    return { out: writer.out }
  },
}

/** A turn that another turn followed since the last state has ended. */
function writeTurn(
  writer: RunWriter,
  { turn: before }: SessionConversationState,
  { turn }: SessionConversationState,
): void {
  if (before.startedAt !== undefined && turn.startedAt !== undefined && before.startedAt !== turn.startedAt)
    writer.close({ type: 'success' })
  if (turn !== before) writer.openForTurn(before.status)
}

function writeThreads(
  writer: RunWriter,
  before: SessionConversationState,
  after: SessionConversationState,
): void {
  const { threads, isGone } = threadChanges(before, after)
  const isReordered = isGone || threads.some(({ changes }) => !changes)
  if (isReordered) {
    writer.closeStreams()
    writer.write(...reorderMessages(after))
  }
  let isWritten = true
  for (const thread of threads) {
    startAgent(writer, thread)
    if (!isReordered) isWritten = writeBlocks(writer, thread) && isWritten
    endAgent(writer, thread)
  }
  if (!isWritten) writer.write(replaceMessages(after))
}

/** An agent that starts and ends within one step starts before its blocks. */
function startAgent(writer: RunWriter, { agent }: ThreadChange): void {
  if (agent && (agent.after.status === 'running' || isEnd(agent))) writer.startAgent(agent.after)
}

function endAgent(writer: RunWriter, { agent }: ThreadChange): void {
  if (agent && isEnd(agent)) writer.endAgent(agent.after)
}

function isEnd({ before, after }: NonNullable<ThreadChange['agent']>): boolean {
  return isFinal(after.status) && !(before && isFinal(before.status))
}

function writeBlocks(writer: RunWriter, { blocks, changes = [], conversationId }: ThreadChange): boolean {
  const context = { writer, conversationId, pairs: searchedPairs(blocks) }
  let isWritten = true
  for (const change of changes) isWritten = writeBlock(change, context) && isWritten
  return isWritten
}

/** The client keeps activities that a snapshot leaves out, unless the snapshot says that it has all of them. */
const HAS_ALL = { '@ag-ui/client': { authoritativeActivityTypes: null } }

/** Returns the snapshot that replaces messages at their places. */
function replaceMessages(state: SessionConversationState): AgUiEvent {
  return snapshot(toAgUiMessages(state))
}

/**
 * Returns the snapshots that remove messages or change their order. The client keeps the order of the messages that
 * it has, so it must forget them first. It also keeps reasoning, unless the snapshot has any: so the placeholder is
 * reasoning at first, and then not.
 */
function reorderMessages(state: SessionConversationState): readonly AgUiEvent[] {
  return [
    snapshot([{ id: PLACEHOLDER, role: 'reasoning', content: '' }]),
    snapshot([{ id: PLACEHOLDER, role: 'system', content: '' }]),
    { ...snapshot(toAgUiMessages(state)), metadata: { ...HAS_ALL, hasReasoning: true } },
  ]
}

function snapshot(messages: AgUiMessage[]) {
  return { type: 'MESSAGES_SNAPSHOT', messages, metadata: HAS_ALL } as const
}

/** The conversation of a block, and the place where its events go. */
interface BlockContext {
  readonly writer: RunWriter
  readonly conversationId: string
  readonly pairs: Pairs
}

/** Writes a block that is new or has changed. Returns false if no event can, and a snapshot has to replace the message. */
function writeBlock({ before, after }: BlockChange, context: BlockContext): boolean {
  switch (after.type) {
    case 'user_message':
    case 'assistant_text':
    case 'thinking':
      return writeText(sameType(before, after), after, context)
    case 'tool_use':
      if (context.pairs.call(after) !== after) return writeActivity(before, after, context)
      return writeCall(sameType(before, after), after, context)
    case 'tool_result':
      if (!isPaired(after, context.pairs)) return writeActivity(before, after, context)
      return writeResult(toolResult(before, context), toolResult(after, context), context)
    case 'subagent': {
      if (context.pairs.call(after) !== after) return writeActivity(before, after, context)
      const known = sameType(before, after)
      const isCallWritten = writeCall(known, after, context)
      const result = known && agentResult(known, context.conversationId).result
      return writeResult(result, agentResult(after, context.conversationId).result, context) && isCallWritten
    }
    case 'request':
    case 'system':
    case 'error':
    case 'skill_load':
      return writeActivity(before, after, context)
    default:
      return assertNever(after)
  }
}

function sameType<Block extends ConversationBlock>(
  before: ConversationBlock | undefined,
  after: Block,
): Block | undefined {
  return isLike(before, after) ? before : undefined
}

function isLike<Block extends ConversationBlock>(
  block: ConversationBlock | undefined,
  other: Block,
): block is Block {
  return block?.type === other.type
}

type TextBlock = BlockOf<'user_message' | 'assistant_text' | 'thinking'>

/** Writes a text that is new or has changed. Returns false if the text is not a continuation, or has parts that are no text. */
function writeText(
  before: TextBlock | undefined,
  after: TextBlock,
  { writer, conversationId }: BlockContext,
): boolean {
  const known = before && textMessage(before, conversationId)
  const message = textMessage(after, conversationId)
  if (known && !isEqual(headOf(known), headOf(message))) return false
  const kind = message.role === 'reasoning' ? 'reasoning' : 'text'
  const stream: OpenStream = { kind, id: message.id, conversationId }
  if (!isString(message.content)) {
    if (known) return isEqual(known.content, message.content)
    openText(writer, stream, message)
    writer.closeStream(stream)
    return false
  }
  const sent = known?.content ?? ''
  if (!isString(sent) || !message.content.startsWith(sent)) return false
  const delta = message.content.slice(sent.length)
  if (!known || delta !== '') openText(writer, stream, message)
  if (delta !== '') writer.write(contentOf(stream, delta))
  if (after.status !== 'pending') writer.closeStream(stream)
  return true
}

function headOf({ role, metadata }: TextMessage): object {
  return { role, metadata: metadata ?? null }
}

function openText(writer: RunWriter, stream: OpenStream, { role, metadata }: TextMessage): void {
  const of = { messageId: stream.id, ...attribution(stream.conversationId) }
  const facts: { readonly metadata?: JsonObject } = metadata ? { metadata } : {}
  if (role === 'reasoning')
    writer.openStream(
      stream,
      { type: 'REASONING_START', ...of },
      { type: 'REASONING_MESSAGE_START', role, ...facts, ...of },
    )
  else writer.openStream(stream, { type: 'TEXT_MESSAGE_START', role, ...facts, ...of })
}

function contentOf({ kind, id: messageId, conversationId }: OpenStream, delta: string) {
  const of = { messageId, delta, ...attribution(conversationId) }
  return kind === 'text'
    ? ({ type: 'TEXT_MESSAGE_CONTENT', ...of } as const)
    : ({ type: 'REASONING_MESSAGE_CONTENT', ...of } as const)
}

/** Writes a call that is new or has changed. Returns false if its arguments do not continue those before. */
function writeCall(
  before: CallBlock | undefined,
  after: CallBlock,
  { writer, conversationId }: BlockContext,
): boolean {
  const known = before && callOf(before, conversationId)
  const call = callOf(after, conversationId)
  if (known && known.name !== call.name) return false
  const sent = known?.text ?? ''
  const rest = call.text.startsWith(sent) ? call.text.slice(sent.length) : restOfJson(sent, call.text)
  if (rest === undefined) return false
  const of = { toolCallId: call.id, ...attribution(conversationId) }
  const stream: OpenStream = { kind: 'call', id: call.id, conversationId }
  if (!known || rest !== '')
    writer.openStream(stream, {
      type: 'TOOL_CALL_START',
      toolCallName: call.name,
      parentMessageId: sessionWideId(conversationId, after.id),
      ...of,
    })
  if (rest !== '') writer.write({ type: 'TOOL_CALL_ARGS', delta: rest, ...of })
  if (call.isComplete) writer.closeStream(stream)
  return true
}

/**
 * Returns the text that completes a streamed JSON text to the value of `whole`, or undefined if it cannot. `whole`
 * has no spaces between its tokens, and the streamed text may have them.
 */
export function restOfJson(streamed: string, whole: string): string | undefined {
  let [at, isInText, isEscaped] = [0, false, false]
  for (const unit of streamed.split('')) {
    if (!isInText && /\s/.test(unit)) continue
    if (unit !== whole[at]) return undefined
    at += 1
    if (isEscaped) isEscaped = false
    else if (unit === '\\') isEscaped = true
    else if (unit === '"') isInText = !isInText
  }
  return whole.slice(at)
}

function toolResult(
  block: ConversationBlock | undefined,
  { conversationId }: BlockContext,
): ToolMessage | undefined {
  return block?.type === 'tool_result' && block.status !== 'pending'
    ? resultMessage(block, conversationId)
    : undefined
}

function writeResult(
  before: ToolMessage | undefined,
  after: ToolMessage | undefined,
  { writer, conversationId }: BlockContext,
): boolean {
  if (before || !after) return isEqual(before, after)
  const { id: messageId, role, toolCallId, content, metadata } = after
  writer.write({
    type: 'TOOL_CALL_RESULT',
    messageId,
    toolCallId,
    role,
    content,
    ...(metadata && { metadata }),
    ...attribution(conversationId),
  })
  return true
}

function writeActivity(
  before: ConversationBlock | undefined,
  after: BlockOf<ConversationBlock['type']>,
  { writer, conversationId }: BlockContext,
): boolean {
  const { id: messageId, activityType, content, subagentRunId } = activity(after, conversationId)
  if (before && isEqual(activity(before, conversationId).content, content)) return true
  writer.write({
    type: 'ACTIVITY_SNAPSHOT',
    messageId,
    activityType,
    content,
    replace: true,
    ...(subagentRunId !== undefined && { subagentRunId }),
  })
  return true
}
