import type { JsonObject } from '../../../json/values.ts'
import type { ClaudeContext } from '../context.ts'
import type { ClaudeMemory } from '../memory.ts'
import type { Line } from './line.ts'
import { lineBlocks, placeOf, rememberBlocksOfQueue, rememberPlace } from './line-tree.ts'

/** Whether the source has read the line before. */
export function hasReadLine(memory: ClaudeMemory, raw: JsonObject, uuid: string | undefined): boolean {
  return uuid !== undefined && isRemembered(raw) && memory.readLines.get(uuid) !== undefined
}

/** Remembers the line's uuid: a repeated line must add nothing. A line of main's file also has a place among the others. */
export function rememberLine(line: Line, context: ClaudeContext): void {
  const { uuid, raw, conversationId } = line
  const { ofModel, added } = context.takeBlockIds()
  if (uuid === undefined) return rememberBlocksOfQueue(line, added, context)
  const { readLines } = context.memory
  if (!isRemembered(raw) || readLines.get(uuid)) return
  const place = placeOf(line, context.memory)
  if (place) return rememberPlace(line, { uuid, blockIds: ofModel ?? added, place }, context)
  context.setEntry('readLines', uuid, lineBlocks(conversationId, ofModel ?? [], context))
}

/** A stream event that names its message is not remembered here, because there are too many. The message knows it. */
function isRemembered(raw: JsonObject): boolean {
  return raw.type !== 'stream_event' || raw.api_message_id === undefined
}
