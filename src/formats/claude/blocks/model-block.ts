import type { IncomingBlock } from '../../../events/event.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import { type BlockOf, subagentBlockId } from '../../../state/block.ts'
import { compositeKey } from '../../translation/composite-key.ts'
import { typeName } from '../../translation/context.ts'
import { isCopiedCall, learnAgent, startsAgent } from '../agents/agents.ts'
import type { ClaudeContext } from '../context.ts'
import { translateToolResult } from './tool-result.ts'

/** Where a content block of a model message goes. */
interface Slot {
  readonly blockId: string
  readonly conversationId: string
  readonly messageId: string
  readonly model?: string
  readonly timestamp?: string
}

/** The block's id in the state. A call of an agent is the subagent's block; others are counted within their message. */
export function blockIdOf(
  part: JsonObject,
  { messageId, at }: { readonly messageId: string; readonly at: number },
): string {
  return isAgentCall(part) ? subagentBlockId(toolUseIdOf(part)) : `${messageId}:${at}`
}

/** A content block begins to stream. */
export function announceBlock(part: JsonObject, slot: Slot, translation: ClaudeContext): void {
  const { blockId: id, conversationId, messageId } = slot
  const block: IncomingBlock | undefined = isAgentCall(part)
    ? { type: 'subagent', id, status: 'pending', toolUseId: toolUseIdOf(part), input: '', messageId }
    : modelBlock(part, slot, 'pending')
  if (block) translation.upsert(conversationId, block)
}

/** A content block is whole. A tool call stays pending until its result is there. */
export function completeBlock(part: JsonObject, slot: Slot, translation: ClaudeContext): void {
  if (isAgentCall(part)) return callAgent(part, slot, translation)
  if (isServerToolResult(part)) return translateToolResult(part, { ...slot, details: {} }, translation)
  const block = modelBlock(part, slot, 'complete')
  if (!block) return translation.reportUnknown('unknown-block', typeName(part.type))
  translation.upsert(slot.conversationId, block)
  if (block.type === 'tool_use')
    translation.remember({
      calls: translation.memory.calls.with(compositeKey(slot.conversationId, block.toolUseId), block),
    })
}

/** A block never happened, and a call that it made waits for nothing. */
export function retractBlock(conversationId: string, blockId: string, translation: ClaudeContext): void {
  translation.emit({ type: 'block:removed', conversationId, blockId })
  const { calls } = translation.memory
  const call = calls.values().find((open) => open.id === blockId && open.conversationId === conversationId)
  if (call) translation.remember({ calls: calls.without(compositeKey(conversationId, call.toolUseId)) })
}

function modelBlock(part: JsonObject, slot: Slot, status: 'pending' | 'complete'): ModelBlock | undefined {
  const { blockId: id, conversationId, messageId, model, timestamp } = slot
  const base = omitUndefined({ id, conversationId, timestamp, messageId })
  const said = omitUndefined({ ...base, status, model })
  switch (part.type) {
    case 'text':
      return { type: 'assistant_text', ...said, content: asString(part.text) ?? '' }
    case 'thinking':
      return { type: 'thinking', ...said, content: asString(part.thinking) ?? '' }
    case 'redacted_thinking':
      return { type: 'thinking', ...said, content: '', redacted: true }
    // The provider runs the other two itself; their calls look the same.
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return {
        type: 'tool_use',
        ...base,
        status: 'pending',
        toolName: asString(part.name) ?? '',
        toolUseId: toolUseIdOf(part),
        input: part.input ?? {},
      }
    default:
      return undefined
  }
}

type ModelBlock = BlockOf<'assistant_text' | 'thinking' | 'tool_use'>

function callAgent(part: JsonObject, slot: Slot, translation: ClaudeContext): void {
  const toolUseId = toolUseIdOf(part)
  const input = asObject(part.input)
  const { conversationId: parent, messageId, timestamp } = slot
  if (isCopiedCall(toolUseId, parent, translation)) return
  learnAgent(
    omitUndefined({
      toolUseId,
      parent,
      prompt: asString(input.prompt),
      name: asString(input.subagent_type),
      description: asString(input.description),
      isBackground: input.run_in_background === true ? true : undefined,
      messageId,
      timestamp,
    }),
    translation,
  )
}

function isAgentCall(part: JsonObject): boolean {
  return part.type === 'tool_use' && startsAgent(asString(part.name))
}

/** The provider's own tools answer within the message that calls them. */
function isServerToolResult({ type, tool_use_id }: JsonObject): boolean {
  return typeof tool_use_id === 'string' && asString(type)?.endsWith('tool_result') === true
}

function toolUseIdOf(part: JsonObject): string {
  return asString(part.id) ?? ''
}
