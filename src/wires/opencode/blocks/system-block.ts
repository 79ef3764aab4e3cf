import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { ConversationBlock } from '../../../core/state/block.ts'
import { readTodos } from '../../../core/state/todo.ts'
import { errorBlockId, messageIdOfError } from '../../../programs/opencode/tool-result.ts'
import type { Memory, SessionOutput } from '../../../reading/context.ts'
import type { TurnEnd } from '../../../reading/turn.ts'
import { errorBlock, type NoteFacts, noteBlock } from '../../kit/blocks.ts'
import type { OpencodeContext } from '../context.ts'
import { type EventPlace, type MessageRef, type SessionPlace, sessionNote } from '../place.ts'

/** A retry. OpenCode may omit the reason. */
interface Retry extends Pick<NoteFacts, 'id' | 'data' | 'timestamp'> {
  readonly message: unknown
}

/** Returns the note that OpenCode repeats a failed request. */
export function retryBlock({ message: reason, ...facts }: Retry) {
  const message = asString(reason) ?? 'the request is made again'
  return noteBlock({ subtype: 'retry', message, ...facts })
}

type Conversation = Pick<EventPlace | MessageRef, 'conversationId'>

/** Reports the plan of a conversation. Anything but a list changes nothing. */
export function reportTodos({ conversationId }: Conversation, todos: unknown, output: SessionOutput): void {
  if (!Array.isArray(todos)) return
  output.emit({ type: 'todos:updated', conversationId, todos: readTodos(todos) })
}

/** Reports the plan that a call of `todowrite` has written. A call that failed has written none. */
export function reportWrittenTodos(
  conversation: Conversation,
  { tool, state }: JsonObject,
  output: SessionOutput,
): void {
  const { status, input, metadata } = asObject(state)
  if (tool !== 'todowrite' || status !== 'completed') return
  reportTodos(conversation, asObject(metadata).todos ?? asObject(input).todos, output)
}

/** Whether the user stopped the session, which is no failure. */
function isAborted({ name }: JsonObject): boolean {
  return name === 'MessageAbortedError'
}

/** Returns how an error ends the turn: an abort interrupts the turn, another error fails it. */
export function failureOf(error: JsonObject): TurnEnd {
  return isAborted(error) ? { outcome: 'interrupted' } : { outcome: 'failed', error: messageOf(error) }
}

function messageOf({ name, data }: JsonObject): string {
  return asString(asObject(data).message) ?? asString(name) ?? 'the turn failed'
}

const INTERRUPTION = 'interruption'

/** Returns the block of an error that ended a message or a session's turn. An abort becomes a note. */
export function blockOfError(id: string, error: JsonObject, timestamp?: string) {
  const facts = { id, message: messageOf(error), timestamp }
  return isAborted(error)
    ? noteBlock({ subtype: INTERRUPTION, ...facts })
    : errorBlock({ code: asString(error.name), ...facts }, 'error')
}

/** Whether the block shows such an error. */
function showsError(block: ConversationBlock, error: JsonObject): boolean {
  if (block.type === 'error') return block.code === asString(error.name) && block.message === messageOf(error)
  return (
    block.type === 'system' &&
    block.subtype === INTERRUPTION &&
    isAborted(error) &&
    block.message === messageOf(error)
  )
}

/**
 * Whether a message has already reported the session's error, as after an export. Its turn is the one that the bus is
 * at: the last event was about the message or its prompt, or there was none since the export.
 */
export function isReportedError(
  { sessionId, conversationId }: SessionPlace,
  error: JsonObject,
  memory: Memory<OpencodeContext>,
): boolean {
  const { currentMessage: current } = sessionNote(sessionId, memory.notes.values)
  const isReport = (block: ConversationBlock) =>
    messageIdOfError(block.id) !== undefined && showsError(block, error)
  const blocks = memory.state.blocksOf(conversationId)
  if (current === undefined) return blocks.some(isReport)
  const own = memory.state.findBlock(conversationId, errorBlockId(current))
  if (own) return showsError(own, error)
  const at = blocks.findIndex(({ id }) => id === current)
  const turn = at < 0 ? [] : blocks.slice(at + 1)
  const end = turn.findIndex(isTurnStart)
  return turn.slice(0, end < 0 ? turn.length : end).some(isReport)
}

/** Removes the block of a session's error in this turn that a message now reports as its own. A repeated event must not show it again. */
export function takeBackUnassignedError(
  { conversationId }: SessionPlace,
  error: JsonObject,
  context: OpencodeContext,
): void {
  const blocks = context.state.blocksOf(conversationId)
  const start = blocks.findLastIndex(isTurnStart)
  const block = blocks.findLast(
    (each, at) => at > start && messageIdOfError(each.id) === undefined && showsError(each, error),
  )
  if (!block) return
  const { id: blockId } = block
  context.notes.setEntry('readEvents', blockId, true)
  context.emit({ type: 'block:removed', conversationId, blockId })
}

/** Whether a user message begins: the person's, or one that the program wrote. */
function isTurnStart(block: ConversationBlock): boolean {
  if (block.type === 'user_message') return block.origin !== 'summary'
  return block.type === 'system' && block.subtype === 'compaction'
}
