import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import { PersistentMap } from '../../translation/memory/persistent-map.ts'
import { isTaskNotification } from '../agents/task-notification.ts'
import type { ClaudeContext } from '../context.ts'
import type { ClaudeMemory } from '../memory.ts'
import { contentParts } from './content.ts'
import type { Line } from './line.ts'
import type { LineBlocks, LinePlace } from './line-place.ts'

/** Returns the place of a line in main's file. Lines of streams and of subagents have none. */
export function placeOf(line: Line, { readLines, lastLine }: ClaudeMemory): LinePlace | undefined {
  const { raw, message, uuid, conversationId } = line
  const { parentUuid, isSidechain } = raw
  const isInTree = typeof parentUuid === 'string' || parentUuid === null
  if (!isInTree || uuid === undefined || conversationId !== MAIN || isSidechain === true) return undefined
  // The key of the map, so that the place of a line needs no strings of its own.
  const parent = parentUuid === lastLine ? lastLine : (asString(parentUuid) ?? '')
  const { place: above } = readLines.get(parent) ?? {}
  const messageId = raw.type === 'assistant' ? asString(message.id) : undefined
  const [parentInTree, previous] = [above && parent, lastLine]
  if (messageId !== undefined)
    return { parent: parentInTree, previous, anchor: messageId, firstPrompt: undefined }
  const firstPrompt = above?.firstPrompt ?? (isPromptLine(line) ? uuid : undefined)
  return { parent: parentInTree, previous, anchor: above?.anchor ?? uuid, firstPrompt }
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
  context.setEntry('readLines', uuid, lineBlocks(MAIN, blockIds, place))
  const memory = context.edit()
  memory.lastLine = uuid
  if (raw.type === 'assistant' || parent === undefined) memory.lastAnchor = anchor
  memory.placeCount += 1
  if (memory.placeCount >= 2 * KEPT_PLACES) forgetOldPlaces(context)
  const { promptsByAnchor } = context.memory
  if (raw.subtype === 'compact_boundary') context.remember({ promptsByAnchor: new PersistentMap<string>() })
  else if (place.firstPrompt === uuid && promptsByAnchor.get(anchor) === undefined)
    context.setEntry('promptsByAnchor', anchor, uuid)
}

/** Nobody rewinds over more lines than that. The memory of the places does not grow with the session. */
const KEPT_PLACES = 4096

/** Runs once there are twice as many places as needed. So each line costs the same on average. */
function forgetOldPlaces(context: ClaudeContext): void {
  let uuid = context.memory.lastLine
  for (let kept = 0; kept < KEPT_PLACES && uuid !== undefined; kept += 1)
    uuid = context.memory.readLines.get(uuid)?.place?.previous
  forgetPlaces(uuid, context)
  context.remember({ placeCount: KEPT_PLACES })
}

/** Forgets the places of a line and of all lines before it, with their prompts. */
function forgetPlaces(last: string | undefined, context: ClaudeContext): void {
  let { readLines, promptsByAnchor } = context.memory
  for (let uuid = last; uuid !== undefined; ) {
    const known = readLines.get(uuid)
    if (!known?.place) break
    const { conversationId, place } = known
    readLines = readLines.with(uuid, lineBlocks(conversationId, blockIdsOf(known)))
    if (promptsByAnchor.get(place.anchor) === uuid) promptsByAnchor = promptsByAnchor.without(place.anchor)
    uuid = place.previous
  }
  context.remember({ readLines, promptsByAnchor })
}

/** A prompt that stands only in the queue has no line of its own. It belongs to the line before it. */
export function rememberBlocksOfQueue({ raw }: Line, added: readonly string[], context: ClaudeContext): void {
  const { readLines, lastLine = '' } = context.memory
  const last = readLines.get(lastLine)
  if (raw.type !== 'queue-operation' || !last || added.length === 0) return
  const line = lineBlocks(last.conversationId, [...blockIdsOf(last), ...added], last.place)
  context.setEntry('readLines', lastLine, line)
}

/** Returns the memory of a line with these blocks. */
export function lineBlocks(
  conversationId: string,
  blockIds: readonly string[] = [],
  place?: LinePlace,
): LineBlocks {
  const [blockId] = blockIds
  if (blockId === undefined) return place ? { conversationId, place } : { conversationId }
  if (blockIds.length > 1) return omitUndefined({ conversationId, blockIds, place })
  return place ? { conversationId, blockId, place } : { conversationId, blockId }
}

/** Returns the ids of a line's blocks. */
export function blockIdsOf({ blockId, blockIds }: LineBlocks): readonly string[] {
  return blockIds ?? (blockId === undefined ? [] : [blockId])
}

/** The kinds of a message's origin that name a person. Agents and tasks have other kinds. */
const PERSONS: ReadonlySet<unknown> = new Set([undefined, 'human', 'cli'])

/** Whether the line is a message of the person, or a command. */
export function isPromptLine({ raw, message }: Line): boolean {
  if (raw.type !== 'user' || raw.isMeta === true || raw.isCompactSummary === true) return false
  if (!PERSONS.has(asObject(raw.origin).kind)) return false
  const { content } = message
  if (Array.isArray(content) && asObject(content[0]).type === 'tool_result') return false
  const parts = contentParts(content)
  const [first] = parts
  const text = asString(first?.text) ?? ''
  if (text.startsWith('[Request interrupted by user') || isTaskNotification(text)) return false
  return first !== undefined && parts.every(({ type }) => type !== 'tool_result')
}
