import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asString, isObject } from '../../../json/values.ts'
import {
  type CombinedTranscript,
  type SubagentTranscript,
  severalSessions,
  TranscriptError,
} from '../../../session/input/combined.ts'
import { firstValue, valuesIn } from '../../../session/input/jsonl.ts'

interface SessionFile {
  readonly path: string
  readonly transcript: string
}

const AGENT_FILE = /(?:^|[\\/])agent-([^\\/]+)\.jsonl$/

/**
 * Bundles a session's files, by path, into one transcript: `<session>.jsonl` and its subagents' `agent-<id>.jsonl`. From
 * 2.1.70 on, these are in the folder `<session>/subagents/`, each with a `.meta.json`. Before that, they are beside the
 * session's file. A fork begins with a copy of its session, so the fork wins if the files hold both.
 * Throws a `TranscriptError` if there is no session, or if there are several and none contains the others.
 */
export function claudeTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  const byPath = new Map(
    Object.entries(files).map(([path, content]) => [path.replaceAll('\\', '/'), content]),
  )
  const sessions = [...byPath]
    .filter(([path]) => isSessionFile(path))
    .map(([path, transcript]) => ({ path, transcript }))
  const { main, paths } = selectSession(sessions)
  const subagents = new Map(paths.flatMap((path) => subagentsOf(path, byPath)).map((each) => [each.id, each]))
  return { main, subagents: [...subagents.values()] }
}

/** Whether a file with that name can hold a session. */
export function isSessionFile(path: string): boolean {
  return path.endsWith('.jsonl') && !isAgentFile(path)
}

/** Whether the file's name is that of a subagent's file. */
export function isAgentFile(path: string): boolean {
  return AGENT_FILE.test(path)
}

/** Returns the id of the agent whose lines the file holds; undefined for another file. */
export function agentIdOfFile(path: string): string | undefined {
  return AGENT_FILE.exec(path)?.[1]
}

/** Returns the id of the agent whose facts the file holds; undefined for another file. */
export function agentIdOfMeta(path: string): string | undefined {
  return path.endsWith(META_ENDING) ? agentIdOfFile(path.replace(META_ENDING, '.jsonl')) : undefined
}

const META_ENDING = '.meta.json'

/** Returns the folder that holds the files of a session's subagents. */
export function subagentFolder(sessionPath: string): string {
  return `${sessionPath.replace(/\.jsonl$/, '')}/subagents`
}

/**
 * Returns the session's text, and the session paths that its subagents' files may belong to. The files of a fork's copied
 * subagents stay with the copied session.
 */
function selectSession(sessions: readonly SessionFile[]): {
  readonly main: string
  readonly paths: readonly string[]
} {
  if (sessions.length === 0)
    throw new TranscriptError('no-session', 'no session among the files: a .jsonl is needed')
  const nonEmpty = sessions.filter(({ transcript }) => transcript.trim() !== '')
  const paths = nonEmpty.map(({ path }) => path)
  const uuids = new Map(nonEmpty.length < 2 ? [] : nonEmpty.map((session) => [session, uuidsOf(session)]))
  const longest = nonEmpty.find((session) =>
    nonEmpty.every((other) => session === other || includesAll(uuids.get(session), uuids.get(other))),
  )
  if (longest) return { main: longest.transcript, paths }
  if (nonEmpty.length === 0) return { main: '', paths }
  throw severalSessions(paths)
}

function uuidsOf({ transcript }: SessionFile): ReadonlySet<string> {
  const messages = [...valuesIn(transcript)]
  return new Set(messages.flatMap((message) => (isObject(message) ? (asString(message.uuid) ?? []) : [])))
}

function includesAll(
  outer: ReadonlySet<string> = new Set(),
  inner: ReadonlySet<string> = new Set(),
): boolean {
  return [...inner].every((id) => outer.has(id))
}

function subagentsOf(
  sessionPath: string,
  byPath: ReadonlyMap<string, string>,
): readonly SubagentTranscript[] {
  return [...byPath].flatMap(([path, transcript]) => {
    const id = agentIdOfFile(path)
    if (id === undefined) return []
    const isOwn =
      isInAgentFolder(path, sessionPath) ||
      (isBeside(path, sessionPath) && namesSession(firstValue(transcript), sessionPath))
    return isOwn ? [omitUndefined({ id, transcript, meta: byPath.get(metaPath(path)) })] : []
  })
}

/** Returns the path of the file with the facts about the agent. */
export function metaPath(agentPath: string): string {
  return agentPath.replace(/\.jsonl$/, META_ENDING)
}

/** Whether the file is in the folder of the session's subagents. All files there belong to the session. */
export function isInAgentFolder(path: string, sessionPath: string): boolean {
  return path.startsWith(`${subagentFolder(sessionPath)}/`)
}

/** Whether the file is beside the session's file. It may belong to another session: `namesSession` decides. */
export function isBeside(path: string, sessionPath: string): boolean {
  return folderOf(path) === folderOf(sessionPath)
}

/** Whether the first line of a file beside the session's file names that session. */
export function namesSession(firstLine: unknown, sessionPath: string): boolean {
  const sessionId = isObject(firstLine) ? asString(firstLine.sessionId) : undefined
  return sessionId !== undefined && sessionPath.endsWith(`${sessionId}.jsonl`)
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}
