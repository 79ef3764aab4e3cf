import { omitUndefined } from '../../core/json/fields.ts'
import { isoTime } from '../../core/json/iso-time.ts'
import { asFiniteNumber, asObject, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import { type CombinedTranscript, onlySession } from '../../reading/input/combined.ts'
import { combineFiles, type FileReader, type TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format, StoredSession } from '../format.ts'
import { isIndex, isProof, isStoredFile } from './messages.ts'

// A session is a folder: `<session>.json` with its facts, `<session>.messages.json`, and a file for each agent.

const MESSAGES = /^(.*[\\/])?([^\\/]+)\.messages\.json$/

/** The file with the facts has the name of the folder too. */
const INDEX = /(?:^|[\\/])([^\\/]+)[\\/]\1\.json$/

/** Whether a file with that path is a session's own: it has the name of its folder. */
function isSessionFile(path: string): boolean {
  const [, folder, name] = MESSAGES.exec(path) ?? []
  if (name === undefined) return false
  const parent = folder?.split(/[\\/]/).at(-2)
  return parent === undefined || parent === '' || parent === '.' ? /^\d+_/.test(name) : parent === name
}

/** Whether a file with that path can belong to a session. */
function isPartOfSession(path: string): boolean {
  return MESSAGES.test(path) || INDEX.test(path)
}

/** Returns the path of the file with the facts about a session. */
function indexPath(path: string): string | undefined {
  return isSessionFile(path) ? path.replace(/\.messages\.json$/, '.json') : undefined
}

/**
 * Bundles the files of a session, by path, into one transcript. Throws a `TranscriptError` if there is no session, or
 * if there are several.
 */
export function clineTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  return combineFiles(files, clineFiles)
}

/** Returns main's file with the facts after it, and those of the agents in the same folder, in the order of their starts. */
function clineFiles(
  paths: readonly string[],
  reader: FileReader,
  sessionPath?: string,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  const main = sessionPath ?? onlySession(paths.filter(isSessionFile), 'a <session>.messages.json')
  const index = indexPath(main)
  const isKnown = index !== undefined && paths.includes(index)
  const lines = [reader.value(main), ...(isKnown ? [reader.value(index)] : [])].filter(isObject)
  const folder = folderOf(main)
  const agents = paths.flatMap((path) => {
    const [, own = '', id] = MESSAGES.exec(path) ?? []
    return id === undefined || path === main || own !== folder
      ? []
      : [{ id, path, content: { value: reader.value(path) } }]
  })
  const content = { lines: lines.map((value) => JSON.stringify(value)).join('\n') }
  return [{ path: main, content }, ...agents]
}

function folderOf(path: string): string {
  return MESSAGES.exec(path)?.[1] ?? ''
}

/** Reads a session's own file, the facts beside it, and the files of its agents. The program writes each of them anew. */
function readStored(path: string, reader: FileReader): StoredSession | undefined {
  if (!isSessionFile(path)) return undefined
  const main = reader.value(path)
  if (!isStoredFile(main)) return undefined
  const folder = folderOf(path)
  const index = indexPath(path) ?? ''
  const facts = reader.value(index)
  const names = reader.names(folder === '' ? '.' : folder)
  const agents = names.flatMap((name) => {
    const [, , id] = MESSAGES.exec(name) ?? []
    const own = `${folder}${name}`
    return id === undefined || own === path ? [] : [{ id, path: own, value: reader.value(own) }]
  })
  return {
    transcripts: [
      { content: { value: isIndex(facts) ? [main, facts] : main } },
      ...agents.map(({ id, value }) => ({ id, content: { value } })),
    ],
    sources: [folder === '' ? '.' : folder, path, index, ...agents.map((agent) => agent.path)],
  }
}

/** Returns the time of a file: that of its first message, because an agent starts before its own agents. */
function timeOfFile(value: JsonObject): string | undefined {
  if (!isStoredFile(value)) return undefined
  return isoTime(asObject(value.messages[0]).ts) ?? asString(value.updated_at)
}

/** How the files of a session become one stream of messages. */
export const clineRules: TranscriptRules = { agentField: 'agentId', timeOf: timeOfFile }

/** Cline CLI: the stream, and the folders under `sessions/`. */
export const clineFormat: Format<'cline'> = {
  name: 'cline',
  inputs: "Cline CLI (--json, or a <session>.messages.json: its agents' files are found beside it)",
  isDocument: isStoredFile,
  isMessage: (value) => isObject(value) && isProof(value),
  transcripts: clineRules,
  files: {
    isSession: isSessionFile,
    isPart: isPartOfSession,
    agentFiles: (path) => (isSessionFile(path) ? { isBeside: isPartOfSession } : undefined),
    transcripts: clineFiles,
  },
  storage: { facts: factsOf, factsPath: indexPath, readStored, hasFilesWithoutPrompt: true },
}

/** Returns the facts in the index of a session, or at the head of a file. */
function factsOf(value: unknown): StoredFacts {
  if (!isObject(value)) return {}
  if (isIndex(value)) {
    const { title, totalCost } = asObject(value.metadata)
    return omitUndefined({
      id: value.session_id,
      title: asString(title),
      cwd: asString(value.cwd),
      startedAt: asString(value.started_at),
      costUsd: asFiniteNumber(totalCost) || undefined,
    })
  }
  const { agent, sessionId, origin, updated_at } = value
  if (typeof agent !== 'string' || typeof sessionId !== 'string' || !isObject(origin)) return {}
  return omitUndefined({
    id: sessionId,
    updatedAt: asString(updated_at),
    isSubagent: agent === 'lead' ? undefined : true,
  })
}
