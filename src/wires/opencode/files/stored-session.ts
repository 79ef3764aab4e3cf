import { addToList } from '../../../json/append.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asFiniteNumber, asObject, asString, isObject, type JsonObject } from '../../../json/values.ts'
import type { StoredFacts } from '../../../programs/program.ts'
import { isoTime } from '../../../session/time.ts'
import type { FolderReader, StoredSession } from '../../format.ts'
import { type SessionExport, transcriptsOfExports } from './export.ts'

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

const SESSION_FILE = /^(.*[\\/]storage)[\\/]session[\\/]([^\\/]+)[\\/]([^\\/]+)\.json$/

/** Reads a session of `storage/session/` with its messages, its parts and its subagents' sessions. Their files are in folders beside. */
export function readStored(path: string, reader: FolderReader): StoredSession | undefined {
  const [, root, project, id] = SESSION_FILE.exec(path) ?? []
  if (root === undefined || project === undefined || id === undefined) return undefined
  const info = reader.value(path)
  if (!isObject(info) || info.id !== id) return undefined
  const storage = new StoredFiles(root, reader)
  const infos = sessionsByParent(storage.objects(`${root}/session/${project}`))
  const [main, ...others] = withDescendants(info, infos)
  const exports = [storage.exportOf(main), ...others.map((each) => storage.exportOf(each))] as const
  return { transcripts: transcriptsOfExports(exports), sources: [path, ...storage.sources] }
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

  exportOf(info: JsonObject): SessionExport {
    const messages = this.objects(`${this.#root}/message/${idOf(info)}`)
    const parts = messages.flatMap((message) => this.objects(`${this.#root}/part/${idOf(message)}`))
    return exportOf(info, messages, parts)
  }
}
