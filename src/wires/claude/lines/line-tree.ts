import type { Mutable } from '../../../core/json/fields.ts'
import { asObject, asString } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import {
  COMMAND_TEXT,
  INTERRUPTION_TEXT,
  isAgentMessage,
  isHookText,
  isTaskNotification,
} from '../../../programs/claude-code/texts.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { type Buffered, bufferedItems } from '../../../reading/notes/persistent-map.ts'
import type { ClaudeContext, ClaudeMemory, LinePlace } from '../notes.ts'
import type { Line } from './line.ts'

/** Returns the place of a line in main's file. Lines of streams and of subagents have none. */
export function placeOf(line: Line, memory: ClaudeMemory): LinePlace | undefined {
  const {
    notes: { values: notes },
  } = memory
  const { raw, message, uuid } = line
  if (uuid === undefined || !isInTree(line)) return undefined
  const parentId = parentIdOf(line, memory)
  const above = notes.places.get(parentId)
  // The text of the note, so that the place needs no text of its own.
  const parent = parentId === notes.lastLine ? notes.lastLine : parentId
  const messageId = raw.type === 'assistant' ? asString(message.id) : undefined
  const root = isOfCompaction(line) ? uuid : (asString(raw.sessionId) ?? '')
  // Lines before the first message of the model hang on their session. A file may hold several. A state has no lines:
  // those behind it hang on one of them.
  const top = parentId === '' ? root : notes.isOpened ? parentId : uuid
  const anchor = messageId ?? above?.anchor ?? top
  const firstPrompt =
    messageId === undefined ? (above?.firstPrompt ?? (isPromptLine(line) ? uuid : undefined)) : undefined
  const place: Mutable<LinePlace> = { anchor }
  if (above || top !== uuid) place.parent = parent
  if (firstPrompt !== undefined) place.firstPrompt = firstPrompt
  return place
}

/** Whether the line is one of main's file, which names the line above it. */
export function isInTree({ raw, uuid, conversationId }: Line): boolean {
  const { parentUuid, isSidechain } = raw
  if (uuid === undefined || conversationId !== MAIN || isSidechain === true) return false
  return typeof parentUuid === 'string' || parentUuid === null
}

/** Remembers the place of a line in main's file. */
export function rememberPlace(uuid: string, place: LinePlace, memory: ClaudeMemory): void {
  const { anchor } = place
  const { lastPlaces, promptsByAnchor } = memory.notes.values
  const known = promptsByAnchor.get(anchor)
  if (place.firstPrompt === uuid && (known === undefined || memory.state.isAbandoned(known)))
    memory.notes.setEntry('promptsByAnchor', anchor, uuid)
  const isSameAnchor = lastPlaces && memory.notes.values.places.get(lastPlaces.item)?.anchor === anchor
  if (lastPlaces && !isSameAnchor) {
    forgetPlaces(memory.notes.values.earlierPlaces, memory.notes)
    memory.notes.edit().earlierPlaces = lastPlaces
  }
  memory.notes.setEntry('places', uuid, place)
  // Each line of a file comes here.
  const notes = memory.notes.edit()
  notes.lastPlaces = { item: uuid, before: isSameAnchor ? lastPlaces : undefined }
  notes.lastLine = uuid
}

/** Remembers the place of a repeated line. A session from a state alone has no places. */
export function rememberRepeatedPlace(line: Line, memory: ClaudeMemory): void {
  const { uuid = '' } = line
  const place = memory.notes.values.places.get(uuid) ? undefined : placeOf(line, memory)
  if (place) rememberPlace(uuid, place, memory)
}

/**
 * Returns the uuid of the line above, which is empty for the first one. A compaction and its summary follow the last
 * line: they name an older line, or none. So does a local command of 1.0.x: all commands of a process follow one line
 * with a caveat.
 */
function parentIdOf(line: Line, memory: ClaudeMemory): string {
  const { lastLine, places, promptsByAnchor } = memory.notes.values
  const parentId = asString(line.raw.parentUuid) ?? ''
  if (lastLine === undefined || parentId === lastLine) return parentId
  if (isOfCompaction(line)) return lastLine
  if (!isCommandLine(line)) return parentId
  const anchor = places.get(parentId)?.anchor ?? parentId
  const rival = promptsByAnchor.get(anchor) ?? ''
  const isInItsPlace = places.get(rival)?.parent === parentId && !isCommand(rival, memory.state)
  return isInItsPlace ? parentId : lastLine
}

function isOfCompaction({ raw }: Line): boolean {
  return raw.subtype === 'compact_boundary' || raw.isCompactSummary === true
}

/** Whether the line is a command of the person, or the output of one. */
function isCommandLine({ raw, parts }: Line): boolean {
  return raw.type === 'user' && COMMAND_TEXT.test(asString(parts[0]?.text) ?? '')
}

function isCommand(blockId: string, state: SessionLookups): boolean {
  const block = state.findBlock(MAIN, blockId)
  return block?.type === 'user_message' && block.origin === 'command'
}

/**
 * Forgets the places of lines that no later line names as its parent. A program goes on from its last lines, or
 * leaves out the last message of the model. A person goes back to before a prompt, so lines with the anchor of a
 * prompt stay.
 */
function forgetPlaces(lines: Buffered<string> | undefined, notes: ClaudeContext['notes']): void {
  const { places, promptsByAnchor } = notes.values
  const anchor = lines && places.get(lines.item)?.anchor
  if (anchor === undefined || promptsByAnchor.get(anchor) !== undefined) return
  for (const uuid of bufferedItems(lines)) notes.removeEntry('places', uuid)
}

/** The kinds of a message's origin that name a person. Agents and tasks have other kinds. */
const PERSONS: ReadonlySet<unknown> = new Set([undefined, 'human', 'cli'])

/** Whether the line is a message of the person, or a command. */
export function isPromptLine({ raw, parts }: Pick<Line, 'raw' | 'parts'>): boolean {
  if (raw.type !== 'user' || raw.isMeta === true || raw.isCompactSummary === true) return false
  const [first] = parts
  // Most lines of a user have results alone.
  if (first === undefined || parts.some(({ type }) => type === 'tool_result')) return false
  if (!PERSONS.has(asObject(raw.origin).kind)) return false
  const text = asString(first.text) ?? ''
  return !(
    INTERRUPTION_TEXT.test(text) ||
    isTaskNotification(text) ||
    isAgentMessage(text) ||
    isHookText(text)
  )
}
