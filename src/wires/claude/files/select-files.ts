import { asString, isObject } from '../../../json/values.ts'
import { severalSessions } from '../../../session/input/combined.ts'
import type { FileReader } from '../../format.ts'
import {
  isAgentFile,
  isBeside,
  isInAgentFolder,
  isSessionFile,
  metaPath,
  namesSession,
} from './session-files.ts'

/**
 * Returns the paths of a session's file and of its subagents' files. If a fork is among the files, the files of the session that it
 * copies belong to it too. Reads the beginnings of files alone. Throws a `TranscriptError` if there are several sessions.
 */
export function selectClaudeFiles(paths: readonly string[], reader: FileReader): readonly string[] {
  const sessions = selectSessions(paths.filter(isSessionFile), reader)
  const agents = paths.filter((path) => isAgentFile(path) && belongsToAny(sessions, path, reader))
  const metaPaths = new Set(agents.map(metaPath))
  return [...sessions, ...agents, ...paths.filter((path) => metaPaths.has(path))]
}

/** Returns the files that can be one session and its forks. A file without uuids holds no part of a conversation. */
function selectSessions(paths: readonly string[], reader: FileReader): readonly string[] {
  if (paths.length < 2) return paths
  const allBeginnings = paths.map((path) => [path, firstUuids(path, reader)] as const)
  const beginnings = new Map(allBeginnings.filter(([, uuids]) => uuids.size > 0))
  const [first, ...others] = beginnings.values()
  if (first === undefined) return paths
  if (others.some((uuids) => ![...uuids].some((uuid) => first.has(uuid))))
    throw severalSessions([...beginnings.keys()])
  return [...beginnings.keys()]
}

/** A fork begins with a copy of its session. Some versions write lines of their own before the copy. */
const COMPARED_UUIDS = 20

function firstUuids(path: string, reader: FileReader): ReadonlySet<string> {
  const uuids = new Set<string>()
  for (const value of reader.values(path)) {
    const uuid = isObject(value) ? asString(value.uuid) : undefined
    if (uuid !== undefined) uuids.add(uuid)
    if (uuids.size === COMPARED_UUIDS) break
  }
  return uuids
}

function belongsToAny(sessions: readonly string[], agentPath: string, reader: FileReader): boolean {
  const path = withSlashes(agentPath)
  const sessionPaths = sessions.map(withSlashes)
  if (sessionPaths.some((session) => isInAgentFolder(path, session))) return true
  const neighbours = sessionPaths.filter((session) => isBeside(path, session))
  if (neighbours.length === 0) return false
  const firstLine = firstLineOf(agentPath, reader)
  return neighbours.some((session) => namesSession(firstLine, session))
}

function firstLineOf(path: string, reader: FileReader): unknown {
  for (const value of reader.values(path)) return value
  return undefined
}

function withSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}
