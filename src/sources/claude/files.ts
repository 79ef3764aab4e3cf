import { known } from '../../state/known.ts'
import { type CombinedTranscript, type SubagentTranscript, TranscriptError } from '../combined.ts'

const AGENT_FILE = /(?:^|[/\\])agent-([^/\\]+)\.jsonl$/

/**
 * Bundles a session's files, by path, into one transcript: `<session>.jsonl` and, in the folder `<session>/subagents/`,
 * `agent-<id>.jsonl` with its `.meta.json`. Throws a `TranscriptError` if there is no session or more than one.
 */
export function claudeTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  const byPath = new Map(Object.entries(files))
  const sessions = [...byPath].filter(([path]) => path.endsWith('.jsonl') && !AGENT_FILE.test(path))
  const [session, ...others] = sessions.filter(([, text]) => text.trim() !== '')
  if (sessions.length === 0)
    throw new TranscriptError('no-session', 'no session among the files: a .jsonl is needed')
  if (others.length > 0)
    throw new TranscriptError(
      'several-sessions',
      `several sessions, pass one: ${sessions.map(([path]) => path).join(', ')}`,
    )
  if (!session) return { main: '', subagents: [] }
  const [path, main] = session
  return { main, subagents: subagentsOf(path, byPath) }
}

/** The folder that holds the files of a session's subagents. */
export function subagentFolder(sessionPath: string): string {
  return `${sessionPath.replace(/\.jsonl$/, '')}/subagents`
}

function subagentsOf(
  sessionPath: string,
  byPath: ReadonlyMap<string, string>,
): readonly SubagentTranscript[] {
  const folder = `${subagentFolder(sessionPath)}/`
  return [...byPath].flatMap(([path, transcript]) => {
    const id = AGENT_FILE.exec(path)?.[1]
    if (id === undefined || !path.replaceAll('\\', '/').startsWith(folder.replaceAll('\\', '/'))) return []
    return [known({ id, transcript, meta: byPath.get(path.replace(/\.jsonl$/, '.meta.json')) })]
  })
}
