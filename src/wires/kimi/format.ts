import { omitUndefined } from '../../core/json/fields.ts'
import { isoTime } from '../../core/json/iso-time.ts'
import {
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
} from '../../core/json/values.ts'
import { MAIN } from '../../core/state/session.ts'
import type { StoredFacts } from '../../programs/program.ts'
import { type CombinedTranscript, onlySession } from '../../reading/input/combined.ts'
import { combineFiles, type TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format } from '../format.ts'
import { unwrapLogLine } from '../kit/lines.ts'
import { isServerEvent, isSessionState, isWireLine, sessionState } from './messages.ts'

/** Whether the value can only be a message of one of the forms. */
export function isKimiMessage(value: unknown): boolean {
  if (!isObject(value)) return false
  const message = unwrapLogLine(value)
  return isWireLine(message) || isServerEvent(message) || isMetaLine(message)
}

/** Whether a line proves to be of the stream. The messages themselves look like those of any program that speaks OpenAI's API. */
function isMetaLine({ role, type, version, session_id }: JsonObject): boolean {
  if (role !== 'meta') return false
  return (
    (type === 'system.version' && isString(version)) ||
    (type === 'session.resume_hint' && isString(session_id))
  )
}

// A session is a folder: `state.json`, and `agents/<agent id>/wire.jsonl` for each agent. Main's file is the
// session's own one.

/** How the files of a session become one stream of messages. */
export const kimiRules: TranscriptRules = { agentField: 'agentId', timeOf }

/** Kimi Code: the files of its sessions, the events of `kimi web`, and `-p --output-format stream-json`. */
export const kimiFormat: Format<'kimi'> = {
  name: 'kimi',
  inputs:
    "Kimi Code (agents/main/wire.jsonl: its agents' files are found beside it, a log of kimi web, stream-json)",
  isDocument: () => false,
  isMessage: isKimiMessage,
  transcripts: kimiRules,
  files: {
    isSession: (path) => agentOf(path) === MAIN,
    isPart: (path) => agentOf(path) !== undefined || STATE.test(path),
    agentFiles: (path) =>
      agentOf(path) === MAIN
        ? { furtherFolders: () => [sessionFolder(path)], isBeside: () => false }
        : undefined,
    transcripts,
  },
  storage: {
    facts: factsOf,
    factsPath: (path) =>
      agentOf(path) === MAIN ? path.replace(/agents([\\/])main[\\/]wire\.jsonl$/, 'state.json') : undefined,
  },
}

const FILE = /(?:^|[\\/])agents[\\/]([^\\/]+)[\\/]wire\.jsonl$/
const STATE = /(?:^|[\\/])state\.json$/

/** Returns the agent that a file is of. */
function agentOf(path: string): string | undefined {
  return FILE.exec(path)?.[1]
}

/** Returns the path of the session's folder. */
function sessionFolder(path: string): string {
  const folder = path.slice(0, path.length - (FILE.exec(path)?.[0].replace(/^[\\/]/, '').length ?? 0))
  return folder === '' ? '.' : folder.replace(/(?<=.)[\\/]$/, '')
}

/**
 * Bundles the files of a session, by path, into one transcript. Throws a `TranscriptError` if there is no session, or
 * if there are several.
 */
export function kimiTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  return combineFiles(files, transcripts)
}

/** Returns main's file and those of the agents in the same folder. The facts of the session come first. */
function transcripts(
  paths: readonly string[],
  _reader?: unknown,
  sessionPath?: string,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  const mains = sessionPath === undefined ? paths.filter((path) => agentOf(path) === MAIN) : [sessionPath]
  const main = onlySession(mains, 'an agents/main/wire.jsonl')
  const folder = sessionFolder(main)
  const agents = paths.flatMap((path) => {
    const id = agentOf(path)
    return id === undefined || id === MAIN || sessionFolder(path) !== folder ? [] : [{ id, path }]
  })
  const facts = paths.filter((path) => STATE.test(path) && path.replace(STATE, '') === main.replace(FILE, ''))
  const bases = facts.map((path) => ({ path, includes: isObject }))
  return [{ path: main, ...(bases.length > 0 && { bases }) }, ...agents]
}

/** A line of an agent's file has its time in ms. */
function timeOf({ time, created_at }: JsonObject): string | undefined {
  return isoTime(time ?? created_at)
}

/** Returns the facts that `state.json` states. */
function factsOf(value: unknown): StoredFacts {
  if (!isObject(value) || !isSessionState(value)) return {}
  const { id, title, cwd, createdAt, updatedAt, agents } = sessionState(value)
  return omitUndefined({
    id: asString(id),
    title: asString(title),
    cwd: asString(cwd),
    startedAt: isoTime(asFiniteNumber(createdAt)),
    updatedAt: isoTime(asFiniteNumber(updatedAt)),
    agents: Object.keys(asObject(agents)).filter((id) => id !== MAIN).length,
  })
}
