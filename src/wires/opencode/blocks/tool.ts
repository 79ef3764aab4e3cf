import type { IncomingBlock } from '../../../events/event.ts'
import { compositeKey } from '../../../json/composite-key.ts'
import type { Mutable } from '../../../json/mutable.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asObject, asString, type JsonObject } from '../../../json/values.ts'
import { UNKNOWN_TOOL } from '../../../programs/opencode/program.ts'
import { toolChanges } from '../../../programs/opencode/tool-changes.ts'
import { durationOf, isoTime } from '../../../session/time.ts'
import { type BlockStatus, toolResultBlockId } from '../../../state/block.ts'
import { MAIN } from '../../../state/session.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownPart } from '../memory.ts'
import { findPart, rememberPart } from '../records/message.ts'
import { isRepeatedEvent, withSeenEvent } from '../records/seen-events.ts'
import { resolveRequests } from '../requests/resolve.ts'
import type { MessageRef, PartUpdate } from '../routing/event-place.ts'
import { reportWrittenTodos } from './todos.ts'

type CallBlock = Mutable<Extract<IncomingBlock, { readonly type: 'tool_use' }>>

/** Translates a tool part into two blocks: the call and, as soon as there is output, its result. */
export function translateTool(
  ref: MessageRef,
  { part, id, eventId }: PartUpdate,
  context: OpencodeContext,
): void {
  const { conversationId, messageId } = ref
  const state = asObject(part.state)
  const status = callStatus(part)
  const before = findPart(ref, id, context)
  if (status === 'pending' && (before?.isFinal === true || isRepeated(state, before, eventId))) return
  const toolUseId = uniqueCallId(part, { partId: id, scope: ref.sessionId, messageId }, context)
  context.upsert(conversationId, callBlock(part.tool, { state, toolUseId, status, messageId }))
  const resultId = toolResultBlockId(toolUseId)
  const isFinal = status !== 'pending'
  const isRepeatedEnd = before?.isFinal === true && before.blockIds.includes(resultId)
  if (isFinal) resolveRequests(ref, part, toolUseId, context)
  if (isFinal && !isRepeatedEnd) reportWrittenTodos(ref, part, context)
  translateResult(ref, { state, toolUseId, status }, context)
  const blockIds = [toolUseId, resultId]
  const seenEventIds = isFinal ? undefined : withSeenEvent(before, eventId, context)
  const output = isFinal ? undefined : asString(partialOutput(state))
  rememberPart(ref, omitUndefined({ id, blockIds, isFinal, seenEventIds, output }), context)
}

/** Returns the block of a call. Its fields are a literal: V8 gives each copy with a field after a spread a hidden class of its own. */
function callBlock(
  tool: unknown,
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
  return block
}

/** Whether the output is an earlier state of the known one. */
function isEarlierOutput(output: string | undefined, before: KnownPart | undefined): boolean {
  const known = before?.output
  return known !== undefined && known !== output && known.startsWith(output ?? '')
}

/** Returns the output that a tool shows while it runs. Some tools do. */
function partialOutput({ metadata }: JsonObject): unknown {
  return asObject(metadata).output
}

/** Whether the update repeats an earlier one. The first update of a call has no input, and the later ones have it. */
function isRepeated(state: JsonObject, before: KnownPart | undefined, eventId: string | undefined): boolean {
  if (isRepeatedEvent(before, eventId) || isEarlierOutput(asString(partialOutput(state)), before)) return true
  const { status, input } = state
  const isFirst = status === 'pending' && Object.keys(asObject(input)).length === 0
  return isFirst && before !== undefined && before.subagentCallId === undefined
}

interface CallScope {
  readonly partId: string
  /** The session in which call ids are unique, or the empty string for the whole input. */
  readonly scope: string
  readonly messageId: string
}

/** Returns the model's id of a call. If that id is missing, or belongs to another part, the part's id replaces it. */
export function uniqueCallId(
  { callID }: JsonObject,
  { partId, scope, messageId }: CallScope,
  context: OpencodeContext,
): string {
  if (typeof callID !== 'string') return partId
  const { partIdByCall } = context.memory
  const key = compositeKey(scope, callID)
  const owner = partIdByCall.get(key)
  const isOwn = owner === undefined || owner === partId
  const ownKey = isOwn ? key : compositeKey(scope, messageId, callID)
  if (partIdByCall.get(ownKey) !== partId) context.setEntry('partIdByCall', ownKey, partId)
  return isOwn ? callID : partId
}

/**
 * Returns the status of a call. OpenCode turns an impossible call into a completed one of the tool `invalid`, whose output is
 * the error message.
 */
function callStatus({ tool, state }: JsonObject): BlockStatus {
  const { status } = asObject(state)
  if (status === 'error') return 'error'
  if (status !== 'completed') return 'pending'
  return tool === UNKNOWN_TOOL ? 'error' : 'complete'
}

interface ToolCall {
  readonly state: JsonObject
  readonly toolUseId: string
  readonly status: BlockStatus
}

function translateResult(
  { conversationId }: MessageRef,
  { state, toolUseId, status }: ToolCall,
  context: OpencodeContext,
): void {
  const output = status === 'pending' ? partialOutput(state) : finalOutput(state)
  if (output === undefined || (status === 'pending' && isMainOver(conversationId, context))) return
  const { start, end } = asObject(state.time)
  context.upsert(
    conversationId,
    omitUndefined({
      type: 'tool_result',
      id: toolResultBlockId(toolUseId),
      status,
      toolUseId,
      output,
      isError: status === 'error',
      changes: status === 'pending' ? undefined : toolChanges(state),
      durationMs: durationOf(start, end),
      timestamp: isoTime(end),
    }),
  )
}

/** Whether main's turn is over. Partial output that follows shows no work: it is an update from before a stop. */
function isMainOver(conversationId: string, { turn: { status } }: OpencodeContext): boolean {
  return conversationId === MAIN && status !== 'running' && status !== 'idle'
}

/** Returns the tool's output or error. Attached files make it a list. */
function finalOutput({ status, output, error, attachments }: JsonObject): unknown {
  const text = (status === 'error' ? error : output) ?? ''
  const files = asArray(attachments)
  return files.length === 0 ? text : [{ type: 'text', text }, ...files]
}
