import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asObject, asString, type JsonObject } from '../../../json/values.ts'
import { type BlockStatus, toolResultBlockId } from '../../../state/block.ts'
import { compositeKey } from '../../translation/composite-key.ts'
import type { OpencodeContext } from '../context.ts'
import { durationOf, isoTime } from '../events/time.ts'
import { type MessageRef, type PartUpdate, partOf, rememberPart } from './known-message.ts'

/** A tool call and, once there is some, its result: one part for the program, two blocks here. */
export function translateTool(ref: MessageRef, { part, id }: PartUpdate, translation: OpencodeContext): void {
  const { conversationId, messageId } = ref
  const state = asObject(part.state)
  const status = callStatus(part)
  if (status === 'pending' && partOf(ref, id, translation)?.isFinal === true) return
  const toolUseId = callIdOf(part, { partId: id, scope: ref.sessionId }, translation)
  const toolName = asString(part.tool) ?? ''
  const timestamp = isoTime(asObject(state.time).start)
  const call = { type: 'tool_use', id, status, toolName, toolUseId, messageId, timestamp } as const
  translation.upsert(conversationId, { ...omitUndefined(call), input: state.input ?? {} })
  translateResult(ref, { part, toolUseId, status }, translation)
  const blockIds = [id, toolResultBlockId(toolUseId)]
  rememberPart(ref, { id, blockIds, isFinal: status !== 'pending' }, translation)
}

interface CallPlace {
  readonly partId: string
  /** Within what the id has to be a call's alone. */
  readonly scope: string
}

/** The id of a call: the model's, or the part's where that is missing or another part has it already. */
export function callIdOf(
  { callID }: JsonObject,
  { partId, scope }: CallPlace,
  translation: OpencodeContext,
): string {
  if (typeof callID !== 'string') return partId
  const { calls } = translation.memory
  const key = compositeKey(scope, callID)
  const owner = calls.get(key)
  if (owner === undefined) translation.remember({ calls: calls.with(key, partId) })
  return owner === undefined || owner === partId ? callID : partId
}

/** A call that cannot be made becomes one of the tool `invalid`, which tells the model why: to the program a success. */
function callStatus({ tool, state }: JsonObject): BlockStatus {
  const { status } = asObject(state)
  if (status === 'error') return 'error'
  if (status !== 'completed') return 'pending'
  return tool === 'invalid' ? 'error' : 'complete'
}

interface Call {
  readonly part: JsonObject
  readonly toolUseId: string
  readonly status: BlockStatus
}

function translateResult(
  { conversationId }: MessageRef,
  { part, toolUseId, status }: Call,
  translation: OpencodeContext,
): void {
  const state = asObject(part.state)
  const output = status === 'pending' ? asObject(state.metadata).output : outputOf(state)
  // Some tools show what they have so far.
  if (output === undefined) return
  const { start, end } = asObject(state.time)
  translation.upsert(
    conversationId,
    omitUndefined({
      type: 'tool_result',
      id: toolResultBlockId(toolUseId),
      status,
      toolUseId,
      output,
      isError: status === 'error',
      durationMs: durationOf(start, end),
      timestamp: isoTime(end),
    }),
  )
}

/** What the tool said, together with the files that it attached. */
function outputOf({ status, output, error, attachments }: JsonObject): unknown {
  const said = (status === 'error' ? error : output) ?? ''
  const files = asArray(attachments)
  return files.length === 0 ? said : [{ type: 'text', text: said }, ...files]
}
