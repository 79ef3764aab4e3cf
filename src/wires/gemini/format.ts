import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isObject, isString, type JsonObject } from '../../core/json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import { type CombinedTranscript, severalSessions, TranscriptError } from '../../reading/input/combined.ts'
import { combineFiles, type FileReader, type TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { AgentFilePlaces, Format } from '../format.ts'
import { isHeader, isProof, timeOfLine } from './messages.ts'

/**
 * Bundles a session's files, by path, into one transcript: `chats/session-*.jsonl`, and the files of its agents in
 * `chats/<session id>/`. Throws a `TranscriptError` if there is no session, or if there are several.
 */
export function geminiTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  return combineFiles(files, geminiFiles)
}

const SESSION = /(?:^|[\\/])session-[^\\/]*\.jsonl?$/

/** The file of an agent, in the folder of its session. */
const AGENT = /([^\\/]+)[\\/]([^\\/]+)\.jsonl?$/

/** Whether a file with that path can be a session's own. Older versions write one document. */
function isSessionFile(path: string): boolean {
  return SESSION.test(path)
}

/** Whether a file with that path can belong to a session. */
function isPartOfSession(path: string): boolean {
  return isSessionFile(path) || AGENT.test(path)
}

/** Returns the folder of a session's agents. It has the name of the session's id, which only the session's file states whole. */
export function agentFolder(sessionPath: string, reader: FileReader): AgentFilePlaces | undefined {
  const [, parent = '', name = ''] = /^(.*[\\/])?([^\\/]*)$/.exec(sessionPath) ?? []
  if (!reader.names(parent === '' ? '.' : parent).includes(name)) return undefined
  const id = headOf(sessionPath, reader)?.sessionId
  const isName = isString(id) && id !== '' && !/[\\/\0]|^\.\.?$/.test(id)
  return isName ? { folder: `${parent}${id}`, isBeside: () => false } : undefined
}

/** Returns the session's own file, and the files of its agents. */
function geminiFiles(
  paths: readonly string[],
  reader: FileReader,
  sessionPath?: string,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  const only = sessionPath ?? (paths.length === 1 ? paths[0] : undefined)
  const path = only ?? mainOf(paths.filter(isSessionFile), reader)
  const id = headOf(path, reader)?.sessionId
  const agents = paths.flatMap((each) => {
    const [, parentId, name = ''] = AGENT.exec(each) ?? []
    // A newer version writes the file anew in lines.
    const isOld = paths.includes(`${each}l`)
    return each !== path && parentId === id && !isSessionFile(each) && !isOld
      ? [{ id: name, path: each }]
      : []
  })
  return [{ path }, ...agents]
}

/** Returns the file of the one session. A process may leave a file without a prompt, and a newer version writes the chat anew in lines. */
function mainOf(paths: readonly string[], reader: FileReader): string {
  const own = paths.filter((path) => !paths.includes(`${path}l`))
  const started = own.filter((path) => hasContent(path, reader))
  const [main, ...others] = started.length > 0 ? started : own
  if (main === undefined)
    throw new TranscriptError('no-session', 'no session among the files: a chats/session-*.jsonl is needed')
  const id = headOf(main, reader)?.sessionId
  const isOther = (path: string) => headOf(path, reader)?.sessionId !== id
  if (others.some(isOther)) throw severalSessions([main, ...others])
  return others.at(-1) ?? main
}

function headOf(path: string, reader: FileReader): JsonObject | undefined {
  const value = path.endsWith('.json') ? reader.value(path) : firstOf(reader.values(path))
  return isObject(value) && isHeader(value) ? value : undefined
}

function firstOf(values: Iterable<unknown>): unknown {
  for (const value of values) return value
  return undefined
}

/** Whether a file has more than its header and the history that a process begins with. */
function hasContent(path: string, reader: FileReader): boolean {
  if (path.endsWith('.json')) return true
  for (const value of reader.values(path)) if (isObject(value) && isString(value.id)) return true
  return false
}

/** How the files of a session become one stream of messages. */
export const geminiRules: TranscriptRules = { agentField: 'agentId', timeOf: timeOfLine }

/** Gemini CLI: the stream, and the chats under `tmp/`. */
export const geminiFormat: Format<'gemini'> = {
  name: 'gemini',
  inputs: "Gemini CLI (stream-json, or a chats/session-*.jsonl: its agents' files are found beside it)",
  isDocument: (value) => isObject(value) && isHeader(value) && Array.isArray(value.messages),
  isMessage: (value) => isObject(value) && isProof(value),
  // A line does not name its chat.
  transcripts: geminiRules,
  files: {
    isSession: isSessionFile,
    isPart: isPartOfSession,
    agentFiles: agentFolder,
    transcripts: geminiFiles,
  },
  storage: { facts: factsOf, hasFilesWithoutPrompt: true },
}

/** Returns the facts that the head of a chat states, and the summary that the program writes later as its title. */
function factsOf(value: unknown): StoredFacts {
  if (!isObject(value)) return {}
  if (!isHeader(value)) return omitUndefined({ title: asString(asObject(value.$set).summary) })
  const { sessionId, startTime, lastUpdated, kind, summary, messages } = value
  return omitUndefined({
    id: sessionId,
    title: asString(summary),
    startedAt: asString(startTime),
    updatedAt: Array.isArray(messages) ? asString(lastUpdated) : undefined,
    isSubagent: kind === 'subagent' ? true : undefined,
  })
}
