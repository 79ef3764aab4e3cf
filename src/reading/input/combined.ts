import { isObject } from '../../core/json/values.ts'

/** A session's main transcript with the transcripts of its subagents. */
export interface CombinedTranscript {
  /** The text of main's transcript, such as newline-delimited JSON. */
  readonly main: string
  readonly subagents: readonly SubagentTranscript[]
}

/** A subagent's transcript. */
export interface SubagentTranscript {
  /** The agent's own id. */
  readonly id: string
  readonly transcript: string
  /** The text of the file in which the program stores facts about the agent. */
  readonly meta?: string
}

/** Whether the value is a combined transcript. */
export function isCombined(value: unknown): value is CombinedTranscript {
  return (
    isObject(value) &&
    typeof value.main === 'string' &&
    Array.isArray(value.subagents) &&
    value.subagents.every(isSubagentTranscript)
  )
}

function isSubagentTranscript(value: unknown): value is SubagentTranscript {
  if (!isObject(value) || typeof value.id !== 'string' || typeof value.transcript !== 'string') return false
  return value.meta === undefined || typeof value.meta === 'string'
}

/**
 * The input cannot be read as one session:
 * - `not-a-transcript`: the source knows none of its lines
 * - `no-session`: none of the files holds a session
 * - `several-sessions`: the files hold several sessions
 * - `no-such-file`: the path leads to no file and no folder
 * - `unreadable`: the system refuses to read the file
 * - `too-large`: the input is too large or nested too deep
 * - `no-database-reader`: the session is in a database, and this version of Node cannot read it
 */
export class TranscriptError extends Error {
  readonly code:
    | 'not-a-transcript'
    | 'no-session'
    | 'several-sessions'
    | 'no-such-file'
    | 'unreadable'
    | 'too-large'
    | 'no-database-reader'
  /** The path of the input, if it comes from files. */
  readonly path?: string
  /** The paths of the sessions, if there are several. */
  readonly sessions?: readonly string[]

  constructor(code: TranscriptError['code'], message: string, facts: TranscriptErrorFacts = {}) {
    super(message, 'cause' in facts ? { cause: facts.cause } : undefined)
    this.name = 'TranscriptError'
    this.code = code
    if (facts.path !== undefined) this.path = facts.path
    if (facts.sessions !== undefined) this.sessions = facts.sessions
  }
}

/** Further facts of an error. `cause` is the error of the system, if there is one. */
interface TranscriptErrorFacts {
  readonly path?: string | undefined
  readonly sessions?: readonly string[]
  readonly cause?: unknown
}

/** Returns the path of the one session. Throws a `TranscriptError` if there is none, or if there are several. */
export function onlySession(paths: readonly string[], needed: string): string {
  const [path, ...others] = paths
  if (path === undefined)
    throw new TranscriptError('no-session', `no session among the files: ${needed} is needed`)
  if (others.length > 0) throw severalSessions(paths)
  return path
}

/** Returns the error for files that hold several sessions, none of which contains the others. */
export function severalSessions(paths: readonly string[]): TranscriptError {
  return new TranscriptError('several-sessions', severalSessionsText(paths), { sessions: paths })
}

/** Returns a text with a line for each session to choose from, so that a person can copy its path. `older` sessions are only counted. */
export function severalSessionsText(sessions: readonly string[], older = 0): string {
  const lines = sessions.map((path) => path.replaceAll('\n', '\ufffd'))
  return ['several sessions, choose one:', ...lines, ...(older > 0 ? [`and ${older} older`] : [])].join(
    '\n  ',
  )
}
