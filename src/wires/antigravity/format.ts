import { asString, isObject } from '../../core/json/values.ts'
import { agentIdsIn } from '../../programs/antigravity/tool-result.ts'
import { onlySession } from '../../reading/input/combined.ts'
import type { FileReader, TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { Format } from '../format.ts'
import { isStep, timeOfStep } from './read.ts'

// Each conversation has a folder with its id: `brain/<id>/.system_generated/logs/transcript.jsonl`. An agent's
// conversation has one too, and the call of its parent names it.

const FILE = /^((?:.*[\\/])?)([^\\/]+)([\\/]\.system_generated[\\/]logs[\\/]transcript\.jsonl)$/

/** Returns the id of the conversation that a file is of. */
function idOf(path: string): string | undefined {
  return FILE.exec(path)?.[2]
}

/** Returns the files of the agents that a file names, and of their agents. */
function agentFilesOf(
  path: string,
  reader: FileReader,
  isThere: (path: string) => boolean,
): readonly string[] {
  const [, folder = '', , rest = ''] = FILE.exec(path) ?? []
  const files: string[] = []
  const queue = [path]
  for (let next = queue.shift(); next !== undefined; next = queue.shift())
    for (const id of agentsNamedIn(next, reader)) {
      const file = `${folder}${id}${rest}`
      if (file === path || files.includes(file) || /[\\/]/.test(id) || !isThere(file)) continue
      files.push(file)
      queue.push(file)
    }
  return files
}

function agentsNamedIn(path: string, reader: FileReader): readonly string[] {
  const ids: string[] = []
  for (const value of reader.values(path)) {
    if (!isObject(value) || value.type !== 'INVOKE_SUBAGENT') continue
    ids.push(...agentIdsIn(asString(value.content) ?? ''))
  }
  return ids
}

/** Returns main's file, and those of the agents that it names. */
function antigravityFiles(
  paths: readonly string[],
  reader: FileReader,
  sessionPath?: string,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  const own = paths.filter((path) => idOf(path) !== undefined)
  const named = new Set(own.flatMap((path) => agentFilesOf(path, reader, (file) => own.includes(file))))
  const main =
    sessionPath ??
    onlySession(own.length === 1 ? own : own.filter((path) => !named.has(path)), 'a transcript.jsonl')
  const agents = agentFilesOf(main, reader, (file) => own.includes(file))
  return [{ path: main }, ...agents.map((path) => ({ id: idOf(path) ?? path, path }))]
}

/** Antigravity: the steps of a conversation in its folder `brain/`. */
export const antigravityFormat: Format<'antigravity'> = {
  name: 'antigravity',
  inputs: "Antigravity (a conversation's transcript.jsonl: its agents' files are found in their folders)",
  isDocument: () => false,
  isMessage: (value) => isStep(value) && isObject(value) && typeof value.created_at === 'string',
  transcripts: { agentField: 'agentId', timeOf: timeOfStep },
  files: {
    isSession: (path) => idOf(path) !== undefined,
    isPart: (path) => idOf(path) !== undefined,
    agentFiles: (path) => ({
      namedFiles: (reader) => agentFilesOf(path, reader, (file) => reader.names(logsOf(file)).length > 0),
      isBeside: () => false,
    }),
    transcripts: antigravityFiles,
  },
  storage: { facts: () => ({}), idOf },
}

/** Returns the folder of a file. */
function logsOf(path: string): string {
  return path.replace(/[\\/]transcript\.jsonl$/, '')
}
