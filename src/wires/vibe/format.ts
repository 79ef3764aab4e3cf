import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isObject } from '../../core/json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import { onlySession } from '../../reading/input/combined.ts'
import type { TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { Format } from '../format.ts'
import { isFacts, isVibeLine } from './read.ts'

// A session is a folder: `messages.jsonl`, `meta.json`, and a folder of the same kind for each agent in `agents/`.

const MESSAGES = /(?:^|[\\/])messages\.jsonl$/
const FACTS = /(?:^|[\\/])meta\.json$/
const AGENT = /(?:^|[\\/])agents[\\/]([^\\/]+)[\\/]messages\.jsonl$/

/** Returns the folder of a session, with the separator behind it. */
function folderOf(path: string): string {
  return path.replace(/messages\.jsonl$/, '')
}

function isSessionFile(path: string): boolean {
  return MESSAGES.test(path) && !AGENT.test(path)
}

function factsPath(path: string): string {
  return `${folderOf(path)}meta.json`
}

/** Returns main's own lines after the facts beside it, and the files of its agents. */
function vibeFiles(
  paths: readonly string[],
  _reader: unknown,
  sessionPath?: string,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  const main = sessionPath ?? onlySession(paths.filter(isSessionFile), 'a messages.jsonl')
  const facts = factsPath(main)
  const folder = `${folderOf(main)}agents`
  const agents = paths.flatMap((path) => {
    const [, id] = AGENT.exec(path) ?? []
    return id !== undefined && path.startsWith(folder) ? [{ id, path }] : []
  })
  const bases = paths.includes(facts) ? [{ path: facts, includes: isObject }] : undefined
  return [omitUndefined({ path: main, bases }), ...agents]
}

function factsOf(value: unknown): StoredFacts {
  if (!isObject(value) || !isFacts(value)) return {}
  const { session_id: id, title, start_time: startedAt, end_time: updatedAt, environment } = value
  return omitUndefined({
    id: asString(id),
    title: asString(title),
    cwd: asString(asObject(environment).working_directory),
    startedAt: asString(startedAt),
    updatedAt: asString(updatedAt),
  })
}

/** Mistral Vibe: the folders under `logs/session/`. */
export const vibeFormat: Format<'vibe'> = {
  name: 'vibe',
  inputs: "Mistral Vibe (a session's messages.jsonl: its facts and its agents' files are found beside it)",
  isDocument: () => false,
  isMessage: isVibeLine,
  // No line has a time, so an agent's lines come after those of main.
  transcripts: { agentField: 'agentId', timeOf: () => undefined },
  files: {
    isSession: isSessionFile,
    isPart: (path) => MESSAGES.test(path) || FACTS.test(path),
    agentFiles: (path) => ({
      furtherFolders: () => [`${folderOf(path)}agents`],
      isBeside: (name) => name === 'meta.json',
    }),
    transcripts: vibeFiles,
  },
  storage: { facts: factsOf, factsPath },
}
