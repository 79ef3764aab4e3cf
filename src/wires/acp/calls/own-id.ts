import { isEqual } from '../../../core/json/equal.ts'
import { asObject, type JsonObject } from '../../../core/json/values.ts'
import { isCall } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { AcpContext, AcpMemory } from '../context.ts'
import { type Call, type CallUpdate, findCall, hasEnded, readCallUpdate } from './call.ts'

// Some models number the calls of each reply anew. The second call with an id is `<id>@2`, in each form, because only
// some updates name their message.

function numbered(callId: string, number: number): string {
  return number > 1 ? `${callId}@${number}` : callId
}

/** An update of a call with the model's id. */
interface NamedUpdate {
  readonly conversationId: string
  /** The message of the call, if the program names it. */
  readonly messageId?: string | undefined
  /** The update is a line of a program's own stream. */
  readonly isOfStream?: boolean
  /** The update begins a call. */
  readonly isStart?: boolean | undefined
}

/**
 * Returns the call of a request with the id in the state. Main's session has the requests of agents too: the last
 * call with the id asks.
 */
export function withCallId(call: JsonObject, conversationId: string, memory: AcpMemory): JsonObject {
  const named = readCallUpdate(call)
  if (!named) return call
  const count = countWhile(named.id, (id) => memory.state.conversationOfCall(id) !== undefined)
  const known =
    conversationId === MAIN ? memory.state.conversationOfCall(numbered(named.id, count)) : undefined
  return { ...call, toolCallId: ownId({ conversationId: known ?? conversationId }, named, memory) }
}

/** Returns the id in the state of the call that an update is about. */
export function ownId(place: NamedUpdate, update: CallUpdate, memory: AcpMemory): string {
  const { conversationId, messageId, isStart } = place
  const count = countOf(conversationId, update.id, memory)
  if (count === 0) return update.id
  const next = numbered(update.id, count + 1)
  const number = lastIn(conversationId, update.id, count, memory)
  const last = findCall(conversationId, numbered(update.id, number), memory)
  if (!last) return next
  if (messageId !== undefined && last.messageId !== undefined) {
    const known = memory.state
      .blocksOfMessage(conversationId, messageId)
      .find((block) => isCall(block) && isNumbered(block.toolUseId, update.id))
    return isCall(known) ? known.toolUseId : isStart ? next : last.id
  }
  const stated = { ...update, isStart }
  const mayBeOther = (place.isOfStream || hasOneForm(memory.notes.values)) && hasEnded(last, memory)
  if (!mayBeOther || !contradicts(last, stated, memory)) return last.id
  return earlierId(last, number, stated, memory) ?? next
}

/** Returns the number of the last call with the id in the conversation. A call of an agent may have a later one. */
function lastIn(conversationId: string, callId: string, count: number, memory: AcpMemory): number {
  let number = count
  while (number > 0 && !findCall(conversationId, numbered(callId, number), memory)) number -= 1
  return number
}

/** Returns the number of calls with the id: those of the conversation, and those of agents. */
function countOf(conversationId: string, callId: string, memory: AcpMemory): number {
  return countWhile(
    callId,
    (id) => memory.state.agentOfCall(id) !== undefined || findCall(conversationId, id, memory) !== undefined,
  )
}

/** Returns the number of known calls with the id. It looks at few of them: a model may use one id for all its calls. */
function countWhile(callId: string, isKnown: (id: string) => boolean): number {
  const has = (number: number) => isKnown(numbered(callId, number))
  let known = 0
  let step = 1
  for (; has(known + step); step *= 2) known += step
  for (; step >= 1; step /= 2) if (has(known + step)) known += step
  return known
}

function isNumbered(toolUseId: string, callId: string): boolean {
  return (
    toolUseId === callId ||
    (toolUseId.startsWith(`${callId}@`) && /^\d+$/.test(toolUseId.slice(callId.length + 1)))
  )
}

/** Whether all messages come from the running program. A load may show the inputs of calls in another form. */
function hasOneForm(notes: AcpContext['notes']['values']): boolean {
  return notes.isOpened !== true && notes.hasReplay !== true
}

type StatedUpdate = CallUpdate & Pick<NamedUpdate, 'isStart'>

/** Whether the update is of another tool, or has another input than the call that has ended. A part of the input may come first. */
function contradicts(call: Call, update: StatedUpdate, memory: AcpMemory): boolean {
  const { fields, metaName, isStart } = update
  const input = Object.entries(asObject(fields.rawInput))
  const { reader, program } = memory
  if (call.role === 'agent') {
    const prompt = asObject(fields.rawInput)[program.fields.prompt]
    return isStart === true && input.length > 0 && prompt !== memory.state.agentOfCall(call.id)?.prompt
  }
  if (call.role !== 'tool') return false
  const name = metaName ?? fields.name
  if (name !== undefined && name !== call.toolName) return true
  const known = asObject(call.fields.rawInput)
  const keepsFirst = reader.firstFields?.includes('rawInput') === true
  return input.some(([key, value]) => {
    const other = known[key]
    if (typeof value === 'string' && typeof other === 'string') return !other.startsWith(value)
    return other === undefined ? isStart === true || !keepsFirst : !isEqual(value, other)
  })
}

/** An update may come again, so it is about one of the last calls with the input. */
const EARLIER_CALLS = 16

function earlierId(call: Call, count: number, update: StatedUpdate, memory: AcpMemory): string | undefined {
  for (let number = count - 1; number > Math.max(0, count - EARLIER_CALLS); number -= 1) {
    const earlier = findCall(call.conversationId, numbered(update.id, number), memory)
    if (earlier && !contradicts(earlier, update, memory)) return earlier.id
  }
  return undefined
}
