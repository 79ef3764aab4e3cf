import { asString, isObject } from '../../../core/json/values.ts'
import { memoizeWeakly } from '../../../core/selectors/memoize.ts'
import { withSlashes } from '../../../core/state/file-change.ts'
import type { FileReader } from '../../../reading/input/transcript-files.ts'
import { folderOf } from './file-names.ts'

/** A fork begins with a copy of its session. Some versions write lines of their own before the copy. */
const COMPARED_UUIDS = 20

/** Returns the first uuids in a session's file. */
export function beginningOf(path: string, reader: FileReader): ReadonlySet<string> {
  return uuidsOf(path, reader, COMPARED_UUIDS)
}

/**
 * Returns the folders with the agents and workflows of the sessions that begin with the same lines. One of them may
 * be the session that this one copies: a fork leaves the files of copied agents where they are.
 */
export function foldersOfSameBeginning(path: string, reader: FileReader): readonly string[] {
  const folder = folderOf(withSlashes(path))
  const name = path.slice(folder.length)
  const { sessions, beginnings } = knownIn(reader.names(folder === '' ? '.' : folder))
  const others = sessions.filter((other) => `${other}.jsonl` !== name)
  const withAgents = others.filter((other) => reader.names(`${folder}${other}/subagents`).length > 0)
  if (withAgents.length === 0) return []
  const beginningAt = (session: string) => {
    const known = beginnings.get(session) ?? beginningOf(session, reader)
    beginnings.set(session, known)
    return known
  }
  const own = beginningAt(path)
  return withAgents
    .filter((other) => sharesAny(own, beginningAt(`${folder}${other}.jsonl`)))
    .flatMap((other) => [`${folder}${other}/subagents`, `${folder}${other}/workflows`])
}

/** The sessions that have a folder, and the beginnings of files by path. A reader that keeps the names of a folder keeps these, too. */
const knownIn = /* @__PURE__ */ memoizeWeakly((names: readonly string[]) => {
  const known = new Set(names)
  return {
    sessions: names.filter((name) => known.has(`${name}.jsonl`)),
    beginnings: new Map<string, ReadonlySet<string>>(),
  }
})

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
