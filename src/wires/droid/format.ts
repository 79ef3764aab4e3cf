import { omitUndefined } from '../../core/json/fields.ts'
import { asArray, asObject, asString, isObject } from '../../core/json/values.ts'
import { agentResult, droid } from '../../programs/droid/program.ts'
import type { StoredFacts } from '../../programs/program.ts'
import { onlySession } from '../../reading/input/combined.ts'
import type { FileReader, TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format } from '../format.ts'
import { isDroidLine, isSettings, timeOfLine } from './read.ts'

// A session is `<id>.jsonl`, with `<id>.settings.json` beside it. Each agent is a session in the same folder: its first
// line names its parent.

const FILE = /^((?:.*[\\/])?)([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\.jsonl$/i
const SETTINGS = /(?:^|[\\/])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\.settings\.json$/i

function settingsPath(path: string): string {
  return path.replace(/\.jsonl$/i, '.settings.json')
}

function idOf(path: string): string | undefined {
  return FILE.exec(path)?.[2]
}

/** Returns the first line of a file, if it begins a session. */
function headOf(path: string, reader: FileReader) {
  for (const value of reader.values(path))
    return isObject(value) && value.type === 'session_start' ? value : undefined
  return undefined
}

/** Returns the files of the agents of a session, and of their agents. */
function agentFilesOf(path: string, reader: FileReader, names: readonly string[]): readonly string[] {
  const [, folder = ''] = FILE.exec(path) ?? []
  const files: string[] = []
  const queue = [path]
  for (let next = queue.shift(); next !== undefined; next = queue.shift())
    for (const id of agentsOf(next, reader, names)) {
      const file = `${folder}${id}.jsonl`
      if (file === path || files.includes(file) || !names.includes(`${id}.jsonl`)) continue
      files.push(file)
      queue.push(file)
    }
  return files
}

/**
 * Returns the ids of the agents that a file has started. Results name them. The beginnings of the other files are read
 * only if a call has no result yet.
 */
function agentsOf(path: string, reader: FileReader, names: readonly string[]): readonly string[] {
  // The files of other programs have such names too, and a look at their first line is enough.
  if (!headOf(path, reader)) return []
  const calls = new Set<unknown>()
  const ids: string[] = []
  for (const value of reader.values(path))
    for (const { type, id, name, tool_use_id, content } of asArray(
      asObject(asObject(value).message).content,
    ).map(asObject)) {
      if (type === 'tool_use' && droid.tools.agent.some((tool) => tool === name)) calls.add(id)
      if (type !== 'tool_result' || !calls.has(tool_use_id)) continue
      const found = agentResult(asString(content) ?? '').id
      if (found === undefined) continue
      ids.push(found)
      calls.delete(tool_use_id)
    }
  if (calls.size === 0) return ids
  const [, folder = ''] = FILE.exec(path) ?? []
  const others = names.filter((name) => FILE.test(name) && !ids.includes(idOf(name) ?? ''))
  const started = others.filter((name) => headOf(`${folder}${name}`, reader)?.callingSessionId === idOf(path))
  return [...ids, ...started.flatMap((name) => idOf(name) ?? [])]
}

/** Returns main's own lines after its settings, and the files of its agents. */
function droidFiles(
  paths: readonly string[],
  reader: FileReader,
  sessionPath?: string,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  const own = paths.filter((path) => FILE.test(path))
  const isMain = (path: string) => asString(headOf(path, reader)?.callingSessionId) === undefined
  const main = sessionPath ?? onlySession(own.length === 1 ? own : own.filter(isMain), 'a <session>.jsonl')
  const [, folder = ''] = FILE.exec(main) ?? []
  const names = own.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length))
  const agents = agentFilesOf(main, reader, names)
  const withSettings = (path: string): TranscriptFiles => {
    const settings = settingsPath(path)
    const includes = (value: unknown) => isObject(value) && isSettings(value)
    return paths.includes(settings) ? { path, bases: [{ path: settings, includes }] } : { path }
  }
  return [withSettings(main), ...agents.map((path) => ({ id: idOf(path) ?? path, ...withSettings(path) }))]
}

function factsOf(value: unknown): StoredFacts {
  if (!isObject(value)) return {}
  if (value.type === undefined && isSettings(value)) {
    const { childInclusiveTokenUsageBySessionId: children } = value
    return omitUndefined({ agents: isObject(children) ? Object.keys(children).length : undefined })
  }
  if (value.type !== 'session_start') return {}
  const { id, title, sessionTitle, cwd, lastCwd, callingSessionId } = value
  return omitUndefined({
    id: asString(id),
    title: asString(sessionTitle) ?? asString(title),
    cwd: asString(lastCwd) ?? asString(cwd),
    isSubagent: callingSessionId === undefined || callingSessionId === null ? undefined : true,
  })
}

/** How the files of a session become one stream of messages. */
export const droidRules: TranscriptRules = { agentField: 'agentId', timeOf: timeOfLine }

/** Factory Droid: the stream, and the files under `sessions/`. */
export const droidFormat: Format<'droid'> = {
  name: 'droid',
  inputs:
    "Factory Droid (-o stream-json, or a <session>.jsonl: its settings and its agents' files are found beside it)",
  isDocument: () => false,
  isMessage: isDroidLine,
  transcripts: droidRules,
  files: {
    isSession: (path) => FILE.test(path),
    isPart: (path) => FILE.test(path) || SETTINGS.test(path),
    agentFiles: (path) => ({
      namedFiles: (reader) => {
        const [, folder = ''] = FILE.exec(path) ?? []
        const names = reader.names(folder === '' ? '.' : folder)
        const agents = agentFilesOf(path, reader, names)
        return [
          ...agents,
          ...agents.map(settingsPath).filter((each) => names.includes(each.slice(folder.length))),
        ]
      },
      isBeside: (name) => settingsPath(path).endsWith(name) && SETTINGS.test(name),
    }),
    transcripts: droidFiles,
  },
  storage: { facts: factsOf, factsPath: settingsPath, hasFilesWithoutPrompt: true },
}
