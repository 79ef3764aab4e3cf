import { omitUndefined } from '../../core/json/fields.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import {
  type CombinedTranscript,
  severalSessionsText,
  TranscriptError,
} from '../../reading/input/combined.ts'
import { combineFiles } from '../../reading/input/transcript-files.ts'
import type { Transcript } from '../../reading/input/transcripts.ts'
import { ifReadable, overflowMessage } from '../files/read-error.ts'
import { readChunks } from '../files/read-piece.ts'
import { newestPaths } from '../list/list-sessions.ts'
import type { SessionSummary } from '../list/session-summary.ts'
import { findSession, pathsOf } from './find-session.ts'
import { openSession } from './open-session.ts'
import { readInput, type SessionReading } from './read-input.ts'
import { readStoredSession } from './stored-session.ts'

/**
 * Reads a session to its end: a file, a session's file with its subagents' files, a folder with one session, or a
 * `path` of `listSessions`. An empty file is an empty session. An agent whose own file is missing is an issue
 * (`missing-agent-transcript`). Throws a `TranscriptError` with the `path`: its `code` is `no-such-file`,
 * `unreadable`, `too-large`, `no-session`, `several-sessions`, `not-a-transcript` or `no-database-reader`.
 */
export async function readSession(path: string): Promise<SessionReading> {
  try {
    const { state, issues, ending } = await readInput(await openSession(path), undefined, {})
    return { state, issues, ending }
  } catch (error) {
    throw await errorWithPath(error, path)
  }
}

/** Returns the error with the path in its message. An error that no input causes stays as it is. */
export async function errorWithPath(error: unknown, path: string): Promise<unknown> {
  const overflow = overflowMessage(error)
  if (overflow !== undefined)
    return new TranscriptError('too-large', `${path}: ${overflow}`, { path, cause: error })
  if (!(error instanceof TranscriptError)) return error
  const { code } = error
  const sessions = error.sessions && (await newestPaths(error.sessions))
  const reason = sessions ? severalSessionsMessage(sessions) : messageWithout(error, path)
  return new TranscriptError(code, `${path}: ${reason}`, {
    path,
    cause: error,
    ...(sessions && { sessions }),
  })
}

/** The error of a database names its path already. */
function messageWithout({ message, path: named }: TranscriptError, path: string): string {
  const isNamed = named !== undefined && path.startsWith(named) && message.startsWith(`${named}: `)
  return isNamed ? message.slice(named.length + 2) : message
}

/** A folder or a database may hold thousands of sessions, so a message names only the newest ones. */
export const NAMED_SESSIONS = 5

/** Returns a message with the newest sessions. The first path is that of the newest one. */
function severalSessionsMessage(paths: readonly string[]): string {
  const newest = paths.slice(0, NAMED_SESSIONS)
  return severalSessionsText(newest, paths.length - newest.length)
}

/** Reads the texts of a session and its subagents: from files, from a folder with one session, or from a program's own storage. */
export async function readSessionTranscript(path: string): Promise<CombinedTranscript> {
  const stored = await readStoredSession(path)
  if (stored) return combine(stored.transcripts)
  const { transcripts } = await findSession(path)
  const texts: [path: string, text: string][] = []
  for (const each of transcripts.flatMap(pathsOf)) texts.push([each, await textIn(readChunks(each))])
  return combineFiles(Object.fromEntries(texts), () => transcripts)
}

/** Returns the whole text of a file or a pipe. */
export async function textIn(chunks: AsyncIterable<Uint8Array | string>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks)
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

function combine([main, ...agents]: readonly [Transcript, ...Transcript[]]): CombinedTranscript {
  return {
    main: textOf(main),
    subagents: agents.map(({ id = '', ...agent }) => ({
      id,
      transcript: textOf(agent),
      ...(agent.facts && { meta: JSON.stringify(agent.facts.value) }),
    })),
  }
}

function textOf({ content }: Transcript): string {
  return 'lines' in content ? content.lines : JSON.stringify(content.value)
}

/** Returns the state of a session, with the title of its list. A session that cannot be read has no texts: `show` says why. */
export function readListedState(session: SessionSummary): Promise<SessionConversationState | undefined> {
  return ifReadable(() => readTitledState(session))
}

/** Reads a session, with the title of its list. Throws a `TranscriptError`. */
export async function readTitledState({ path, title }: SessionSummary): Promise<SessionConversationState> {
  const { state } = await readSession(path)
  return { ...state, session: omitUndefined({ ...state.session, title }) }
}
