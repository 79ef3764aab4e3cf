import { omitUndefined } from '../../core/json/fields.ts'
import { isoTime } from '../../core/json/iso-time.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from '../../core/json/values.ts'
import type { UserMessageOrigin } from '../../core/state/block.ts'
import { backgroundReports, changesOf, hermes, readResult, reportsIn } from '../../programs/hermes/program.ts'
import { type TokenFields, tokensIn } from '../../programs/token-fields.ts'
import { onlySession } from '../../reading/input/combined.ts'
import type { Transcript, TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format, Query, SessionDatabase, StoredRow, StoredTokens } from '../format.ts'
import type { ReplyPart, StartedAgent, Step } from '../kit/steps/step.ts'

/** How the files of a session become one stream of messages. */
export const hermesRules: TranscriptRules = { agentField: 'agentId', timeOf: timeOfRow }

/** The database `state.db`, with the tables `sessions` and `messages`. */
const hermesDatabase: SessionDatabase = {
  isDatabase: (path) => /(?:^|[\\/])state\.db$/.test(path),
  sessions,
  firstPrompt,
  read,
}

/** Hermes Agent: its database, or the rows of it as lines. */
export const hermesFormat: Format<'hermes'> = {
  name: 'hermes',
  inputs: 'Hermes Agent (a session in state.db, or the rows of one as lines)',
  isDocument: () => false,
  isMessage: isRow,
  transcripts: hermesRules,
  files: {
    isSession: () => false,
    isPart: () => false,
    agentFiles: () => undefined,
    transcripts: (paths, _reader, sessionPath) => [{ path: sessionPath ?? onlySession(paths, 'a state.db') }],
  },
  storage: { facts: () => ({}), database: hermesDatabase },
}

// The rows of the table `messages`, and what becomes of each. `tool_calls` and the content of a result are JSON in texts.
// {"role":"user","content",…}  a prompt, or the program's words by their beginning
// {"role":"assistant","content","reasoning","tool_calls","finish_reason"}  a reply, which ends the turn unless it calls
// {"role":"tool","content","tool_call_id","tool_name"}  a result
// The row of the table `sessions` comes first: {"id","source","model","cwd","started_at",…}  facts of the session

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'tool', 'system'])
const COLUMNS = ['content', 'tool_call_id', 'tool_calls', 'tool_name', 'finish_reason'] as const

/** Whether a value is a row that only this program writes. */
function isRow(value: unknown): boolean {
  return isObject(value) && ROLES.has(value.role) && COLUMNS.every((name) => value[name] !== undefined)
}

/** Returns the time of a row, which the database has in seconds. */
function timeOfRow({ timestamp, started_at }: JsonObject): string | undefined {
  const seconds = asFiniteNumber(timestamp) ?? asFiniteNumber(started_at)
  return seconds === undefined ? asString(timestamp) : isoTime(Math.round(seconds * 1000))
}

/** Reads a row of either table. */
export function readRow(row: JsonObject): readonly Step[] | undefined {
  if (row.role === undefined && row.started_at !== undefined) return [sessionFacts(row)]
  if (!isRow(row)) return undefined
  const { role, tool_calls, finish_reason } = row
  const time = timeOfRow(row)
  const id = String(row.id ?? row._ts ?? time ?? '')
  const content = asString(row.content) ?? ''
  const model = asString(row._model) || undefined
  switch (role) {
    case 'user':
      return readPrompt(id, row, content, time)
    case 'assistant': {
      const parts = readParts(row, content, parseJson(asString(tool_calls) ?? ''))
      const goesOn = finish_reason === 'tool_calls' || parts.some(({ type }) => type === 'call')
      return [{ type: 'reply', id, parts, goesOn, model, time }]
    }
    case 'tool':
      return readToolRow(row, content, time)
    default:
      return []
  }
}

