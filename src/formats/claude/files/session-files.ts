import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asString, isObject } from '../../../json/values.ts'
import { type CombinedTranscript, type SubagentTranscript, TranscriptError } from '../../combined.ts'
import { firstValue, valuesIn } from '../../jsonl.ts'

interface SessionFile {
  readonly path: string
  readonly transcript: string
}

const AGENT_FILE = /(?:^|\/)agent-([^/]+)\.jsonl$/

/**
 * Bundles a session's files, by path, into one transcript: `<session>.jsonl` and its subagents' `agent-<id>.jsonl`, in the
 * folder `<session>/subagents/` with a `.meta.json` each, or (before 2.1.70) beside the session's file. Of a session and
 * its fork, which begins with a copy of it, the fork is taken.
 * Throws a `TranscriptError` if there is no session, or several of which none contains the others.
 */
export function claudeTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  const byPath = new Map(
    Object.entries(files).map(([path, content]) => [path.replaceAll('\\', '/'), content]),
  )
  const sessions = [...byPath]
    .filter(([path]) => path.endsWith('.jsonl') && !isAgentFile(path))
    .map(([path, transcript]) => ({ path, transcript }))
  const { main, paths } = theSession(sessions)
  const subagents = new Map(paths.flatMap((path) => subagentsOf(path, byPath)).map((each) => [each.id, each]))
  return { main, subagents: [...subagents.values()] }
}

/** Whether the file is a subagent's, by its name. */
export function isAgentFile(path: string): boolean {
  return AGENT_FILE.test(path)
}

/** The folder that holds the files of a session's subagents. */
export function subagentFolder(sessionPath: string): string {
  return `${sessionPath.replace(/\.jsonl$/, '')}/subagents`
}

/** The session's text, and the paths that its subagents' files may belong to: a fork's are those of what it copied. */
function theSession(sessions: readonly SessionFile[]): {
  readonly main: string
  readonly paths: readonly string[]
} {
  if (sessions.length === 0)
    throw new TranscriptError('no-session', 'no session among the files: a .jsonl is needed')
  const written = sessions.filter(({ transcript }) => transcript.trim() !== '')
  const paths = written.map(({ path }) => path)
  const ids = new Map(written.length < 2 ? [] : written.map((session) => [session, lineIds(session)]))
  const whole = written.find((session) =>
    written.every((other) => session === other || containsAll(ids.get(session), ids.get(other))),
  )
  if (whole) return { main: whole.transcript, paths }
  if (written.length === 0) return { main: '', paths }
  throw new TranscriptError('several-sessions', `several sessions, choose one: ${paths.join(', ')}`)
}

function lineIds({ transcript }: SessionFile): ReadonlySet<string> {
  const messages = [...valuesIn(transcript)]
  return new Set(messages.flatMap((message) => (isObject(message) ? (asString(message.uuid) ?? []) : [])))
}

function containsAll(
  outer: ReadonlySet<string> = new Set(),
  inner: ReadonlySet<string> = new Set(),
): boolean {
  return [...inner].every((id) => outer.has(id))
}

function subagentsOf(
  sessionPath: string,
  byPath: ReadonlyMap<string, string>,
): readonly SubagentTranscript[] {
  const folder = `${subagentFolder(sessionPath)}/`
  const isBeside = (path: string) => folderOf(path) === folderOf(sessionPath)
  return [...byPath].flatMap(([path, transcript]) => {
    const id = AGENT_FILE.exec(path)?.[1]
    if (id === undefined) return []
    if (!path.startsWith(folder) && !(isBeside(path) && isOfSession(sessionPath, transcript))) return []
    return [omitUndefined({ id, transcript, meta: byPath.get(path.replace(/\.jsonl$/, '.meta.json')) })]
  })
}

/** Agent files beside a session's file may be another session's; their lines say whose they are. */
function isOfSession(sessionPath: string, transcript: string): boolean {
  const first = firstValue(transcript)
  const sessionId = isObject(first) ? asString(first.sessionId) : undefined
  return sessionId !== undefined && sessionPath.endsWith(`${sessionId}.jsonl`)
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}
