import { asObject, isObject } from '../../core/json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import { type CombinedTranscript, onlySession } from '../../reading/input/combined.ts'
import { combineFiles, type FileReader, type TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { AgentFilePlaces, Format } from '../format.ts'
import { unwrapLogLine } from '../kit/lines.ts'
import { isProof, metaLine, readLiveLine, timeOfLine } from './messages.ts'

/**
 * Bundles a session's files, by path, into one transcript: `chats/<session id>.jsonl`, and the files of its agents in
 * `subagents/<session id>/`. Throws a `TranscriptError` if there is no session, or if there are several.
 */
export function qwenTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  return combineFiles(files, qwenFiles)
}

const AGENT = /(?:^|[\\/])agent-([^\\/]+)\.jsonl$/
const PIECES = /(?:^|[\\/])agent-([^\\/]+)\.jsonl\.stream$/

/** Whether a file with that path can be a session's own. */
function isSessionFile(path: string): boolean {
  return path.endsWith('.jsonl') && !AGENT.test(path)
}

/** Whether a file with that path can belong to a session. */
function isPartOfSession(path: string): boolean {
  return path.endsWith('.jsonl') || path.endsWith('.meta.json') || PIECES.test(path)
}

/** Returns the folder of a session's agents. */
function agentFolder(sessionPath: string): AgentFilePlaces | undefined {
  const [, parent = '', name] = /^(.*?)chats[\\/]([^\\/]+)\.jsonl$/.exec(sessionPath) ?? []
  return name === undefined ? undefined : { folder: `${parent}subagents/${name}`, isBeside: () => false }
}

/** Returns the session's own file, and the files of its agents. */
function qwenFiles(
  paths: readonly string[],
  reader: FileReader,
  sessionPath?: string,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  const only = sessionPath ?? (paths.length === 1 ? paths[0] : undefined)
  const path = only ?? mainOf(paths.filter(isSessionFile), reader)
  const id = /([^\\/]+)\.jsonl$/.exec(path)?.[1] ?? ''
  const own = paths.filter((each) => each !== path && (id === '' || folderOf(each) === id))
  const agents = own.flatMap((each): readonly TranscriptFiles[] => {
    const agentId = AGENT.exec(each)?.[1]
    if (agentId === undefined) return []
    const factsPath = each.replace(/\.jsonl$/, '.meta.json')
    return [{ id: agentId, path: each, ...(paths.includes(factsPath) && { factsPath }) }]
  })
  const pieces = own.flatMap((each): readonly TranscriptFiles[] => {
    const agentId = PIECES.exec(each)?.[1]
    return agentId === undefined ? [] : [{ id: agentId, path: each }]
  })
  return [{ path }, ...pieces, ...agents]
}

function folderOf(path: string): string | undefined {
  return /([^\\/]+)[\\/][^\\/]+$/.exec(path)?.[1]
}

/** Returns the file of the one session. */
function mainOf(paths: readonly string[], reader: FileReader): string {
  return onlySession(
    paths.filter((path) => isSessionOf(path, reader)),
    'a chats/<id>.jsonl',
  )
}

function isSessionOf(path: string, reader: FileReader): boolean {
  // A broken line has no value.
  for (const value of reader.values(path)) if (value !== undefined) return isObject(value) && isProof(value)
  return false
}

/** How the files of a session become one stream of messages. */
export const qwenRules: TranscriptRules = { agentField: 'agentId', agentFacts: metaLine, timeOf: timeOfLine }

/** Qwen Code: the stream, that of the SDK, and the files under `projects/`. */
export const qwenFormat: Format<'qwen'> = {
  name: 'qwen',
  inputs: "Qwen Code (stream-json, or a chats/<id>.jsonl: its agents' files are found under subagents/)",
  isDocument: () => false,
  isMessage,
  fits,
  transcripts: qwenRules,
  files: {
    isSession: isSessionFile,
    isPart: isPartOfSession,
    agentFiles: agentFolder,
    transcripts: qwenFiles,
  },
  storage: { facts: factsOf },
}

function isMessage(value: unknown): boolean {
  return isObject(value) && isProof(unwrapLogLine(value))
}

/** Whether the line may be of the stream. A reply with an id of its own is no reply of Qwen Code. */
function fits(value: unknown): 'conversation' | 'other' | undefined {
  if (!isObject(value) || typeof value.uuid !== 'string' || typeof value.session_id !== 'string')
    return undefined
  const line = readLiveLine(value)
  if (!line) return undefined
  if (line.type === 'user') return 'conversation'
  if (line.type !== 'assistant') return 'other'
  const { id = value.uuid } = asObject(value.message)
  return id === value.uuid ? 'conversation' : undefined
}

function factsOf(value: unknown): StoredFacts {
  return isObject(value) && value.isSidechain === true ? { isSubagent: true } : {}
}