/** The beginnings of the program's words in the person's place, and whether the model answers them. */
const ORIGINS: readonly (readonly [beginning: RegExp, origin: UserMessageOrigin])[] = [
  [/^\[ASYNC DELEGATION/, 'notification'],
  [/^\[IMPORTANT\b(?=[^\]]*\bskill\b)/, 'command'],
  [/^\[(?:IMPORTANT|STILL IN PROGRESS|Background process)\b/, 'notification'],
  [/^\[(?:Continuing toward|System\b|System note|Your active task list)/, 'meta'],
]

const SUMMARY = /^\[CONTEXT (?:COMPACTION|SUMMARY)/

function readPrompt(
  id: string,
  { display_kind, _compressed_summary }: JsonObject,
  content: string,
  time: string | undefined,
): readonly Step[] {
  const text = content.trimStart()
  if (_compressed_summary === 1 || SUMMARY.test(text))
    return [{ type: 'compaction', id, summary: content, time }]
  const [, origin = display_kind === 'hidden' ? 'meta' : undefined] =
    ORIGINS.find(([beginning]) => beginning.test(text)) ?? []
  const prompt: Step = { type: 'prompt', id, content, origin, isAnswered: true, time }
  if (!text.startsWith('[ASYNC DELEGATION')) return [prompt]
  return [{ type: 'agents', ends: backgroundReports(text), time }, prompt]
}

function readParts(
  { reasoning_content, reasoning }: JsonObject,
  content: string,
  calls: unknown,
): readonly ReplyPart[] {
  const thinking = asString(reasoning_content) || asString(reasoning) || ''
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking', text: thinking } as const]),
    ...(content === '' ? [] : [{ type: 'text', text: content } as const]),
    ...asArray(calls).flatMap((call) => readCall(asObject(call))),
  ]
}

function readCall({ id, call_id: callId = id, function: called }: JsonObject): readonly ReplyPart[] {
  const { name, arguments: json } = asObject(called)
  if (typeof callId !== 'string') return []
  const toolName = asString(name) ?? ''
  const input = typeof json === 'string' ? (parseJson(json) ?? json) : json
  const isAgent = hermes.tools.agent.includes(toolName)
  return [
    {
      type: 'call',
      id: callId,
      name: toolName,
      input,
      agents: isAgent ? readAgents(asObject(input)) : undefined,
    },
  ]
}

function readAgents(input: JsonObject): readonly StartedAgent[] {
  const tasks = Array.isArray(input.tasks) ? input.tasks : [input]
  return tasks.map(asObject).map(({ goal, role, context }) => ({
    prompt: asString(goal) ?? '',
    name: asString(role),
    description: asString(context),
  }))
}

function readToolRow(
  { tool_call_id: callId, tool_name: name }: JsonObject,
  content: string,
  time: string | undefined,
): readonly Step[] {
  if (typeof callId !== 'string' || callId === '') return []
  const value = asObject(parseJson(content))
  const { todos, ...result } = readResult(value, content)
  const isLaunch = value.status === 'dispatched'
  const isAgent = hermes.tools.agent.some((tool) => tool === name)
  const agents = isAgent ? { isLaunch, ends: reportsIn(value) } : undefined
  return [{ type: 'result', callId, ...result, todos: () => todos, changes: changesOf, agents, time }]
}

/** Versions have different columns, so the query names none but those of all versions. */
const ALL_SESSIONS = 'SELECT * FROM sessions ORDER BY started_at DESC, id'

function sessions(query: Query): readonly StoredRow[] {
  const rows = query(ALL_SESSIONS)
  return rows.map((row) =>
    omitUndefined({
      id: asString(row.id) ?? '',
      title: asString(row.title),
      cwd: asString(row.cwd) || undefined,
      startedAt: timeOf(row.started_at),
      updatedAt: timeOf(row.last_activity_at) ?? timeOf(row.ended_at) ?? timeOf(row.started_at),
      model: asString(row.model),
      tokens: tokensOf(row),
      costUsd: costOf(row),
      isSubagent: isAgent(row, rows) || undefined,
      agents: agentsBelow(row, rows).length,
    }),
  )
}

function timeOf(seconds: unknown): string | undefined {
  return typeof seconds === 'number' ? isoTime(Math.round(seconds * 1000)) : undefined
}

const TOKENS: TokenFields = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheReadTokens: 'cache_read_tokens',
  cacheWriteTokens: 'cache_write_tokens',
}

function tokensOf(row: JsonObject): StoredTokens | undefined {
  const tokens = tokensIn(row, TOKENS)
  return Object.values(tokens).some((count) => count > 0) ? tokens : undefined
}

function costOf({ actual_cost_usd, estimated_cost_usd }: JsonObject): number | undefined {
  return (asFiniteNumber(actual_cost_usd) ?? asFiniteNumber(estimated_cost_usd)) || undefined
}

/** Returns the facts in a row of `sessions`, and the tokens of all its messages. */
function sessionFacts(row: JsonObject): Step {
  const { id, cwd, model } = row
  return {
    type: 'facts',
    facts: {
      id: asString(id),
      cwd: asString(cwd) || undefined,
      model: asString(model) || undefined,
      costUsd: costOf(row),
    },
    usage: tokensOf(row),
  }
}

/** The ends of sessions from which another session of the person goes on. */
const CONTINUED: ReadonlySet<unknown> = new Set(['branched', 'compression', 'session_reset', 'new_session'])

/** Whether the session is that of an agent. A branch and what follows a compaction have a parent too. */
function isAgent(
  { parent_session_id: parentId, model_config }: JsonObject,
  rows: readonly JsonObject[],
): boolean {
  if (typeof parentId !== 'string') return false
  const { _branched_from, _reset_from } = asObject(parseJson(asString(model_config) ?? ''))
  const parent = rows.find(({ id }) => id === parentId)
  return _branched_from === undefined && _reset_from === undefined && !CONTINUED.has(parent?.end_reason)
}

/** Returns the agents of a session and theirs, in the order of their starts. */
function agentsBelow({ id }: JsonObject, rows: readonly JsonObject[]): readonly JsonObject[] {
  const below: JsonObject[] = []
  const parents = new Set([id])
  for (const row of rows.toReversed()) {
    if (!parents.has(row.parent_session_id) || !isAgent(row, rows)) continue
    parents.add(row.id)
    below.push(row)
  }
  return below
}

const MESSAGES = 'SELECT * FROM messages WHERE session_id = ? ORDER BY id'

function firstPrompt(sessionId: string, query: Query): string | undefined {
  const [row] = query(
    `SELECT content FROM messages WHERE session_id = ? AND role = 'user' ORDER BY id LIMIT 1`,
    sessionId,
  )
  return asString(row?.content)
}

function read(sessionId: string, query: Query): readonly [Transcript, ...Transcript[]] | undefined {
  const rows = query(ALL_SESSIONS)
  const session = rows.find(({ id }) => id === sessionId)
  if (!session) return undefined
  const main = { content: { value: [session, ...messagesOf(sessionId, query)] } }
  const agents = agentsBelow(session, rows).map((row) => {
    const id = asString(row.id) ?? ''
    return { id, content: { value: messagesOf(id, query) } }
  })
  return [main, ...agents]
}

/** Returns the rows of a session. Those that the person has taken back are neither active nor compacted. */
function messagesOf(sessionId: string, query: Query): readonly JsonObject[] {
  return query(MESSAGES, sessionId).filter(({ active, compacted }) => active !== 0 || compacted === 1)
}
