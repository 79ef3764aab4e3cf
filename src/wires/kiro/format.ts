import { omitUndefined } from '../../core/json/fields.ts'
import { isoTime } from '../../core/json/iso-time.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from '../../core/json/values.ts'
import { type UserContentPart, userContent } from '../../core/state/content.ts'
import { changesOf, errorOf, exitCodeOf, outputOf, todosOf } from '../../programs/kiro/program.ts'
import type { StoredFacts } from '../../programs/program.ts'
import { onlySession } from '../../reading/input/combined.ts'
import type { TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format } from '../format.ts'
import type { ReplyPart, Step } from '../kit/steps/step.ts'

const UUID = /(?:^|[\\/])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\.jsonl$/i
const FACTS = /(?:^|[\\/])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\.json$/i

/** Returns the file's own lines after the facts beside it. */
function kiroFiles(
  paths: readonly string[],
  _reader: unknown,
  sessionPath?: string,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  const path =
    sessionPath ??
    onlySession(
      paths.filter((each) => UUID.test(each)),
      'a <session>.jsonl',
    )
  const facts = factsPath(path)
  return [{ path, ...(paths.includes(facts) && { bases: [{ path: facts, includes: isObject }] }) }]
}

function factsPath(path: string): string {
  return path.replace(/\.jsonl$/i, '.json')
}

function factsOf(value: unknown): StoredFacts {
  if (!isObject(value) || !isFacts(value)) return {}
  const { session_id: id, title, cwd, created_at: startedAt, updated_at: updatedAt } = value
  return omitUndefined({
    id: asString(id),
    title: asString(title),
    cwd: asString(cwd),
    startedAt: asString(startedAt),
    updatedAt: asString(updatedAt),
  })
}

/** How the files of a session become one stream of messages. */
export const kiroRules: TranscriptRules = { timeOf: timeOfLine }

/** Kiro CLI: the files under `sessions/cli/`. */
export const kiroFormat: Format<'kiro'> = {
  name: 'kiro',
  inputs: 'Kiro CLI (a <session>.jsonl: its facts are found beside it)',
  isDocument: () => false,
  isMessage: isKiroLine,
  transcripts: kiroRules,
  files: {
    isSession: (path) => UUID.test(path),
    isPart: (path) => UUID.test(path) || FACTS.test(path),
    agentFiles: (path) => ({ isBeside: (name) => factsPath(path).endsWith(name) }),
    transcripts: kiroFiles,
  },
  storage: { facts: factsOf, factsPath },
}

// The lines of a session, and what becomes of each:
// {"version":"v1","kind":"Prompt","data":{"message_id","content":[{"kind":"text","data"}],"meta":{"timestamp"}}}  a prompt
// {"kind":"AssistantMessage","data":{"content":[{"kind":"text"|"thinking"|"toolUse","data"}]}}  a reply; one without a call ends the turn
// {"kind":"ToolResults","data":{"content":[{"kind":"toolResult","data":{"toolUseId","content","status"}}]}}  a result for each part
// {"kind":"Compaction","data":{"summary","messages_snapshot"}}  a compaction; the snapshot repeats messages
// {"kind":"Clear"}  nothing: the model gets no more of what stands before, and the person still sees it
// {"kind":"CancelledPrompt"}  the person has stopped the turn
// <session>.json: {"session_id","cwd","title","session_state":{…}}  facts of the session

const KINDS: ReadonlySet<unknown> = new Set([
  'Prompt',
  'AssistantMessage',
  'ToolResults',
  'Compaction',
  'Clear',
  'CancelledPrompt',
])

/** Whether a value is a line that only this program writes. */
function isKiroLine(value: unknown): boolean {
  if (!isObject(value)) return false
  const { version, kind, data } = value
  return typeof version === 'string' && KINDS.has(kind) && (data === undefined || isObject(data))
}

