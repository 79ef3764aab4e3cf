import { asObject, asString } from '../../../json/values.ts'
import { isTaskNotification } from '../../../programs/claude-code/program-text.ts'
import { type Buffered, bufferedItems } from '../../../session/buffer.ts'
import { PersistentMap } from '../../../session/notes/persistent-map.ts'
import { MAIN } from '../../../state/session.ts'
import type { ClaudeContext } from '../context.ts'
import type { LinePlace } from '../notes.ts'
import type { Line } from './line.ts'

/** Returns the place of a line in main's file. Lines of streams and of subagents have none. */
export function placeOf(line: Line, { notes }: ClaudeContext): LinePlace | undefined {
  const { raw, message, uuid, conversationId } = line
  const { parentUuid, isSidechain } = raw
  const isInTree = typeof parentUuid === 'string' || parentUuid === null
  if (!isInTree || uuid === undefined || conversationId !== MAIN || isSidechain === true) return undefined
  const parentId = asString(parentUuid) ?? ''
  const above = notes.places.get(parentId)
  // The text of the note, so that the place needs no text of its own.
  const parent = parentId === notes.lastLine ? notes.lastLine : parentId
  const messageId = raw.type === 'assistant' ? asString(message.id) : undefined
  const anchor = messageId ?? above?.anchor ?? uuid
  const firstPrompt =
    messageId === undefined ? (above?.firstPrompt ?? (isPromptLine(line) ? uuid : undefined)) : undefined
  return { anchor, ...(above && { parent }), ...(firstPrompt !== undefined && { firstPrompt }) }
}

/** Remembers the place of a line in main's file. */
export function rememberPlace(
  { raw }: Line,
  { uuid, place }: { readonly uuid: string; readonly place: LinePlace },
  context: ClaudeContext,
): void {
  const { anchor, parent } = place
  const { lastPlaces } = context.notes
  const isSameAnchor = lastPlaces && context.notes.places.get(lastPlaces.item)?.anchor === anchor
  if (lastPlaces && !isSameAnchor) {
    forgetPlaces(context.notes.earlierPlaces, context)
    context.remember({ earlierPlaces: lastPlaces })
  }
  context.setEntry('places', uuid, place)
  const notes = context.edit()
  notes.lastPlaces = { item: uuid, before: isSameAnchor ? lastPlaces : undefined }
  notes.lastLine = uuid
  if (raw.type === 'assistant' || parent === undefined) notes.lastAnchor = anchor
  if (raw.subtype === 'compact_boundary') context.remember({ promptsByAnchor: new PersistentMap<string>() })
  else if (place.firstPrompt === uuid && notes.promptsByAnchor.get(anchor) === undefined)
    context.setEntry('promptsByAnchor', anchor, uuid)
}

/**
 * Forgets the places of lines that no later line names as its parent. A program goes on from its last lines, or leaves out the last message of the
 * model. A person goes back to before a prompt, so lines with the anchor of a prompt stay.
 */
function forgetPlaces(lines: Buffered<string> | undefined, context: ClaudeContext): void {
  const { places, promptsByAnchor } = context.notes
  const anchor = lines && places.get(lines.item)?.anchor
  if (anchor === undefined || promptsByAnchor.get(anchor) !== undefined) return
  for (const uuid of bufferedItems(lines)) context.removeEntry('places', uuid)
}

/** The kinds of a message's origin that name a person. Agents and tasks have other kinds. */
const PERSONS: ReadonlySet<unknown> = new Set([undefined, 'human', 'cli'])

/** Whether the line is a message of the person, or a command. */
export function isPromptLine({ raw, parts }: Pick<Line, 'raw' | 'parts'>): boolean {
  if (raw.type !== 'user' || raw.isMeta === true || raw.isCompactSummary === true) return false
  if (!PERSONS.has(asObject(raw.origin).kind)) return false
  const [first] = parts
  const text = asString(first?.text) ?? ''
  if (text.startsWith('[Request interrupted by user') || isTaskNotification(text)) return false
  return first !== undefined && parts.every(({ type }) => type !== 'tool_result')
}
