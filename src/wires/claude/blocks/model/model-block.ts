import type { IncomingBlock } from '../../../../events/event.ts'
import { compositeKey } from '../../../../json/composite-key.ts'
import type { Mutable } from '../../../../json/mutable.ts'
import { omitUndefined } from '../../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../../json/values.ts'
import { typeName } from '../../../../session/context.ts'
import { type BlockOf, isSubagentBlockId, subagentBlockId } from '../../../../state/block.ts'
import { abandonUnstartedAgent } from '../../agents/abandon-agent.ts'
import { agentResumedBy, isAgentCall, registerCalledAgent, toolUseIdOf } from '../../agents/agent-call.ts'
import { rememberResumeCall, resumeAgent } from '../../agents/agent-run.ts'
import type { ClaudeContext } from '../../context.ts'
import type { Agent } from '../../memory.ts'
import { forgetPendingCall, pendingCallOfBlock, rememberPendingCall } from '../pending-calls.ts'
import { translateEarlyResult, translateToolResult } from '../tool-result.ts'

/** The place of a content block of a model message. */
interface BlockPlace {
  readonly blockId: string
  readonly conversationId: string
  readonly messageId: string
  readonly model?: string | undefined
  readonly timestamp?: string | undefined
}

/**
 * Returns the block's id in the state. An agent's call is the subagent's block, and any other call has its own id. The id of text and
 * thinking is the message's id and the API's index of the block. That index counts all blocks of the message. So a reader that joins in
 * the middle of a message finds the same id as one that read the message from its start.
 */
export function blockIdOf(
  part: JsonObject,
  { messageId, index }: { readonly messageId: string; readonly index: number },
): string {
  if (isAgentCall(part)) return subagentBlockId(toolUseIdOf(part))
  // The short part is made first, as in `compositeKey`.
  const suffix = `:${index}`
  return (isCall(part) && toolUseIdOf(part)) || messageId + suffix
}

/** The types of calls. The provider runs the last two itself. */
const CALL_TYPES: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use'])

function isCall({ type }: JsonObject): boolean {
  return CALL_TYPES.has(type)
}

/** Adds a content block whose stream begins. */
export function upsertStartedBlock(part: JsonObject, place: BlockPlace, context: ClaudeContext): void {
  const { blockId: id, conversationId, messageId } = place
  const block: IncomingBlock | undefined = isAgentCall(part)
    ? { type: 'subagent', id, status: 'pending', toolUseId: toolUseIdOf(part), input: '', messageId }
    : modelBlock(part, place, 'pending')
  if (block) context.upsert(conversationId, block)
}

/** Adds a whole content block. A tool call stays pending until its result arrives. */
export function upsertWholeBlock(part: JsonObject, place: BlockPlace, context: ClaudeContext): void {
  const resumed = agentResumedBy(part, context)
  if (resumed) return upsertResumeCall(part, { place, agent: resumed }, context)
  const { conversationId } = place
  if (isAgentCall(part)) {
    registerCalledAgent(part, place, context)
    return translateEarlyResult({ conversationId, toolUseId: toolUseIdOf(part) }, context)
  }
  if (isServerToolResult(part)) {
    const isKnown = context.memory.unnamedResults.get(
      compositeKey(conversationId, asString(part.tool_use_id) ?? ''),
    )
    return isKnown ? undefined : translateToolResult(part, { ...place, toolUseResult: {} }, context)
  }
  const block = modelBlock(part, place, 'complete')
  if (!block) return context.reportUnknown('unknown-block', typeName(part.type))
  context.upsert(conversationId, block)
  if (block.type !== 'tool_use') return
  rememberPendingCall(block, conversationId, context)
  translateEarlyResult(block, context)
}

/** Adds a call that resumes an agent, as a tool call. A stream has announced it as an agent, before its input was known. */
function upsertResumeCall(
  part: JsonObject,
  { place, agent }: { readonly place: BlockPlace; readonly agent: Agent },
  context: ClaudeContext,
): void {
  const { conversationId, blockId } = place
  const toolUseId = toolUseIdOf(part)
  if (context.memory.isStream) context.emit({ type: 'block:removed', conversationId, blockId })
  const call = modelCall(part, { ...place, blockId: toolUseId }, 'complete')
  context.upsert(conversationId, call)
  rememberPendingCall(call, conversationId, context)
  resumeAgent(agent, omitUndefined({ prompt: asString(asObject(part.input).prompt) }), context)
  rememberResumeCall(toolUseId, context, agent.toolUseId)
}

/** Removes a block that the program took back. */
export function retractBlock(conversationId: string, blockId: string, context: ClaudeContext): void {
  abandonCallOf(conversationId, blockId, context)
  context.emit({ type: 'block:removed', conversationId, blockId })
}

/** Abandons the call of a block, if it is one: it waits for no result and starts no agent. Returns a call that has waited. */
export function abandonCallOf(
  conversationId: string,
  blockId: string,
  context: ClaudeContext,
): BlockOf<'tool_use'> | undefined {
  if (isSubagentBlockId(blockId)) abandonUnstartedAgent(blockId, context)
  const call = pendingCallOfBlock(conversationId, blockId, context.memory)
  if (call) forgetPendingCall({ conversationId, toolUseId: call.toolUseId }, context)
  return call
}

type ModelText = BlockOf<'assistant_text' | 'thinking'>
type ModelBlock = ModelText | BlockOf<'tool_use'>
function modelBlock(
  part: JsonObject,
  place: BlockPlace,
  status: 'pending' | 'complete',
): ModelBlock | undefined {
  switch (part.type) {
    case 'text':
      return modelText('assistant_text', asString(part.text) ?? '', place, status)
    case 'thinking':
      return modelText('thinking', asString(part.thinking) ?? '', place, status)
    case 'redacted_thinking':
      return Object.assign(modelText('thinking', '', place, status), { redacted: true as const })
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return modelCall(part, place, status)
    default:
      return undefined
  }
}

// Most events hold such a block. To add a known field to a literal is several times faster than to omit an undefined one.

function modelText(
  type: ModelText['type'],
  content: string,
  { blockId: id, conversationId, messageId, model, timestamp }: BlockPlace,
  status: 'pending' | 'complete',
): ModelText {
  if (timestamp !== undefined && model !== undefined)
    return { id, type, status, content, conversationId, messageId, timestamp, model }
  const block: Mutable<ModelText> = { id, type, status, content, conversationId, messageId }
  if (timestamp !== undefined) block.timestamp = timestamp
  if (model !== undefined) block.model = model
  return block
}

function modelCall(
  part: JsonObject,
  { blockId: id, conversationId, messageId, timestamp }: BlockPlace,
  status: 'pending' | 'complete',
): BlockOf<'tool_use'> {
  const block: Mutable<BlockOf<'tool_use'>> = {
    id,
    type: 'tool_use',
    status: 'pending',
    toolName: asString(part.name) ?? '',
    toolUseId: toolUseIdOf(part),
    input: part.input ?? {},
    conversationId,
    messageId,
  }
  // The input of a call that begins comes in deltas.
  if (status === 'pending') block.inputText = ''
  if (timestamp !== undefined) block.timestamp = timestamp
  return block
}

/** Whether the block is the result of a provider's own tool, which is in the message that calls the tool. */
function isServerToolResult({ type, tool_use_id }: JsonObject): boolean {
  return typeof tool_use_id === 'string' && asString(type)?.endsWith('tool_result') === true
}
