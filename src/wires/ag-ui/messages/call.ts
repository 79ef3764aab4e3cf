import { omitUndefined } from '../../../json/omit-undefined.ts'
import { parseJson } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { type BlockOf, toolResultBlockId } from '../../../state/block.ts'
import { addOutput, announceAgent, updateAgentCall } from '../agents/agent-call.ts'
import type { AgUiContext } from '../context.ts'
import { AGENT_CALL } from '../ids.ts'
import type { KnownBlock, KnownStream, Place } from '../memory.ts'
import { readOutput } from './content.ts'
import { newPart } from './deltas.ts'

/** A call that begins. */
interface CallStart {
  readonly toolName: string
  readonly messageId: string | undefined
  readonly timestamp: string | undefined
}

/** Whether the call is that of an agent: the agent has started, or the name of the call says so. */
export function isAgentCall({ conversationId, id }: Place, toolName: string, context: AgUiContext): boolean {
  const agent = context.agent(id)
  if (!agent) return toolName === AGENT_CALL
  return agent.parentId === undefined ? toolName === AGENT_CALL : agent.parentId === conversationId
}

/** Begins a call, or begins a known one again. */
export function startCall(place: Place, start: CallStart, context: AgUiContext): void {
  if (isAgentCall(place, start.toolName, context)) return announceAgent(place, start, context)
  const known = context.find(place, 'call')
  if (known?.block.type === 'tool_use') return restartCall(known, known.block, start, context)
  context.noteWork()
  const { conversationId, id } = context.slotOf(place, 'call')
  const { toolName, messageId, timestamp } = start
  const block: BlockOf<'tool_use'> = omitUndefined({
    type: 'tool_use',
    id,
    conversationId,
    status: 'pending',
    toolName,
    toolUseId: place.id,
    input: {},
    inputText: '',
    // The id of a message that is a single call says nothing about the call.
    messageId: messageId === place.id ? undefined : messageId,
    timestamp,
  })
  context.show({ block, isOpen: true, args: '', order: context.nextOrder() })
}

function restartCall(
  known: KnownBlock,
  block: BlockOf<'tool_use'>,
  { toolName }: CallStart,
  context: AgUiContext,
): void {
  const reopened = withChanges(known, { isOpen: true, repeated: 0 })
  // Without any arguments so far, nothing shows that they are complete.
  const isEmpty = known.args === '' && block.inputText === undefined
  const isSame = block.toolName === toolName && !isEmpty
  if (isSame) context.rememberBlock(reopened)
  else context.show({ ...reopened, block: { ...block, toolName, ...(isEmpty && { inputText: '' }) } })
}

/** Appends to the arguments of a call. Complete arguments come again. */
export function extendCall(place: Place, delta: string, context: AgUiContext): void {
  const agent = context.agent(place.id)
  if (agent?.isOpen) return void context.updateAgent(agent.id, extendArguments(agent, delta).stream)
  const known = context.find(place, 'call')
  if (!known?.isOpen || known.block.type !== 'tool_use' || known.block.inputText === undefined) return
  const { block } = known
  const { stream, rest } = extendArguments(known, delta)
  if (rest === '') return void context.rememberBlock(withChanges(known, stream))
  const extended = withChanges(known, { ...stream, block: { ...block, inputText: stream.args } })
  if (block.status !== 'pending') return context.show(extended)
  context.noteWork()
  context.rememberBlock(extended)
  const { id: blockId, conversationId } = block
  context.emit({ type: 'block:delta', conversationId, blockId, delta: rest })
}

function extendArguments(known: KnownStream, delta: string) {
  const { args = '' } = known
  const { rest, repeated } = newPart(args, known, delta)
  return { stream: { args: args + rest, repeated }, rest }
}

/** Ends the arguments of a call. The call waits for its result. */
export function endCall(place: Place, context: AgUiContext): void {
  const agent = context.agent(place.id)
  if (agent?.isOpen) return updateAgentCall(agent, context)
  const known = context.find(place, 'call')
  if (!known?.isOpen || known.block.type !== 'tool_use') return
  context.show({
    ...known,
    isOpen: undefined,
    repeated: undefined,
    block: withInput(known.block, known.args),
  })
}

/** Returns the call with its input. Arguments that are no JSON stay a text: the call was cut. */
export function withInput(
  { inputText: _, ...block }: BlockOf<'tool_use'>,
  args: string | undefined = '',
): BlockOf<'tool_use'> {
  if (args.trim() === '') return { ...block, input: {} }
  const input = parseJson(args)
  return input === undefined ? { ...block, input: {}, inputText: args } : { ...block, input }
}

/** The result of a call. */
export interface CallResult {
  readonly content: unknown
  readonly isError: boolean
  readonly durationMs: number | undefined
  readonly timestamp: string | undefined
}

/** Shows the result of a call, which ends the call. The result of an agent's call is the agent's output. */
export function showResult(place: Place, result: CallResult, context: AgUiContext): void {
  const { conversationId, id: toolUseId } = place
  const agent = context.agent(toolUseId)
  if (agent && agent.parentId === conversationId) return addOutput(agent, result, context)
  const { content, isError, durationMs, timestamp } = result
  const status = isError ? 'error' : 'complete'
  const call = context.find(place, 'call')
  if (call?.block.type === 'tool_use' && (call.isOpen || call.block.status !== status)) {
    const block = call.isOpen ? withInput(call.block, call.args) : call.block
    context.show({ ...call, isOpen: undefined, repeated: undefined, block: { ...block, status } })
  }
  const slot = context.slotOf({ conversationId, id: toolResultBlockId(toolUseId) }, 'result')
  const known = context.block(slot)
  if (!known) context.noteWork()
  context.show({
    order: known?.order ?? context.nextOrder(),
    block: omitUndefined({
      type: 'tool_result',
      ...slot,
      status,
      toolUseId,
      output: readOutput(content),
      isError,
      durationMs,
      timestamp: known?.block.timestamp ?? timestamp,
    }),
  })
}
