import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { type BlockOf, type ConversationBlock, toolResultBlockId } from '../../../core/state/block.ts'
import type { FileSource, UserContentPart } from '../../../core/state/content.ts'
import { contentParts } from '../../../programs/claude-code/texts.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { typeName } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import type { ClaudeMemory } from '../notes.ts'

/** Names a call: the ids of calls are unique within a conversation only. */
export interface CallRef {
  readonly conversationId: string
  readonly toolUseId: string
}

/** Whether the call has its result. */
export function hasResult({ conversationId, toolUseId }: CallRef, state: SessionLookups): boolean {
  return state.findBlock(conversationId, toolResultBlockId(toolUseId)) !== undefined
}

/** Returns the whole call of a tool if it waits for its result. The end of its turn makes such a call final. */
export function waitingCall(ref: CallRef, memory: ClaudeMemory): BlockOf<'tool_use'> | undefined {
  const { conversationId, toolUseId } = ref
  const call =
    toolUseId === ''
      ? callWithoutId(conversationId, memory.state)
      : memory.state.findCall(conversationId, toolUseId)
  if (!call || call.inputText !== undefined) return undefined
  return memory.state.isOpen(conversationId, call.id) || !hasResult(ref, memory.state) ? call : undefined
}

/** The block of a call without an id has another one. */
function callWithoutId(conversationId: string, state: SessionLookups): BlockOf<'tool_use'> | undefined {
  const call = state.lastOpenBlock(
    conversationId,
    (block) => block.type === 'tool_use' && block.toolUseId === '',
  )
  return call?.type === 'tool_use' ? call : undefined
}

/** Whether a call of a tool with the id waits for its result in any conversation. */
export function isWaitingCall(toolUseId: string | undefined, memory: ClaudeMemory): boolean {
  const conversationId = toolUseId === undefined ? undefined : memory.state.conversationOfCall(toolUseId)
  if (toolUseId === undefined || conversationId === undefined) return false
  return waitingCall({ conversationId, toolUseId }, memory) !== undefined
}

/** Whether a call of the running turn waits for its result. */
export function hasWaitingCalls(conversationId: string, state: SessionLookups): boolean {
  const isWaiting = (block: ConversationBlock) => block.type === 'tool_use' && block.inputText === undefined
  return state.firstOpenBlock(conversationId, isWaiting) !== undefined
}

/** Returns the content unchanged, but a single text part as a string. */
export function contentOrText(content: unknown): unknown {
  if (typeof content === 'string') return content
  const parts = contentParts(content)
  const part = parts[0]
  if (!part) return content ?? ''
  return parts.length === 1 && part.type === 'text' ? (asString(part.text) ?? content) : content
}

/** Returns the parts of a user message without its tool results. Reports parts of an unknown type. */
export function userContentParts(
  parts: readonly JsonObject[],
  output: SessionOutput,
): readonly UserContentPart[] {
  const userParts: UserContentPart[] = []
  for (const part of parts) {
    if (part.type === 'tool_result') continue
    const userPart = readUserPart(part)
    if (userPart) userParts.push(userPart)
    else output.reportUnknown('unknown-block', `user/${typeName(part.type)}`)
  }
  return userParts
}

function readUserPart(part: JsonObject): UserContentPart | undefined {
  if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text }
  const source = readFileSource(asObject(part.source))
  if (part.type === 'image') return source && { type: 'image', source }
  if (part.type === 'document')
    return source && omitUndefined({ type: 'file', source, name: asString(part.title) })
  return undefined
}

function readFileSource({ type, data, url, media_type }: JsonObject): FileSource | undefined {
  const mediaType = asString(media_type)
  if (type === 'base64' && typeof data === 'string' && mediaType !== undefined)
    return { type, mediaType, data }
  if (type === 'url' && typeof url === 'string') return omitUndefined({ type: 'url', url, mediaType })
  return undefined
}
