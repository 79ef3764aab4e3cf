import { omitUndefined } from '../../../core/json/fields.ts'
import { isoTime } from '../../../core/json/iso-time.ts'
import { addToList } from '../../../core/json/lists.ts'
import { asFiniteNumber, asObject, asString, isObject, type JsonObject } from '../../../core/json/values.ts'
import type { StoredFacts } from '../../../programs/program.ts'
import { severalSessions } from '../../../reading/input/combined.ts'
import type { FileReader } from '../../../reading/input/transcript-files.ts'
import type { StoredSession } from '../../format.ts'
import { calledSessions, type SessionExport, transcriptsOfExports } from './export.ts'

/** Returns an export as `opencode export` writes it. The parts of a message are those with its id. */
export function exportOf(
  info: JsonObject,
  messages: readonly JsonObject[],
  parts: readonly JsonObject[],
): SessionExport {
  const byMessage = new Map<unknown, JsonObject[]>(messages.map(({ id }) => [id, []]))
  for (const part of parts) byMessage.get(part.messageID)?.push(part)
  return { info, messages: messages.map((message) => ({ info: message, parts: byMessage.get(message.id) })) }
}

/** Returns the facts that a session's `info` states. */
export function sessionFacts({ id, title, directory, parentID, cost, time }: JsonObject): StoredFacts {
  const { created, updated } = asObject(time)
  return omitUndefined({
    id: asString(id),
    title: asString(title),
    cwd: asString(directory),
    startedAt: isoTime(created),
    updatedAt: isoTime(updated),
    // OpenCode reports zero for a model without a known price. A state has no cost then.
    costUsd: asFiniteNumber(cost) || undefined,
    isSubagent: typeof parentID === 'string' ? true : undefined,
  })
}

/** The storage folder, and the file of a session in it. */
const SESSION_FILE = /^(.*[\\/])?session[\\/]([^\\/]+)[\\/]([^\\/]+)\.json$/

/**
 * Reads a session with its messages, its parts and its subagents' sessions, as OpenCode stored them before 1.2: one
 * file for each. The path is that of the session's own file, or of a folder with one session. Throws a
 * `TranscriptError` if the folder has several.
 */
export function readStored(path: string, reader: FileReader): StoredSession | undefined {
  if (SESSION_FILE.test(path)) return readSessionFile(path, reader)
  const roots = [`${path}/`, `${path}/storage/`, ...(/[\\/]session$/.test(path) ? [path.slice(0, -7)] : [])]
  for (const root of roots) {
    const file = onlySession(root, reader)
    if (file !== undefined) return readSessionFile(file, reader)
  }
  return undefined
}

/** Reads the one session that is stored in such files. */
export function readStoredAmong(paths: readonly string[], reader: FileReader): StoredSession | undefined {
  const match = paths.map((path) => SESSION_FILE.exec(path)).find((each) => each !== null)
  if (!match) return undefined
  const names = namesIn(paths)
  const folder = { ...reader, names: (path: string) => [...(names.get(path) ?? [])].sort() }
  const file = onlySession(match[1] ?? '', folder)
  return file === undefined ? undefined : readSessionFile(file, folder)
}

/** Returns the names in each folder of the paths. */
function namesIn(paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>()
  for (const path of paths)
    for (const { index } of path.matchAll(/[\\/]/g)) {
      const folder = path.slice(0, index)
      const [name = ''] = path.slice(index + 1).split(/[\\/]/, 1)
      const known = names.get(folder)
      if (known) known.add(name)
      else names.set(folder, new Set([name]))
    }
  return names
}

/** Returns the file of the one session in a storage folder that no other session has started. */
function onlySession(root: string, reader: FileReader): string | undefined {
  const folders = reader.names(`${root}session`).map((project) => `${root}session/${project}`)
  const files = folders.flatMap((folder) => reader.names(folder).map((name) => `${folder}/${name}`))
  const mains = files.filter((path) => {
    const info = infoIn(path, reader)
    return info !== undefined && info.parentID === undefined
  })
  if (mains.length > 1) throw severalSessions(mains)
  return mains[0]
}

