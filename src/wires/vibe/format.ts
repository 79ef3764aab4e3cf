import { omitUndefined } from '../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from '../../core/json/values.ts'
import { textOfContent } from '../../core/state/content.ts'
import type { StoredFacts } from '../../programs/program.ts'
import {
  changesOf,
  exitCodeOf,
  isFailure,
  isStopped,
  reportOf,
  todosOf,
  vibe,
} from '../../programs/vibe/program.ts'
import { onlySession } from '../../reading/input/combined.ts'
import type { TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format } from '../format.ts'
import type { ReplyPart, Step } from '../kit/steps/step.ts'

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

/** How the files of a session become one stream of messages. */
export const vibeRules: TranscriptRules = { agentField: 'agentId', timeOf: () => undefined }

/** Mistral Vibe: the folders under `logs/session/`. */
export const vibeFormat: Format<'vibe'> = {
  name: 'vibe',
  inputs: "Mistral Vibe (a session's messages.jsonl: its facts and its agents' files are found beside it)",
  isDocument: () => false,
  isMessage: isVibeLine,
  // No line has a time, so an agent's lines come after those of main.
  transcripts: vibeRules,
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

// The lines of a session, and what becomes of each. No line has a time.
// {"role":"user","content","injected":false,"message_id"}  a prompt
// {"role":"user","content","injected":true,"message_id"}  a message of the program; the one after a compaction is a summary
// {"role":"assistant","content","reasoning_content","tool_calls":[{"id","function":{"name","arguments"}}],"message_id"}  a reply
// {"role":"tool","content","name","tool_call_id"}  a result, which `<tool_error>` fails
// meta.json: {"session_id","start_time","environment","stats","config",…}  facts of the session, and the tokens of all of it

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'tool'])

/** Whether a value is a line that only this program writes. */
function isVibeLine(value: unknown): boolean {
  if (!isObject(value)) return false
  const { role, injected, message_id, tool_call_id } = value
  const id = role === 'tool' ? tool_call_id : message_id
  return ROLES.has(role) && typeof injected === 'boolean' && typeof id === 'string'
}

/** Whether the value is the file with the facts about a session. */
function isFacts(value: JsonObject): boolean {
  return typeof value.session_id === 'string' && typeof value.start_time === 'string'
}

/** Reads a line of a session, or the file with its facts. */
export function readLine(line: JsonObject): readonly Step[] | undefined {
  if (isFacts(line)) return [readFacts(line)]
  const { role, message_id: messageId, injected } = line
  const id = asString(messageId) ?? ''
  const content = textOfContent(line.content)
  switch (role) {
    case 'user':
      if (injected !== true) return [{ type: 'prompt', id, content }]
      return COMPACTED.test(content)
        ? [{ type: 'compaction', id, summary: content }]
        : [{ type: 'prompt', id, content, origin: 'meta' }]
    case 'assistant':
      return [{ type: 'reply', id, parts: readParts(line, content) }]
    case 'tool':
      return readResult(line, content)
    case 'system':
      return []
    default:
      return undefined
  }
}

const COMPACTED = /^You are continuing a trajectory after a context compaction/

function readParts({ reasoning_content, tool_calls }: JsonObject, content: string): readonly ReplyPart[] {
  const thinking = asString(reasoning_content) ?? ''
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking', text: thinking } as const]),
    ...(content === '' ? [] : [{ type: 'text', text: content } as const]),
    ...asArray(tool_calls).flatMap((call) => readCall(asObject(call))),
  ]
}

function readCall({ id, function: called }: JsonObject): readonly ReplyPart[] {
  const { name, arguments: json } = asObject(called)
  if (typeof id !== 'string') return []
  const toolName = asString(name) ?? ''
  const input = typeof json === 'string' ? (parseJson(json) ?? json) : json
  const { task, agent } = asObject(input)
  const isAgent = vibe.tools.agent.includes(toolName)
  const agents = isAgent ? [{ prompt: asString(task) ?? '', name: asString(agent) }] : undefined
  return [{ type: 'call', id, name: toolName, input, agents }]
}

function readResult({ tool_call_id: callId, name }: JsonObject, content: string): readonly Step[] {
  if (typeof callId !== 'string') return []
  const isAgent = vibe.tools.agent.some((tool) => tool === name)
  const result: Step = {
    type: 'result',
    callId,
    output: content,
    isError: isFailure(content),
    exitCode: exitCodeOf(content),
    changes: changesOf,
    todos: todosOf,
    agents: isAgent ? { isLaunch: false, ends: [reportOf(content)] } : undefined,
  }
  const message = 'Interrupted by the user'
  return isStopped(content) ? [result, { type: 'stop', outcome: 'interrupted', message }] : [result]
}

function readFacts({ session_id: id, environment, config, stats }: JsonObject): Step {
  const { session_prompt_tokens: input, session_completion_tokens: output } = asObject(stats)
  const [inputTokens, outputTokens] = [asFiniteNumber(input), asFiniteNumber(output)]
  const model = asString(asObject(config).active_model)
  return {
    type: 'facts',
    facts: { id: asString(id), cwd: asString(asObject(environment).working_directory), model },
    usage: omitUndefined({ inputTokens, outputTokens }),
  }
}
