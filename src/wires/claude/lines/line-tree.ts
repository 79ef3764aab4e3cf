import { asObject, asString } from '../../../json/values.ts'
import { PersistentMap } from '../../../session/notes/persistent-map.ts'
import { MAIN } from '../../../state/session.ts'
import { isTaskNotification } from '../agents/task-notification.ts'
import type { ClaudeContext } from '../context.ts'
import type { ClaudeMemory } from '../memory.ts'
import type { Line } from './line.ts'
import type { LineBlocks, LinePlace } from './line-place.ts'

/** Returns the place of a line in main's file. Lines of streams and of subagents have none. */
export function placeOf(line: Line, memory: ClaudeMemory): LinePlace | undefined {
  const { lastLine } = memory
  const { raw, message, uuid, conversationId } = line
  const { parentUuid, isSidechain } = raw
  const isInTree = typeof parentUuid === 'string' || parentUuid === null
  if (!isInTree || uuid === undefined || conversationId !== MAIN || isSidechain === true) return undefined
  // The key of the map, so that the place of a line needs no strings of its own.
  const parent = parentUuid === lastLine ? lastLine : (asString(parentUuid) ?? '')
  const above = placeOfUuid(parent, memory)
  const messageId = raw.type === 'assistant' ? asString(message.id) : undefined
  const [parentInTree, previous] = [above && parent, lastLine]
  if (messageId !== undefined)
    return { parent: parentInTree, previous, anchor: messageId, firstPrompt: undefined }
  const firstPrompt = above?.firstPrompt ?? (isPromptLine(line) ? uuid : undefined)
  return { parent: parentInTree, previous, anchor: above?.anchor ?? uuid, firstPrompt }
}

/** Returns the place of a line that the source has read, unless the line is too old. */
export function placeOfUuid(uuid: string, { places, olderPlaces }: ClaudeMemory): LinePlace | undefined {
  return places.get(uuid) ?? olderPlaces.get(uuid)
}

interface PlacedLine {
  readonly uuid: string
  readonly blockIds: readonly string[]
  readonly place: LinePlace
}

/** Remembers the place of a line in main's file, and the line's blocks. */
export function rememberPlace(
  { raw }: Line,
  { uuid, blockIds, place }: PlacedLine,
  context: ClaudeContext,
): void {
  const { anchor, parent } = place
  context.setEntry('readLines', uuid, lineBlocks(MAIN, blockIds, context))
  context.setEntry('places', uuid, place)
  const memory = context.edit()
  memory.lastLine = uuid
  if (raw.type === 'assistant' || parent === undefined) memory.lastAnchor = anchor
  memory.placeCount += 1
  if (raw.subtype === 'compact_boundary') context.remember({ promptsByAnchor: new PersistentMap<string>() })
  else if (place.firstPrompt === uuid && memory.promptsByAnchor.get(anchor) === undefined)
    context.setEntry('promptsByAnchor', anchor, uuid)
  if (memory.placeCount >= KEPT_PLACES) forgetOldPlaces(context)
}

/** Nobody rewinds over more lines than that. The memory of the places does not grow with the session. */
const KEPT_PLACES = 4096

/** Drops the older places with their prompts. To drop a map as a whole is cheaper than to remove its entries. */
function forgetOldPlaces(context: ClaudeContext): void {
  const { places, promptsByAnchor } = context.memory
  context.remember({ olderPlaces: places, places: new PersistentMap<LinePlace>(), placeCount: 0 })
  for (const [anchor, prompt] of promptsByAnchor.entries())
    if (!places.get(prompt)) context.removeEntry('promptsByAnchor', anchor)
}

/** A prompt that stands only in the queue has no line of its own. It belongs to the line before it. */
export function rememberBlocksOfQueue({ raw }: Line, added: readonly string[], context: ClaudeContext): void {
  const { readLines, lastLine = '' } = context.memory
  const last = readLines.get(lastLine)
  if (raw.type !== 'queue-operation' || !last || added.length === 0) return
  const blockIds = [...blockIdsOf(last), ...added]
  context.setEntry('readLines', lastLine, lineBlocks(last.conversationId, blockIds, context))
}

/** Returns the memory of a line with these blocks. */
export function lineBlocks(
  conversationId: string,
  blockIds: readonly string[],
  context: ClaudeContext,
): LineBlocks {
  const blockId = blockIds[0]
  if (blockId === undefined) return context.lineWithoutBlocks(conversationId)
  return blockIds.length > 1 ? { conversationId, blockIds } : { conversationId, blockId }
}

/** Returns the ids of a line's blocks. */
export function blockIdsOf({ blockId, blockIds }: LineBlocks): readonly string[] {
  return blockIds ?? (blockId === undefined ? [] : [blockId])
}

/** The kinds of a message's origin that name a person. Agents and tasks have other kinds. */
const PERSONS: ReadonlySet<unknown> = new Set([undefined, 'human', 'cli'])

/** Whether the line is a message of the person, or a command. */
export function isPromptLine({ raw, parts }: Line): boolean {
  if (raw.type !== 'user' || raw.isMeta === true || raw.isCompactSummary === true) return false
  if (!PERSONS.has(asObject(raw.origin).kind)) return false
  const [first] = parts
  const text = asString(first?.text) ?? ''
  if (text.startsWith('[Request interrupted by user') || isTaskNotification(text)) return false
  return first !== undefined && parts.every(({ type }) => type !== 'tool_result')
}
