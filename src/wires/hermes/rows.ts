import { omitUndefined } from '../../core/json/fields.ts'
import { isoTime } from '../../core/json/iso-time.ts'
import { asFiniteNumber, asObject, asString, type JsonObject, parseJson } from '../../core/json/values.ts'
import { type TokenFields, tokensIn } from '../../programs/token-fields.ts'
import type { Transcript } from '../../reading/input/transcripts.ts'
import type { Query, SessionDatabase, StoredRow, StoredTokens } from '../format.ts'
import type { Step } from '../kit/steps/step.ts'

/** The database `state.db`, with the tables `sessions` and `messages`. */
export const hermesDatabase: SessionDatabase = {
  isDatabase: (path) => /(?:^|[\\/])state\.db$/.test(path),
  sessions,
  firstPrompt,
  read,
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
export function sessionFacts(row: JsonObject): Step {
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
