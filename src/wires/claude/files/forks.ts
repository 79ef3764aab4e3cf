import { withSlashes } from '../../../json/absolute-path.ts'
import { asString, isObject } from '../../../json/values.ts'
import type { FileReader } from '../../../session/input/transcript-files.ts'
import type { FolderReader } from '../../format.ts'
import { folderOf } from './file-names.ts'

/** A fork begins with a copy of its session. Some versions write lines of their own before the copy. */
const COMPARED_UUIDS = 20

/** Returns the first uuids in a session's file. */
export function beginningOf(path: string, reader: FileReader): ReadonlySet<string> {
  return uuidsOf(path, reader, COMPARED_UUIDS)
}

/**
 * Returns the folders with the agents and workflows of the sessions that begin with the same lines. One of them may be the session that this one
 * copies: a fork leaves the files of copied agents where they are.
 */
export function foldersOfSameBeginning(path: string, reader: FolderReader): readonly string[] {
  const folder = folderOf(withSlashes(path))
  const name = path.slice(folder.length)
  const names = reader.names(folder === '' ? '.' : folder)
  const known = new Set(names)
  const others = names.filter((other) => known.has(`${other}.jsonl`) && `${other}.jsonl` !== name)
  const withAgents = others.filter((other) => reader.names(`${folder}${other}/subagents`).length > 0)
  if (withAgents.length === 0) return []
  const own = beginningOf(path, reader)
  return withAgents
    .filter((other) => sharesAny(own, beginningOf(`${folder}${other}.jsonl`, reader)))
    .flatMap((other) => [`${folder}${other}/subagents`, `${folder}${other}/workflows`])
}

/** Whether a line of one beginning is in the other, too. */
export function sharesAny(
  left: ReadonlySet<string> = new Set(),
  right: ReadonlySet<string> = new Set(),
): boolean {
  return [...right].some((uuid) => left.has(uuid))
}

/** Returns the first uuids in a file, or all of them. */
export function uuidsOf(
  path: string,
  reader: FileReader,
  count = Number.POSITIVE_INFINITY,
): ReadonlySet<string> {
  const uuids = new Set<string>()
  for (const value of reader.values(path)) {
    const uuid = isObject(value) ? asString(value.uuid) : undefined
    if (uuid !== undefined) uuids.add(uuid)
    if (uuids.size >= count) break
  }
  return uuids
}
