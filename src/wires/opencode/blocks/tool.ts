import type { IncomingBlock } from '../../../core/events/event.ts'
import type { Mutable } from '../../../core/json/fields.ts'
import { durationOf, isoTime } from '../../../core/json/iso-time.ts'
import { asArray, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { type BlockStatus, type ConversationBlock, toolResultBlockId } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import { exitCodeIn, toolChanges, UNKNOWN_TOOL } from '../../../programs/opencode/tool-result.ts'
import type { Memory, SessionOutput } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { hasResult } from '../../kit/blocks.ts'
import type { OpencodeContext } from '../context.ts'
import { forgetGrowth, isRepeatedEvent, notePartEvent, type PartRef } from '../messages.ts'
import type { MessageRef, PartUpdate } from '../place.ts'
import { resolveRequests } from '../requests.ts'
import { reportWrittenTodos } from './system-block.ts'

/** An update of a call. */
export interface CallUpdate {
  readonly update: PartUpdate
  readonly toolUseId: string
}

/** Translates a tool part into two blocks: the call and, as soon as there is output, its result. */
export function translateTool(ref: MessageRef, call: CallUpdate, context: OpencodeContext): void {
  const { update, toolUseId } = call
  const { part, id: partId, eventId } = update
  const { sessionId, conversationId, messageId } = ref
  const partRef = { sessionId, conversationId, partId }
  const state = asObject(part.state)
  const status = callStatus(part)
  if (status === 'pending' && isRepeated(partRef, call, context)) return
  const hasEnded = hasResult(conversationId, toolUseId, context.state)
  context.upsert(conversationId, callBlock(part, { state, toolUseId, status, messageId }))
  if (status !== 'pending') {
    resolveRequests(ref, part, toolUseId, context)
    if (!hasEnded) reportWrittenTodos(ref, part, context)
    forgetGrowth(partRef, context.notes)
  } else if (eventId !== undefined) notePartEvent(partRef, eventId, context.notes)
  translateResult(ref, { state, toolUseId, status }, context)
}

interface ToolCall {
  readonly state: JsonObject
  readonly toolUseId: string
  readonly status: BlockStatus
}

type CallBlock = Mutable<Extract<IncomingBlock, { readonly type: 'tool_use' }>>

/** Returns the block of a call. Its fields are a literal: V8 gives each copy with a field after a spread a hidden class of its own. */
function callBlock(
  { tool, callID }: JsonObject,
  { state, toolUseId, status, messageId }: ToolCall & Pick<MessageRef, 'messageId'>,
): CallBlock {
  const timestamp = isoTime(asObject(state.time).start)
  const block: CallBlock = {
    id: toolUseId,
    type: 'tool_use',
    status,
    toolName: asString(tool) ?? '',
    toolUseId,
    input: state.input ?? {},
    messageId,
  }
  if (timestamp !== undefined) block.timestamp = timestamp
  if (tool === SHELL && OWN_CALL.test(asString(callID) ?? '')) block.requestedBy = 'person'
  return block
}

/** The tool of a command that the person runs (`!ls`). OpenCode itself gives its call an id, a ULID. Those of models have other forms. */
const SHELL = 'bash'
const OWN_CALL = /^[0-9A-HJKMNP-TV-Z]{26}$/

/** Whether the update of a running call repeats an earlier one. The first update of a call has no input, and the later ones have it. */
function isRepeated(
  part: PartRef,
  { update, toolUseId }: CallUpdate,
  memory: Memory<OpencodeContext>,
): boolean {
  const { conversationId } = part
  const state = asObject(update.part.state)
  const result = memory.state.findBlock(conversationId, toolResultBlockId(toolUseId))
  if (result && (!memory.state.isOpen(conversationId, result.id) || isEarlierOutput(state, result)))
    return true
  if (isRepeatedEvent(part, update.eventId, memory.notes)) return true
  const isFirst = state.status === 'pending' && Object.keys(asObject(state.input)).length === 0
  return isFirst && memory.state.findBlock(conversationId, toolUseId)?.type === 'tool_use'
}

/** Whether the output is an earlier state of the known one. */
function isEarlierOutput(state: JsonObject, result: ConversationBlock): boolean {
  const known = result.type === 'tool_result' ? asString(result.output) : undefined
  const output = asString(partialOutput(state))
  return known !== undefined && known !== output && known.startsWith(output ?? '')
}

/** Returns the output that a tool shows while it runs. Some tools do. */
function partialOutput({ metadata }: JsonObject): unknown {
  return asObject(metadata).output
}

/**
 * Returns the status of a call. OpenCode turns an impossible call into a completed one of the tool `invalid`, whose
 * output is the error message.
 */
function callStatus({ tool, state }: JsonObject): BlockStatus {
  const { status } = asObject(state)
  if (status === 'error') return 'error'
  if (status !== 'completed') return 'pending'
  return tool === UNKNOWN_TOOL ? 'error' : 'complete'
}

function translateResult(
  { conversationId }: MessageRef,
  { state, toolUseId, status }: ToolCall,
  session: SessionOutput,
): void {
  const output = status === 'pending' ? partialOutput(state) : finalOutput(state)
  if (output === undefined || (status === 'pending' && isMainOver(conversationId, session.state))) return
  const { start, end } = asObject(state.time)
  session.upsert(conversationId, {
    type: 'tool_result',
    id: toolResultBlockId(toolUseId),
    status,
    toolUseId,
    output,
    isError: status === 'error',
    exitCode: status === 'pending' ? undefined : exitCodeIn(state),
    changes: status === 'pending' ? undefined : toolChanges(state),
    durationMs: durationOf(start, end),
    timestamp: isoTime(end),
  })
}

/** Whether main's turn is over. Partial output that follows shows no work: it is an update from before a stop. */
function isMainOver(conversationId: string, { turn: { status } }: SessionLookups): boolean {
  return conversationId === MAIN && status !== 'running' && status !== 'idle'
}

/** Returns the tool's output or error. Attached files make it a list. */
function finalOutput({ status, output, error, attachments }: JsonObject): unknown {
  const text = (status === 'error' ? error : output) ?? ''
  const files = asArray(attachments)
  return files.length === 0 ? text : [{ type: 'text', text }, ...files]
}
