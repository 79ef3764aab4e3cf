import { asArray, asObject, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import {
  agentIdsIn,
  antigravity,
  changesOf,
  exitCodeOf,
  inputOf,
} from '../../programs/antigravity/program.ts'
import { type TokenFields, tokensIn } from '../../programs/token-fields.ts'
import { onlySession } from '../../reading/input/combined.ts'
import type { FileReader, TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format } from '../format.ts'
import type { ReplyPart, StartedAgent, Step } from '../kit/steps/step.ts'

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

/** How the files of a session become one stream of messages. */
export const antigravityRules: TranscriptRules = { agentField: 'agentId', timeOf: timeOfStep }

/** Antigravity: the steps of a conversation in its folder `brain/`. */
export const antigravityFormat: Format<'antigravity'> = {
  name: 'antigravity',
  inputs: "Antigravity (a conversation's transcript.jsonl: its agents' files are found in their folders)",
  isDocument: () => false,
  isMessage: (value) => isStep(value) && isObject(value) && typeof value.created_at === 'string',
  transcripts: antigravityRules,
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

// The steps of a session, and what becomes of each:
// {"step_index","source":"USER_EXPLICIT","type":"USER_INPUT","created_at","content":"<USER_REQUEST>…"}
//   a prompt, and the model that the person chose
// {"source":"MODEL","type":"PLANNER_RESPONSE","thinking","content","tool_calls":[{"name","args"}]}
//   a reply; a text without calls ends the turn
// {"source":"MODEL","type":"RUN_COMMAND"|…,"content"}  the result of the first open call: calls have no ids
// {"source":"MODEL","type":"INVOKE_SUBAGENT","content":"…conversationId…"}  the agents of the call have begun
// {"source":"SYSTEM","type":"SYSTEM_MESSAGE","content":"…sender=<agent>…"}  an agent has ended, and the model gets its report
// {"source":"SYSTEM","type":"ERROR_MESSAGE"}  a note: the model tries again
// {"source":"SYSTEM","type":"CHECKPOINT"|…}  nothing: no person and no model has said it
// A stored step may come before one with a lower number. A file may hold several runs, each from step 0 on.

/** Whether a value is a step that only this program writes. */
function isStep(value: unknown): boolean {
  if (!isObject(value)) return false
  const { step_index, source, type } = value
  return typeof step_index === 'number' && typeof source === 'string' && SOURCE.test(source) && isType(type)
}

const SOURCE = /^(?:USER|MODEL|SYSTEM)/

function isType(type: unknown): type is string {
  return typeof type === 'string' && /^[A-Z][A-Z_]*$/.test(type)
}

/** Returns the time of a step. */
function timeOfStep({ created_at }: JsonObject): string | undefined {
  return asString(created_at)
}

/** Reads a step. */
export function readStep(step: JsonObject): readonly Step[] | undefined {
  if (!isStep(step)) return undefined
  const { source, type } = step
  const time = timeOfStep(step)
  const id = `${time ?? ''}/${String(step.step_index)}`
  const content = asString(step.content) ?? ''
  if (type === 'USER_INPUT') return readPrompt(id, content, time)
  if (type === 'PLANNER_RESPONSE') return [readReply(id, step, time)]
  if (source === 'SYSTEM') return readSystem(id, step, time)
  if (source !== 'MODEL') return []
  const exitCode = exitCodeOf(content)
  const isError = (exitCode ?? 0) !== 0 || step.status === 'ERROR'
  const ids = agentIdsIn(content)
  const isLaunch = type === 'INVOKE_SUBAGENT' && !isError
  const agents = isLaunch ? { isLaunch, ids } : undefined
  return [{ type: 'result', output: content, isError, exitCode, changes: changesOf, agents, time }]
}

const REQUEST = /<USER_REQUEST>\n?([\s\S]*?)\n?<\/USER_REQUEST>/
const MODEL = /`?Model Selection`? from [\s\S]*? to (.+?)(?:\.\s|\.?$)/m

function readPrompt(id: string, content: string, time: string | undefined): readonly Step[] {
  const [, request = content] = REQUEST.exec(content) ?? []
  const [, model] = MODEL.exec(content.replace(REQUEST, '')) ?? []
  const prompt: Step = { type: 'prompt', id, content: request, time }
  return model === undefined ? [prompt] : [{ type: 'facts', facts: { model } }, prompt]
}

function readReply(id: string, step: JsonObject, time: string | undefined): Step {
  const { thinking, content, tool_calls } = step
  const texts = [
    { type: 'thinking', text: asString(thinking) ?? '' },
    { type: 'text', text: asString(content) ?? '' },
  ] as const
  const calls = asArray(tool_calls).map((call, at) => readCall(`${id}/${at}`, asObject(call)))
  const parts: readonly ReplyPart[] = [...texts.filter(({ text }) => text !== ''), ...calls]
  // Without a text and a call, the program asks the model again.
  const goesOn = calls.length > 0 || texts[1].text === ''
  return { type: 'reply', id, parts, goesOn, usage: tokensIn(step, TOKENS), time }
}

/** Older versions count no tokens. */
const TOKENS: TokenFields = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheReadTokens: 'cache_read_tokens',
  holdsCached: true,
}

function readCall(id: string, { name, args }: JsonObject): ReplyPart {
  const toolName = asString(name) ?? ''
  const input = inputOf(args)
  const isAgent = antigravity.tools.agent.includes(toolName)
  return { type: 'call', id, name: toolName, input, agents: isAgent ? readAgents(input) : undefined }
}

function readAgents(input: JsonObject): readonly StartedAgent[] {
  const agents = Array.isArray(input.Subagents) ? input.Subagents : [input]
  return agents.map(asObject).map(({ Prompt, Task = Prompt, TypeName, Role }) => ({
    prompt: asString(Task) ?? '',
    name: asString(TypeName),
    description: asString(Role),
  }))
}

const MESSAGE =
  /<SYSTEM_MESSAGE>\s*\[Message\][^\n]*?\bsender=(\S+)[^\n]*?\bcontent=([\s\S]*?)\s*<\/SYSTEM_MESSAGE>/
const OWN_FILE = /[\\/]brain[\\/]([^\\/\s]+)[\\/]\.system_generated[\\/]logs[\\/]transcript\.jsonl/g

function readSystem(id: string, { type, content }: JsonObject, time: string | undefined): readonly Step[] {
  const text = asString(content) ?? ''
  if (type === 'ERROR_MESSAGE') return [{ type: 'note', id, subtype: 'error', message: text, time }]
  // The list of logs at the end of a checkpoint names the session's own file last.
  const own = type === 'CHECKPOINT' ? Array.from(text.matchAll(OWN_FILE)).at(-1)?.[1] : undefined
  if (own !== undefined) return [{ type: 'facts', facts: { id: own } }]
  if (type !== 'SYSTEM_MESSAGE') return []
  const [, sender, report] = MESSAGE.exec(text) ?? []
  const isReport = sender !== undefined && sender !== 'system'
  const areStopped = /\bsubagents\b[^\n]*\bhave been stopped\b/.test(text)
  const agentId = isReport ? sender : undefined
  const ends = isReport ? [{ isError: false, output: report }] : 'stopped'
  return [
    ...(isReport || areStopped ? [{ type: 'agents', agentId, ends, time } as const] : []),
    { type: 'prompt', id, content: report ?? text, origin: 'notification', isAnswered: isReport, time },
  ]
}
