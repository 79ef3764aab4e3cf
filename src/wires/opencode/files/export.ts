import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
} from '../../../core/json/values.ts'
import type { Entry } from '../../../reading/input/entries.ts'
import type { Transcript } from '../../../reading/input/transcripts.ts'

/** The output of `opencode export`: one session and its messages. */
export interface SessionExport {
  readonly info: JsonObject
  readonly messages: readonly unknown[]
}

/** Whether the value is one session's export. */
export function isExport(value: unknown): value is SessionExport {
  return isObject(value) && isObject(value.info) && Array.isArray(value.messages)
}

/** Whether only OpenCode writes the value: the session has an id, and its messages their parts. */
export function isOwnExport(value: unknown): boolean {
  if (!isExport(value)) return false
  const { id, parentID, projectID, directory, time } = value.info
  if (typeof id !== 'string') return false
  const isSession =
    [parentID, projectID, directory].some((fact) => typeof fact === 'string') || isObject(time)
  return value.messages.length === 0
    ? isSession
    : value.messages.some((each) => isObject(each) && isObject(each.info) && Array.isArray(each.parts))
}

/** A message with its parts, as the server and `opencode export` return it. */
interface StoredMessage {
  readonly info: JsonObject
  readonly parts: readonly unknown[]
}

/** Whether the value is a stored message. */
export function isStoredMessage(value: unknown): value is StoredMessage {
  return (
    isObject(value) &&
    isObject(value.info) &&
    typeof value.info.sessionID === 'string' &&
    typeof value.info.role === 'string' &&
    Array.isArray(value.parts)
  )
}

/** Whether the value is the answer of `GET /session/:id/message`: a list of the messages of one session. */
export function isMessageList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some(isStoredMessage)
}

/** Returns the ids of the sessions that the calls of a session name. A fork has the calls of another session, whose agents they name. */
export function calledSessions({ messages }: SessionExport): ReadonlySet<string> {
  const parts = messages.flatMap((message) => asArray(asObject(message).parts))
  const ids = parts.map((part) => asObject(asObject(asObject(part).state).metadata).sessionId)
  return new Set(ids.filter(isString))
}

/** Returns the transcripts of a session and of the sessions that it started. */
export function transcriptsOfExports([main, ...others]: readonly [
  SessionExport,
  ...SessionExport[],
]): readonly [Transcript, ...Transcript[]] {
  const agents = inOrderOfStart(others).map((each) => ({
    id: asString(each.info.id) ?? '',
    content: { value: each },
  }))
  return [{ content: { value: main } }, ...agents]
}

/** Returns sessions in the order in which they started. */
export function inOrderOfStart<Session extends { readonly info: JsonObject }>(
  sessions: readonly Session[],
): readonly Session[] {
  const startOf = ({ info }: Session) => asFiniteNumber(asObject(info.time).created) ?? 0
  return [...sessions].sort((left, right) => startOf(left) - startOf(right))
}

/**
 * Moves the main session's export to the front and drops its parent. So a subagent's session that was exported alone
 * is shown as main. Events stay in their order, and are read one by one.
 */
export function* mainExportFirst(entries: Iterable<Entry>): Generator<Entry, void> {
  const iterator = entries[Symbol.iterator]()
  const { value: first, done } = iterator.next()
  if (done) return
  const others = { [Symbol.iterator]: () => iterator }
  if ('message' in first && !isExport(first.message)) {
    yield first
    yield* others
  } else yield* arrangeExports([first, ...others])
}

function arrangeExports(entries: readonly Entry[]): readonly Entry[] {
  const exportOfEntry = (entry: Entry) =>
    'message' in entry && isExport(entry.message) ? entry.message : undefined
  const main = mainOf(entries.flatMap((entry) => exportOfEntry(entry) ?? []))
  if (!main) return entries
  const { parentID, ...info } = main.info
  const others = entries.filter((entry) => exportOfEntry(entry) !== main)
  return [{ line: 1, message: { ...main, info } }, ...others]
}

/** Returns the first session whose parent is not among the exports. */
function mainOf(exports: readonly SessionExport[]): SessionExport | undefined {
  const ids = new Set(exports.map(({ info }) => info.id))
  return exports.find(({ info }) => !ids.has(asString(info.parentID)))
}