/** Whether the value is the file with the facts about a session. */
function isFacts(value: JsonObject): boolean {
  return typeof value.session_id === 'string' && isObject(value.session_state)
}

/** Returns the time of a line. Prompts alone have one. */
function timeOfLine({ data }: JsonObject): string | undefined {
  const seconds = asFiniteNumber(asObject(asObject(data).meta).timestamp)
  return seconds === undefined ? undefined : isoTime(seconds * 1000)
}

/** Reads a line of a session, or the file with its facts. */
export function readLine(line: JsonObject): readonly Step[] | undefined {
  if (isFacts(line)) return [readFacts(line)]
  const { kind, data } = line
  const { message_id: messageId, content, summary, results, messages_snapshot: snapshot } = asObject(data)
  const id = asString(messageId) ?? ''
  const time = timeOfLine(line)
  switch (kind) {
    case 'Prompt': {
      const parts = asArray(content).flatMap((part) => readPromptPart(asObject(part)))
      return [{ type: 'prompt', id, content: userContent(parts) ?? '', time }]
    }
    case 'AssistantMessage':
      return [
        { type: 'reply', id, parts: asArray(content).flatMap((part) => readPart(asObject(part))), time },
      ]
    case 'ToolResults':
      return asArray(content).flatMap((part) => readResult(asObject(part), results, time))
    case 'Compaction':
      return [{ type: 'compaction', id: compactionId(snapshot), summary: asString(summary), time }]
    case 'Clear':
      return []
    case 'CancelledPrompt':
      return [{ type: 'stop', outcome: 'interrupted', message: 'Prompt cancelled', time }]
    default:
      return undefined
  }
}

/** No line names a compaction, but it repeats the last messages. */
function compactionId(snapshot: unknown): string | undefined {
  const id = asString(asObject(asArray(snapshot).at(-1)).id)
  return id === undefined ? undefined : `${id}:compaction`
}

function readFacts({ session_id: id, cwd, session_state: state }: JsonObject): Step {
  const { model_info: info } = asObject(asObject(state).rts_model_state)
  const facts = { id: asString(id), cwd: asString(cwd), model: asString(asObject(info).model_id) }
  return { type: 'facts', facts }
}

function readPromptPart({ kind, data }: JsonObject): readonly UserContentPart[] {
  if (kind === 'text' && typeof data === 'string') return [{ type: 'text', text: data }]
  const { format, source } = asObject(data)
  const bytes = asObject(source).data
  if (kind !== 'image' || !Array.isArray(bytes)) return []
  const binary = bytes.map((byte) => String.fromCharCode(Number(byte) & 255)).join('')
  const mediaType = `image/${(asString(format) ?? 'png').toLowerCase()}`
  return [{ type: 'image', source: { type: 'base64', mediaType, data: btoa(binary) } }]
}

function readPart({ kind, data }: JsonObject): readonly ReplyPart[] {
  if (kind === 'toolUse') {
    const { toolUseId, name, input } = asObject(data)
    if (typeof toolUseId !== 'string') return []
    return [{ type: 'call', id: toolUseId, name: asString(name) ?? '', input }]
  }
  const text = asString(data) ?? asString(asObject(data).text) ?? asString(asObject(data).thinking) ?? ''
  if (text === '' || (kind !== 'text' && kind !== 'thinking')) return []
  return [{ type: kind, text }]
}

function readResult({ kind, data }: JsonObject, results: unknown, time: string | undefined): readonly Step[] {
  const { toolUseId: callId, content, status } = asObject(data)
  if (kind !== 'toolResult' || typeof callId !== 'string') return []
  const output = asArray(content).length === 0 ? (errorOf(results, callId) ?? '') : outputOf(content)
  const value = asObject(output)
  const exitCode = exitCodeOf(value)
  const isError = status === 'error'
  return [
    {
      type: 'result',
      callId,
      output,
      isError,
      exitCode,
      todos: () => todosOf(value),
      changes: changesOf,
      time,
    },
  ]
}
