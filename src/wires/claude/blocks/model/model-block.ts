import type { IncomingBlock } from '../../../../core/events/event.ts'
import { type Mutable, omitUndefined } from '../../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../../core/json/values.ts'
import { type BlockOf, isSubagentBlockId, toolResultBlockId } from '../../../../core/state/block.ts'
import { type SessionOutput, typeName } from '../../../../reading/context.ts'
import type { Agent } from '../../agents/agent.ts'
import { abandonUnstartedAgent, rememberResumeCall, resumeAgent } from '../../agents/agent-run.ts'
import { agentResumedBy, registerCalledAgent } from '../../agents/register-agent.ts'
import { isAgentCall, toolUseIdOf } from '../../block-ids.ts'
import type { ClaudeContext } from '../../notes.ts'
import { askInferred } from '../../requests/answer.ts'
import { moveRequest } from '../../requests/control-lines.ts'
import { ASK_USER_QUESTION } from '../../requests/known-requests.ts'
import { translateEarlyResult, translateToolResult } from '../tool-result.ts'

/** The place of a content block of a model message. */
interface BlockPlace {
  readonly blockId: string
  readonly conversationId: string
  readonly messageId: string
  readonly model?: string | undefined
  readonly timestamp?: string | undefined
}

/** Adds a content block whose stream begins. */
export function upsertStartedBlock(part: JsonObject, place: BlockPlace, output: SessionOutput): void {
  const { blockId: id, conversationId, messageId } = place
  const block: IncomingBlock | undefined = isAgentCall(part)
    ? { type: 'subagent', id, status: 'pending', toolUseId: toolUseIdOf(part), input: '', messageId }
    : modelBlock(part, place, 'pending')
  if (block) output.upsert(conversationId, block)
}

/** Adds a whole content block. A tool call stays pending until its result arrives. */
export function upsertWholeBlock(part: JsonObject, place: BlockPlace, context: ClaudeContext): void {
  const resumed = agentResumedBy(part, context)
  if (resumed) return upsertResumeCall(part, { place, agent: resumed }, context)
  const { conversationId } = place
  if (isAgentCall(part)) {
    registerCalledAgent(part, place, context)
    moveRequest({ conversationId, toolUseId: toolUseIdOf(part) }, context)
    return translateEarlyResult({ conversationId, toolUseId: toolUseIdOf(part) }, context)
  }
  if (isServerToolResult(part)) {
    const resultId = toolResultBlockId(asString(part.tool_use_id) ?? '')
    return context.state.findBlock(conversationId, resultId)
      ? undefined
      : translateToolResult(part, { ...place, toolUseResult: {} }, context)
  }
  const block = modelBlock(part, place, 'complete')
  // A system line tells the fallback to another model, too.
  if (part.type === 'fallback') return
  if (!block) return context.reportUnknown('unknown-block', typeName(part.type))
  if (block.type !== 'tool_use') return context.upsert(conversationId, block)
  const known = context.state.findCall(conversationId, block.id)
  // A call that its turn's end has made final stays so. The reducer refuses a pending block in its place.
  const isFinal = known && !context.state.isOpen(conversationId, block.id)
  context.upsert(conversationId, isFinal ? { ...block, status: known.status } : block)
  if (!context.notes.values.isStream && !isFinal && block.toolName === ASK_USER_QUESTION)
    askInferred({ conversationId, toolUseId: block.toolUseId }, context)
  moveRequest({ conversationId, toolUseId: block.toolUseId }, context)
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
  if (context.notes.values.isStream) context.emit({ type: 'block:removed', conversationId, blockId })
  const call = modelCall(part, { ...place, blockId: toolUseId }, 'complete')
  context.upsert(conversationId, call)
  resumeAgent(agent, omitUndefined({ prompt: asString(asObject(part.input).prompt) }), context)
  rememberResumeCall(toolUseId, context.notes, agent.toolUseId)
}

/** Removes a block that the program took back. */
export function retractBlock(conversationId: string, blockId: string, context: ClaudeContext): void {
  if (isSubagentBlockId(blockId)) abandonUnstartedAgent(blockId, context)
  context.emit({ type: 'block:removed', conversationId, blockId })
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

// Most events hold such a block. To add a known field to a literal is several times faster than to omit an undefined
// one.

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
