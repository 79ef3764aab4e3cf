import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { toolResultBlockId } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import { contentParts } from '../../../programs/claude-code/texts.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { conversationOfAgent } from '../agents/agent.ts'
import { isWholeCall } from '../blocks/model/message-blocks.ts'
import type { ClaudeContext, ClaudeMemory } from '../notes.ts'
import type { Line } from './line.ts'
import { placeOf, rememberPlace } from './line-tree.ts'
import { withOwnId } from './own-ids.ts'

const NO_PARTS: readonly JsonObject[] = []

/** Reads the fields of a line. If the caller does not know its conversation, that depends on the calls that the source has read. */
export function readLine(context: ClaudeContext, raw: JsonObject, conversation?: string): Line {
  const agentId = asString(raw.agent_id) ?? asString(raw.agentId)
  const uuid = asString(raw.uuid)
  const message = asObject(raw.message)
  const conversationId =
    conversation ?? conversationOfLine(context, asString(raw.parent_tool_use_id), agentId)
  const timestamp = asString(raw.timestamp)
  const place = { conversationId, messageId: asString(message.id) ?? uuid, timestamp }
  const parts =
    message.content === undefined
      ? NO_PARTS
      : contentParts(message.content).map((part) => withOwnId(part, place, context))
  const line: Line = {
    raw,
    uuid,
    timestamp,
    agentId,
    conversationId,
    message,
    parts,
    isRepeated: false,
    isUnnamed: raw.isSidechain === true && agentId === undefined,
  }
  return hasReadLine(line, context) ? { ...line, isRepeated: true } : line
}

/** Returns main, the agent's call, or the agent. */
function conversationOfLine(
  memory: ClaudeMemory,
  callId: string | undefined,
  agentId: string | undefined,
): string {
  if (callId !== undefined) return callId
  return agentId === undefined ? MAIN : conversationOfAgent(memory, agentId)
}

/** Whether the source has read the line before. */
function hasReadLine(line: Line, memory: ClaudeMemory): boolean {
  const { uuid } = line
  if (uuid === undefined || !isRemembered(line)) return false
  return memory.notes.values.readLines.get(uuid) !== undefined || isInState(uuid, line, memory)
}

/** Remembers the line's uuid: a repeated line must add nothing. A line of main's file also has a place among the others. */
export function rememberLine(line: Line, memory: ClaudeMemory): void {
  const { uuid } = line
  if (uuid === undefined || !isRemembered(line)) return
  const place = placeOf(line, memory)
  if (place) rememberPlace(uuid, place, memory)
  if (!isInState(uuid, line, memory)) memory.notes.setEntry('readLines', uuid, true)
}

/** A stream event that names its message is not remembered here, because there are too many. The message's stream knows it. */
function isRemembered({ raw }: Line): boolean {
  return raw.type !== 'stream_event' || raw.api_message_id === undefined
}

/** Whether the state shows that the line has been read: it has a block with the line's id, or the line's calls or results. */
function isInState(uuid: string, { raw, conversationId, parts }: Line, memory: ClaudeMemory): boolean {
  // A block never has the id of an event of the stream.
  if (raw.type === 'stream_event') return false
  if (memory.state.findBlock(conversationId, uuid) || memory.state.isAbandoned(uuid)) return true
  if (parts.length === 0) return false
  if (raw.type === 'user') return parts.every((part) => hasResult(part, conversationId, memory.state))
  return raw.type === 'assistant' && parts.every((part) => hasCall(part, conversationId, memory))
}

function hasResult(
  { type, tool_use_id }: JsonObject,
  conversationId: string,
  state: SessionLookups,
): boolean {
  if (type !== 'tool_result') return false
  const blockId = toolResultBlockId(asString(tool_use_id) ?? '')
  return state.findBlock(conversationId, blockId) !== undefined || state.isAbandoned(blockId)
}

function hasCall({ type, id }: JsonObject, conversationId: string, memory: ClaudeMemory): boolean {
  return type === 'tool_use' && isWholeCall(asString(id) ?? '', conversationId, memory)
}
