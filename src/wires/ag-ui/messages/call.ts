import { omitUndefined } from '../../../core/json/fields.ts'
import { isObject, parseJson } from '../../../core/json/values.ts'
import { type BlockOf, toolResultBlockId } from '../../../core/state/block.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { announceAgent, endAgentCall, extendAgentCall } from '../agents/agent-call.ts'
import { addOutput } from '../agents/run.ts'
import type { AgUiContext, AgUiMemory } from '../context.ts'
import { AGENT_CALL, type Place } from '../ids.ts'
import { type CallResult, readOutput } from './content.ts'
import { beginAgain, newPart, takesDeltas } from './text.ts'

/** A call that begins. */
interface CallStart {
  readonly toolName: string
  readonly messageId: string | undefined
  readonly timestamp: string | undefined
}

/** Whether the call is that of an agent: the agent has started, or the name of the call says so. */
export function isAgentCall({ conversationId, id }: Place, toolName: string, state: SessionLookups): boolean {
  const parentId = state.agentOfCall(id)?.parentConversationId
  return parentId === undefined ? toolName === AGENT_CALL : parentId === conversationId
}

/** Begins a call, or begins a known one again. */
export function startCall(place: Place, start: CallStart, context: AgUiContext): void {
  if (isAgentCall(place, start.toolName, context.state)) return announceAgent(place, start.timestamp, context)
  const known = context.find(place, 'call')
  if (known) return restartCall(known, start, context)
  context.noteWork()
  context.show(newCall(place, start, context))
}

/** Returns the block of a call that begins. */
export function newCall(
  place: Place,
  { toolName, messageId, timestamp }: CallStart,
  memory: AgUiMemory,
): BlockOf<'tool_use'> {
  return omitUndefined({
    type: 'tool_use',
    ...memory.slotOf(place, 'call'),
    status: 'pending',
    toolName,
    toolUseId: place.id,
    input: {},
    inputText: '',
    // The id of a message that is a single call says nothing about the call.
    messageId: messageId === place.id ? undefined : messageId,
    timestamp,
  })
}

function restartCall(known: BlockOf<'tool_use'>, { toolName }: CallStart, context: AgUiContext): void {
  const args = argumentsOf(known)
  if (args !== undefined) beginAgain(known, args, context)
  if (known.toolName !== toolName) context.show({ ...known, toolName })
}

/** Returns the arguments of a call that may still get some. Without any arguments so far, nothing shows that they are complete. */
function argumentsOf({ inputText, input }: BlockOf<'tool_use'>): string | undefined {
  const isEmpty = isObject(input) && Object.keys(input).length === 0
  return inputText ?? (isEmpty ? NO_ARGUMENTS : undefined)
}

const NO_ARGUMENTS = '{}'

/** Appends to the arguments of a call. Complete arguments come again. */
export function extendCall(place: Place, delta: string, context: AgUiContext): void {
  const agent = context.state.agentOfCall(place.id)
  if (agent && extendAgentCall(agent, delta, context)) return
  const call = context.find(place, 'call')
  const args = call && argumentsOf(call)
  if (!call || args === undefined || delta === '') return
  const isComplete = call.inputText === undefined
  if (isComplete ? context.repeatOf(call) === undefined : !takesDeltas(call, args, context)) return
  const rest = newPart(call, args, delta, context)
  if (rest === '') return
  const { conversationId, id: blockId } = call
  const isOpen = context.state.isOpen(conversationId, blockId)
  if (isOpen) context.noteWork()
  if (isOpen && !isComplete) context.emit({ type: 'block:delta', conversationId, blockId, delta: rest })
  else context.show({ ...call, inputText: isComplete ? rest : args + rest })
}

/** Ends the arguments of a call. The call waits for its result. Arguments that are no JSON stay a text: the call was cut. */
export function endCall(place: Place, context: AgUiContext): void {
  const agent = context.state.agentOfCall(place.id)
  if (agent && endAgentCall(agent, context)) return
  const call = context.find(place, 'call')
  if (!call) return
  const { inputText } = call
  const isEnd = inputText !== undefined && takesDeltas(call, inputText, context)
  context.rememberRepeat(call, undefined)
  const ended = withInput(call)
  if (!isEnd || ended.inputText !== undefined) return
  context.continueConversation(call.conversationId)
  context.show({ ...ended, status: context.find(place, 'call')?.status ?? ended.status })
}

/** Returns the call with its input. Arguments that are no JSON stay a text: the call was cut. */
export function withInput(call: BlockOf<'tool_use'>, args = call.inputText): BlockOf<'tool_use'> {
  if (args === undefined) return call
  const { inputText: _, ...block } = call
  if (args.trim() === '') return { ...block, input: {} }
  const input = parseJson(args)
  return input === undefined ? { ...block, input: {}, inputText: args } : { ...block, input }
}

/** Shows the result of a call, which ends the call. The result of an agent's call is the agent's output. */
export function showResult(place: Place, result: CallResult, context: AgUiContext): void {
  const { conversationId, id: toolUseId } = place
  const agent = context.state.agentOfCall(toolUseId)
  if (agent && agent.parentConversationId === conversationId) return addOutput(agent, result, context)
  const { content, isError, isCut, durationMs, timestamp } = result
  const status = isError || isCut ? 'error' : 'complete'
  completeCall(place, status, context)
  const slot = context.slotOf({ conversationId, id: toolResultBlockId(toolUseId) }, 'result')
  const known = context.state.findBlock(conversationId, slot.id)
  if (!known) context.noteWork()
  context.show(
    omitUndefined({
      type: 'tool_result',
      ...slot,
      status,
      toolUseId,
      output: readOutput(content),
      isError,
      durationMs,
      timestamp: known?.timestamp ?? timestamp,
    }),
  )
}

function completeCall(place: Place, status: 'complete' | 'error', context: AgUiContext): void {
  const call = context.find(place, 'call')
  if (!call) return
  const isOpen = call.inputText !== undefined || context.state.isOpen(call.conversationId, call.id)
  context.rememberRepeat(call, undefined)
  if (isOpen || call.status !== status) context.show({ ...withInput(call), status })
}
