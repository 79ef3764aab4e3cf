import { addToList } from '../../../json/append.ts'
import { asString, isObject, type JsonObject } from '../../../json/values.ts'
import type { FolderReader, StoredSession } from '../../format.ts'
import { opencodeTranscript } from './session-files.ts'

/** Returns an export as `opencode export` writes it. The parts of a message are those with its id. */
export function exportOf(
  info: JsonObject,
  messages: readonly JsonObject[],
  parts: readonly JsonObject[],
): string {
  const byMessage = new Map<unknown, JsonObject[]>(messages.map(({ id }) => [id, []]))
  for (const part of parts) byMessage.get(part.messageID)?.push(part)
  const stored = messages.map((message) => ({ info: message, parts: byMessage.get(message.id) }))
  return JSON.stringify({ info, messages: stored })
}

const SESSION_FILE = /^(.*[\\/]storage)[\\/]session[\\/]([^\\/]+)[\\/]([^\\/]+)\.json$/

/** Combines a session of `storage/session/` with its messages, its parts and its subagents' sessions. Their files are in folders beside. */
export function combineStored(path: string, reader: FolderReader): StoredSession | undefined {
  const [, root, project, id] = SESSION_FILE.exec(path) ?? []
  if (root === undefined || project === undefined || id === undefined) return undefined
  const info = reader.value(path)
  if (!isObject(info) || info.id !== id) return undefined
  const folder = `${root}/session/${project}`
  const storage = new StoredFiles(root, reader)
  const infos = sessionsByParent(storage.objects(folder))
  const exports = withDescendants(info, infos).map((each) => [idOf(each), storage.exportOf(each)] as const)
  const files = Object.fromEntries(exports.map(([each, text]) => [`${folder}/${each}.json`, text]))
  return { transcript: opencodeTranscript(files), sources: [path, ...storage.sources] }
}

/** The sessions that a session started, by its id. */
type SessionsByParent = ReadonlyMap<unknown, readonly JsonObject[]>

export function sessionsByParent(infos: readonly JsonObject[]): SessionsByParent {
  const byParent = new Map<unknown, JsonObject[]>()
  for (const info of infos) addToList(byParent, info.parentID, info)
  return byParent
}

/** Returns the session and those that it started, at any depth. */
export function withDescendants(main: JsonObject, byParent: SessionsByParent): readonly JsonObject[] {
  const found = new Map([[main.id, main]])
  // A Map that grows while it is read visits the new entries too.
  for (const [id] of found)
    for (const info of byParent.get(id) ?? []) if (!found.has(info.id)) found.set(info.id, info)
  return [...found.values()]
}

/** An id is a name of files and folders. One that leads elsewhere is none. */
function idOf({ id }: JsonObject): string {
  const name = asString(id) ?? ''
  return /[/\\\0]|^\.\.?$/.test(name) ? '' : name
}

/** The files of a storage folder, with the paths that were read. */
class StoredFiles {
  readonly #root: string
  readonly #reader: FolderReader
  readonly sources: string[] = []

  constructor(root: string, reader: FolderReader) {
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

  exportOf(info: JsonObject): string {
    const messages = this.objects(`${this.#root}/message/${idOf(info)}`)
    const parts = messages.flatMap((message) => this.objects(`${this.#root}/part/${idOf(message)}`))
    return exportOf(info, messages, parts)
  }
}
