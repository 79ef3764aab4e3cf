import { isObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import { type CombinedTranscript, type SubagentTranscript, TranscriptError } from '../combined.ts'
import { parseJson } from '../jsonl.ts'

interface SessionFile {
  readonly path: string
  readonly transcript: string
}

const AGENT_FILE = /(?:^|\/)agent-([^/]+)\.jsonl$/

/**
 * Bundles a session's files, by path, into one transcript: `<session>.jsonl` and, in the folder `<session>/subagents/`,
 * `agent-<id>.jsonl` with its `.meta.json`. Of a session and its fork, which begins with a copy of it, the fork is taken.
 * Throws a `TranscriptError` if there is no session, or several of which none contains the others.
 */
export function claudeTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  const byPath = new Map(
    Object.entries(files).map(([path, content]) => [path.replaceAll('\\', '/'), content]),
  )
  const sessions = [...byPath]
    .filter(([path]) => path.endsWith('.jsonl') && !AGENT_FILE.test(path))
    .map(([path, transcript]) => ({ path, transcript }))
  const { path, transcript } = theSession(sessions)
  return { main: transcript, subagents: subagentsOf(path, byPath) }
}

/** The folder that holds the files of a session's subagents. */
export function subagentFolder(sessionPath: string): string {
  return `${sessionPath.replace(/\.jsonl$/, '')}/subagents`
}

function theSession(sessions: readonly SessionFile[]): SessionFile {
  const [first] = sessions
  if (!first) throw new TranscriptError('no-session', 'no session among the files: a .jsonl is needed')
  const written = sessions.filter(({ transcript }) => transcript.trim() !== '')
  if (written.length < 2) return written[0] ?? first
  const ids = new Map(written.map((session) => [session, lineIds(session)]))
  const fork = written.find((session) =>
    written.every((other) => containsAll(ids.get(session), ids.get(other))),
  )
  if (fork) return fork
  const paths = written.map(({ path }) => path).join(', ')
  throw new TranscriptError('several-sessions', `several sessions, choose one: ${paths}`)
}

function lineIds({ transcript }: SessionFile): ReadonlySet<string> {
  const messages = transcript.split('\n').map(parseJson)
  return new Set(messages.flatMap((message) => (isObject(message) ? (text(message.uuid) ?? []) : [])))
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
  return [...byPath].flatMap(([path, transcript]) => {
    const id = path.startsWith(folder) ? AGENT_FILE.exec(path)?.[1] : undefined
    if (id === undefined) return []
    return [known({ id, transcript, meta: byPath.get(path.replace(/\.jsonl$/, '.meta.json')) })]
  })
}