/** Returns the `info` in the file of a session. */
function infoIn(path: string, reader: FileReader): JsonObject | undefined {
  const [, , , id] = SESSION_FILE.exec(path) ?? []
  const info = id === undefined ? undefined : reader.value(path)
  return isObject(info) && info.id === id ? info : undefined
}

function readSessionFile(path: string, reader: FileReader): StoredSession | undefined {
  const info = infoIn(path, reader)
  if (!info) return undefined
  const [, root = '', project] = SESSION_FILE.exec(path) ?? []
  const storage = new StoredFiles(root, reader)
  const infos = storage.objects(`${root}session/${project}`)
  const exports = exportsOf(info, infos, (each) => storage.exportOf(each))
  return { transcripts: transcriptsOfExports(exports), sources: [path, ...storage.sources] }
}

/** Returns a session, its descendants, and the agents of another session that its calls name, each with its messages. */
export function exportsOf(
  info: JsonObject,
  infos: readonly JsonObject[],
  read: (info: JsonObject) => SessionExport,
): readonly [SessionExport, ...SessionExport[]] {
  const byParent = sessionsByParent(infos)
  const agents = new Map(
    infos.flatMap((each) => (typeof each.parentID === 'string' ? [[each.id, each]] : [])),
  )
  const [first, ...others] = withDescendants(info, byParent)
  const main = read(first)
  const found = new Map([main, ...others.map(read)].map((each) => [each.info.id, each]))
  // A Map that grows while it is read visits the new entries too.
  for (const each of found.values())
    for (const id of calledSessions(each)) {
      const agent = found.has(id) ? undefined : agents.get(id)
      for (const own of agent ? withDescendants(agent, byParent) : [])
        if (!found.has(own.id)) found.set(own.id, read(own))
    }
  found.delete(main.info.id)
  return [main, ...found.values()]
}

/** The sessions that a session started, by its id. */
type SessionsByParent = ReadonlyMap<unknown, readonly JsonObject[]>

export function sessionsByParent(infos: readonly JsonObject[]): SessionsByParent {
  const byParent = new Map<unknown, JsonObject[]>()
  for (const info of infos) addToList(byParent, info.parentID, info)
  return byParent
}

/** Returns the session and those that it started, at any depth. */
export function withDescendants(
  main: JsonObject,
  byParent: SessionsByParent,
): readonly [JsonObject, ...JsonObject[]] {
  const found = new Map([[main.id, main]])
  // A Map that grows while it is read visits the new entries too.
  for (const [id] of found)
    for (const info of byParent.get(id) ?? []) if (!found.has(info.id)) found.set(info.id, info)
  found.delete(main.id)
  return [main, ...found.values()]
}

/** An id is a name of files and folders. One that leads elsewhere is none. */
function idOf({ id }: JsonObject): string {
  const name = asString(id) ?? ''
  return /[/\\\0]|^\.\.?$/.test(name) ? '' : name
}

/** The files of a storage folder, with the paths that were read. */
class StoredFiles {
  readonly #root: string
  readonly #reader: FileReader
  readonly sources: string[] = []

  constructor(root: string, reader: FileReader) {
    this.#root = root
    this.#reader = reader
  }

  /** Returns the JSON objects in a folder, by the order of their names. Ids of OpenCode ascend with time. */
  objects(folder: string): readonly JsonObject[] {
    this.sources.push(folder)
    return this.#reader.names(folder).flatMap((name) => {
      const path = `${folder}/${name}`
      if (!name.endsWith('.json')) return []
      this.sources.push(path)
      const value = this.#reader.value(path)
      return isObject(value) ? [value] : []
    })
  }

  exportOf(info: JsonObject): SessionExport {
    const messages = this.objects(`${this.#root}message/${idOf(info)}`)
    const parts = messages.flatMap((message) => this.objects(`${this.#root}part/${idOf(message)}`))
    return exportOf(info, messages, parts)
  }
}
