import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isObject, type JsonObject, parseJson } from '../../core/json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import { type TokenFields, tokensIn } from '../../programs/token-fields.ts'
import type { Transcript, TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format, Query, SessionDatabase, SessionStorage, StoredRow } from '../format.ts'
import { isProof } from './event.ts'
import {
  isMessageList,
  isOwnExport,
  isStoredMessage,
  mainExportFirst,
  type SessionExport,
  transcriptsOfExports,
} from './files/export.ts'
import { isExportAlone, opencodeFiles } from './files/session-files.ts'
import {
  exportOf,
  exportsOf,
  readStored,
  sessionFacts,
  sessionsByParent,
  withDescendants,
} from './files/stored-session.ts'

/**
 * The database of OpenCode 1.2 and later, and of its forks: the tables `session`, `message` and `part`, the latter
 * two with JSON in `data`.
 */
export const opencodeDatabase: SessionDatabase = {
  isDatabase: (path) => path.endsWith('.db'),
  sessions,
  firstPrompt,
  read,
}

/** Versions have different columns, so the query names none but those of all versions. */
const ALL_SESSIONS = 'SELECT * FROM session ORDER BY time_updated DESC'

function sessions(query: Query): readonly StoredRow[] {
  const rows = query(ALL_SESSIONS)
  const infos = rows.map(infoOf)
  const byParent = sessionsByParent(infos)
  return rows.map((row, at) => {
    const info = infos[at] ?? {}
    return omitUndefined({
      ...sessionFacts(info),
      id: asString(row.id) ?? '',
      model: asString(asObject(jsonOf(row.model)).id),
      tokens: tokensOf(row),
      agents: withDescendants(info, byParent).length - 1,
    })
  })
}

/** OpenCode counts reasoning apart from output. */
const TOKENS: TokenFields = {
  inputTokens: 'tokens_input',
  outputTokens: 'tokens_output',
  cacheReadTokens: 'tokens_cache_read',
  cacheWriteTokens: 'tokens_cache_write',
  reasoningTokens: 'tokens_reasoning',
  lacksThinking: true,
}

function tokensOf(row: JsonObject): StoredRow['tokens'] {
  if (row.tokens_input === undefined) return undefined
  const { reasoningTokens: _, ...tokens } = tokensIn(row, TOKENS)
  return tokens
}

/** The parts of the first message. A session begins with the person's prompt. */
const FIRST_PARTS = `SELECT part.data AS data FROM part JOIN message ON message.id = part.message_id
  WHERE part.session_id = ? ORDER BY message.time_created, message.id, part.id LIMIT 8`

function firstPrompt(sessionId: string, query: Query): string | undefined {
  for (const { data } of query(FIRST_PARTS, sessionId)) {
    const { type, text, synthetic } = asObject(jsonOf(data))
    if (type === 'text' && synthetic !== true) return asString(text)
  }
  return undefined
}

function read(
  sessionId: string,
  query: Query,
  program: string | undefined,
): readonly [Transcript, ...Transcript[]] | undefined {
  const infos = query(ALL_SESSIONS).map(infoOf)
  const found = infos.find(({ id }) => id === sessionId)
  if (!found) return undefined
  return transcriptsOfExports(exportsOf({ ...found, program }, infos, (info) => storedExport(info, query)))
}

function storedExport(info: JsonObject, query: Query): SessionExport {
  const id = asString(info.id) ?? ''
  const messages = query('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id', id)
  const parts = query('SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id', id)
  return exportOf(
    info,
    messages.map((row) => ({ ...asObject(jsonOf(row.data)), id: row.id, sessionID: id })),
    parts.map((row) => ({
      ...asObject(jsonOf(row.data)),
      id: row.id,
      sessionID: id,
      messageID: row.message_id,
    })),
  )
}

/** Returns a row of `session` as the `info` of an export. */
function infoOf(row: JsonObject): JsonObject {
  return omitUndefined({
    id: row.id,
    parentID: row.parent_id ?? undefined,
    directory: row.directory,
    title: row.title,
    version: row.version,
    cost: row.cost ?? undefined,
    revert: jsonOf(row.revert),
    time: omitUndefined({ created: row.time_created, updated: row.time_updated }),
  })
}

function jsonOf(text: unknown): unknown {
  return typeof text === 'string' ? parseJson(text) : undefined
}

const opencodeStorage: SessionStorage = {
  facts: factsOf,
  isAlone: isExportAlone,
  readStored,
  database: opencodeDatabase,
  hasCostOfEachReply: true,
}

/** How the files of a session become one stream of messages. */
export const opencodeRules: TranscriptRules = { isMessageList, arrange: mainExportFirst }

/** OpenCode: the events of its bus, its exports, and `run --format json`. */
export const opencodeFormat: Format<'opencode'> = {
  name: 'opencode',
  inputs: 'OpenCode (bus events, an export, a list of messages, run --format json)',
  isDocument: (value) =>
    Array.isArray(value) ? value.some(isOwnExport) || isMessageList(value) : isOwnExport(value),
  isMessage: (value) => isObject(value) && (isStoredMessage(value) || isProof(value)),
  transcripts: opencodeRules,
  files: {
    isSession: isJson,
    isPart: isJson,
    agentFiles: () => undefined,
    transcripts: opencodeFiles,
  },
  storage: opencodeStorage,
}

function isJson(path: string): boolean {
  return path.endsWith('.json')
}

/** Returns the facts of an export or of a stored session. */
function factsOf(value: unknown): StoredFacts {
  if (!isObject(value)) return {}
  const info = isObject(value.info) ? value.info : value
  if (typeof info.id !== 'string' || !isObject(info.time) || info.role !== undefined) return {}
  return sessionFacts(info)
}
