import { isString, type JsonObject } from '../../core/json/values.ts'
import { type BlockOf, toolResultBlockId } from '../../core/state/block.ts'
import type { Memory } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { freeNumber } from '../kit/reused-ids.ts'
import type { StoredMessage } from './messages.ts'
import type { ClineContext } from './notes.ts'

// Some servers of models number the calls of each reply anew. The second call with an id is `<id>@2`, in the stream
// and in the files.

function numbered(callId: string, number: number): string {
  return number > 1 ? `${callId}@${number}` : callId
}

/** Returns the messages of a file with an id of its own for each call, and for its result. */
export function withOwnIds(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  const ids = messages.flatMap(({ parts }) =>
    parts.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : [])),
  )
  if (new Set(ids).size === ids.length) return messages
  const counts = new Map<unknown, number>()
  // The calls of the last reply that have no result, by the model's id.
  const open = new Map<unknown, number[]>()
  const ownPart = (part: JsonObject): JsonObject => {
    const { type, id, tool_use_id: callId } = part
    if (type === 'tool_use' && isString(id)) {
      const count = (counts.get(id) ?? 0) + 1
      counts.set(id, count)
      open.set(id, [...(open.get(id) ?? []), count])
      return { ...part, id: numbered(id, count) }
    }
    if (type !== 'tool_result' || !isString(callId)) return part
    return { ...part, tool_use_id: numbered(callId, open.get(callId)?.shift() ?? counts.get(callId) ?? 1) }
  }
  return messages.map((message) => {
    if (!message.isUser) open.clear()
    return { ...message, parts: message.parts.map(ownPart) }
  })
}

/** A call of the stream by the model's id. */
interface StreamedCall {
  readonly conversationId: string
  readonly callId: string
  readonly time: string | undefined
}

/** Returns the id of a call that begins. If the last call with its id has ended before, it is another one. */
export function idOfStart(call: StreamedCall, memory: Memory<ClineContext>): string {
  const { conversationId, callId, time } = call
  const count = countOf(call, memory.state)
  const result = memory.state.findBlock(conversationId, toolResultBlockId(numbered(callId, count)))
  const end = result?.status === 'pending' ? undefined : result?.timestamp
  const isInFile = time !== undefined && time <= (memory.notes.values.covered.get(conversationId) ?? '')
  const isNext = count > 0 && end !== undefined && time !== undefined && time > end && !isInFile
  return isNext ? numbered(callId, count + 1) : idAt(call, memory.state)
}

/** Returns the id of the call that runs at the time. A line from before the next call comes again. */
export function idAt(call: StreamedCall, state: SessionLookups): string {
  const { callId, time } = call
  let number = countOf(call, state)
  const hasBegun = (timestamp: string | undefined) =>
    time === undefined || timestamp === undefined || timestamp <= time
  while (number > 1 && !hasBegun(callWith(call, number, state)?.timestamp)) number -= 1
  return numbered(callId, number)
}

/** Returns the number of calls with the id. A model may use one id for all its calls. */
function countOf(call: StreamedCall, state: SessionLookups): number {
  return freeNumber((number) => callWith(call, number + 1, state) !== undefined)
}

function callWith(
  { conversationId, callId }: StreamedCall,
  number: number,
  state: SessionLookups,
): BlockOf<'tool_use'> | undefined {
  const block = state.findBlock(conversationId, numbered(callId, number))
  return block?.type === 'tool_use' ? block : undefined
}
