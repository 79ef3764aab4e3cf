import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { ConversationBlock } from '../../../core/state/block.ts'
import { errorBlockId, messageIdOfError } from '../../../programs/opencode/tool-result.ts'
import type { Memory, SessionOutput } from '../../../reading/context.ts'
import type { TurnEnd } from '../../../reading/turn.ts'
import type { OpencodeContext } from '../context.ts'
import { type SessionPlace, sessionNote } from '../place.ts'
import { upsertSystemBlock } from './system-block.ts'

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

interface ErrorPlace {
  readonly conversationId: string
  readonly id: string
  readonly timestamp: string | undefined
}

const INTERRUPTION = 'interruption'

/** Shows the error that ended a message or a session's turn. An abort becomes a system block `interruption`. */
export function upsertError(
  error: JsonObject,
  { conversationId, id, timestamp }: ErrorPlace,
  output: SessionOutput,
): void {
  const code = asString(error.name)
  const message = messageOf(error)
  if (isAborted(error))
    return upsertSystemBlock(conversationId, { id, subtype: INTERRUPTION, message, timestamp }, output)
  const block = { type: 'error', id, status: 'error', message, code, timestamp } as const
  output.upsert(conversationId, block)
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
