import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import { contentParts } from '../../../programs/claude-code/texts.ts'
import { toolResultBlockId } from '../../../state/block.ts'
import { MAIN } from '../../../state/session.ts'
import { conversationOfAgent } from '../agents/agent.ts'
import { isWholeCall } from '../blocks/model/message-blocks.ts'
import type { ClaudeContext } from '../context.ts'
import type { Line } from './line.ts'
import { placeOf, rememberPlace } from './line-tree.ts'

type NamedLine = Pick<Line, 'raw' | 'conversationId' | 'parts'> & { readonly uuid: string }

const NO_PARTS: readonly JsonObject[] = []

/** Reads the fields of a line. If the caller does not know its conversation, that depends on the calls that the source has read. */
export function readLine(context: ClaudeContext, raw: JsonObject, conversation?: string): Line {
  const agentId = asString(raw.agent_id) ?? asString(raw.agentId)
  const uuid = asString(raw.uuid)
  const message = asObject(raw.message)
  const parts = message.content === undefined ? NO_PARTS : contentParts(message.content)
  const conversationId =
    conversation ?? conversationOfLine(context, asString(raw.parent_tool_use_id), agentId)
  return {
    raw,
    uuid,
    timestamp: asString(raw.timestamp),
    agentId,
    conversationId,
    message,
    parts,
    isRepeated: uuid !== undefined && hasReadLine({ raw, uuid, conversationId, parts }, context),
    isUnnamed: raw.isSidechain === true && agentId === undefined,
  }
}

/** Returns main, the agent's call, or the agent. */
function conversationOfLine(
  context: ClaudeContext,
  callId: string | undefined,
  agentId: string | undefined,
): string {
  if (callId !== undefined) return callId
  return agentId === undefined ? MAIN : conversationOfAgent(context, agentId)
}

/** Whether the source has read the line before. */
function hasReadLine(line: NamedLine, context: ClaudeContext): boolean {
  if (!isRemembered(line)) return false
  return context.notes.readLines.get(line.uuid) !== undefined || isInState(line, context)
}

/** Remembers the line's uuid: a repeated line must add nothing. A line of main's file also has a place among the others. */
export function rememberLine(line: Line, context: ClaudeContext): void {
  const { uuid, raw, conversationId, parts } = line
  const named = uuid !== undefined && { raw, uuid, conversationId, parts }
  if (!named || !isRemembered(named)) return
  const place = placeOf(line, context)
  if (place) rememberPlace({ uuid: named.uuid, place }, context)
  if (!isInState(named, context)) context.setEntry('readLines', named.uuid, true)
}

/** A stream event that names its message is not remembered here, because there are too many. The message's stream knows it. */
function isRemembered({ raw }: NamedLine): boolean {
  return raw.type !== 'stream_event' || raw.api_message_id === undefined
}

/** Whether the state shows that the line has been read: it has a block with the line's id, or the line's calls or results. */
function isInState({ uuid, raw, conversationId, parts }: NamedLine, context: ClaudeContext): boolean {
  // A block never has the id of an event of the stream.
  if (raw.type === 'stream_event') return false
  if (context.findBlock(conversationId, uuid) || context.isAbandoned(uuid)) return true
  if (parts.length === 0) return false
  if (raw.type === 'user')
    return parts.every(({ type, tool_use_id }) => type === 'tool_result' && hasResult(tool_use_id))
  return raw.type === 'assistant' && parts.every(({ type, id }) => type === 'tool_use' && hasCall(id))

  function hasResult(toolUseId: unknown): boolean {
    const blockId = toolResultBlockId(asString(toolUseId) ?? '')
    return context.findBlock(conversationId, blockId) !== undefined || context.isAbandoned(blockId)
  }

  function hasCall(toolUseId: unknown): boolean {
    return isWholeCall(asString(toolUseId) ?? '', conversationId, context)
  }
}
