import { omitUndefined } from '../../core/json/fields.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import { withSlashes } from '../../core/state/file-change.ts'
import type { StoredFacts } from '../../programs/program.ts'
import { type CombinedTranscript, onlySession } from '../../reading/input/combined.ts'
import { combineFiles, type FileReader, type TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format } from '../format.ts'
import { unwrapLogLine } from '../kit/lines.ts'

/** Whether a value is a line that only Pi's format has. */
export function isPiLine(value: unknown): boolean {
  return isOwnLine(unwrapLogLine(asObject(value)))
}

/** A message has its time in ms, an entry the one above it, and a line of a stream the fields of its type. */
function isOwnLine({ type, id, timestamp, parentId, message, ...line }: JsonObject): boolean {
  const isEntry = typeof id === 'string' && typeof timestamp === 'string' && parentId !== undefined
  switch (type) {
    case 'message':
    case 'message_start':
    case 'message_end':
      return ROLES.has(asObject(message).role) && typeof asObject(message).timestamp === 'number'
    case 'session':
      return typeof id === 'string' && typeof timestamp === 'string' && typeof line.cwd === 'string'
    case 'message_update':
      return isObject(line.assistantMessageEvent)
    case 'tool_execution_start':
    case 'tool_execution_update':
    case 'tool_execution_end':
      return typeof line.toolCallId === 'string' && typeof line.toolName === 'string'
    case 'agent_end':
      return asArray(line.messages).some((each) => typeof asObject(each).timestamp === 'number')
    case 'extension_ui_request':
      return typeof id === 'string' && typeof line.method === 'string' && UI_METHOD.test(line.method)
    default:
      return isEntry && (ENTRY_FIELDS.get(type) ?? []).some((name) => line[name] !== undefined)
  }
}

const UI_METHOD = /^(select|confirm|input|editor|notify|set[A-Z]\w*)$/

const ROLES: ReadonlySet<unknown> = new Set([
  ...['user', 'assistant', 'toolResult', 'bashExecution', 'custom', 'hookMessage'],
  ...['branchSummary', 'compactionSummary', 'developer', 'system'],
])

/** Fields of which it has one, by the type of an entry. */
const ENTRY_FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['branch_summary', ['fromId', 'summary']],
  ['compaction', ['firstKeptEntryId', 'tokensBefore', 'summary']],
  ['custom', ['customType']],
  ['custom_message', ['customType']],
  ['label', ['targetId']],
  ['model_change', ['modelId', 'model']],
  ['session_info', ['name']],
  ['session_init', ['systemPrompt', 'task']],
  ['thinking_level_change', ['thinkingLevel']],
])

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** `<time>_<session id>.jsonl`, or any file in OpenClaw's folder of an agent. */
const SESSION = new RegExp(
  `(?:^|[\\\\/])(?:[^\\\\/]*_${UUID}|agents[\\\\/][^\\\\/]+[\\\\/]sessions[\\\\/][^\\\\/]+)\\.jsonl$`,
  'i',
)

/** The folder of a session, with the files of its agents. */
const IN_FOLDER = new RegExp(`[\\\\/][^\\\\/]*_${UUID}[\\\\/]`, 'i')

/** Whether a file with that path can hold a session. */
function isSessionFile(path: string): boolean {
  return SESSION.test(path) && !IN_FOLDER.test(path)
}

/** Returns the folder with the files of a session's agents. */
function agentFolder(sessionPath: string): string {
  return sessionPath.replace(/\.jsonl$/i, '')
}

/**
 * Bundles a session's files, by path, into one transcript: `<session>.jsonl`, and the files of its agents in the
 * folder `<session>/`. A fork is a session of its own. Throws a `TranscriptError` if there is no session, or if there
 * are several.
 */
export function piTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  return combineFiles(files, piFiles)
}

/** Returns the session's own file and those of its agents, at any depth. */
function piFiles(
  paths: readonly string[],
  _reader: FileReader,
  sessionPath?: string,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  const lines = paths.filter((path) => path.endsWith('.jsonl') && !ARTIFACT.test(path))
  const main = sessionPath ?? onlySession(outsideFolders(lines), 'a .jsonl')
  const folder = `${withSlashes(agentFolder(main))}/`
  const agents = lines.filter((path) => withSlashes(path).startsWith(folder))
  return [{ path: main }, ...agents.map((path) => ({ id: agentIdOf(path), path }))]
}

/** Files that are no conversation of an agent's call: logs of runs, and what an advisor says. */
const ARTIFACT = /(?:^|[\\/])(?:subagent-artifacts[\\/]|__[^\\/]*$)/

/** Returns the files that are in no other session's folder. */
function outsideFolders(paths: readonly string[]): readonly string[] {
  const folders = new Set(paths.map((path) => withSlashes(agentFolder(path))))
  const isInside = (path: string) => {
    const names = withSlashes(path).split('/')
    return names.some((_, at) => folders.has(names.slice(0, at).join('/')))
  }
  return paths.filter((path) => !isInside(path))
}

/**
 * Returns the id of an agent by its file: Oh My Pi's has the agent's name, and that of pi-subagents its run (`<run
 * id>/run-0/session.jsonl`).
 */
function agentIdOf(path: string): string {
  const [name = '', run = '', runId = ''] = withSlashes(path)
    .replace(/\.jsonl$/i, '')
    .split('/')
    .reverse()
  return name === 'session' ? `${runId}/${run}` : name
}

/** Returns the facts about its session that a line of a file states. */
function factsOf(value: unknown): StoredFacts {
  if (!isObject(value)) return {}
  const { type, id, cwd, timestamp, name, title } = value
  if (type === 'session')
    return omitUndefined({ id: asString(id), cwd: asString(cwd), startedAt: asString(timestamp) })
  const stated =
    type === 'session_info' ? name : type === 'title' || type === 'title_change' ? title : undefined
  return typeof stated === 'string' && stated !== '' ? { title: stated } : {}
}

/** How the files of a session become one stream of messages. */
export const piRules: TranscriptRules = { agentField: 'agentId' }

/** Pi: `--mode json`, `--mode rpc`, and session files, also those of Oh My Pi and OpenClaw. */
export const piFormat: Format<'pi'> = {
  name: 'pi',
  inputs:
    "Pi (--mode json, a log of --mode rpc, or a session's .jsonl: its agents' files are found beside it)",
  isDocument: () => false,
  isMessage: isPiLine,
  // The lines of an agent's file do not name the agent.
  transcripts: piRules,
  files: {
    isSession: isSessionFile,
    isPart: (path) => path.endsWith('.jsonl'),
    agentFiles: (sessionPath) => ({ folder: agentFolder(sessionPath), isBeside: () => false }),
    transcripts: piFiles,
  },
  storage: { facts: factsOf, hasCostOfEachReply: true },
}
