import { omitUndefined } from '../../core/json/fields.ts'
import { isoTime } from '../../core/json/iso-time.ts'
import { timeInMs } from '../../core/json/lists.ts'
import {
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
} from '../../core/json/values.ts'
import { MAIN } from '../../core/state/session.ts'

// Kimi Code writes three forms:
// - `wire.jsonl`, a file per agent: `{ type, agentId?, time, … }`. The model's side is wrapped: `{ type:
// 'context.append_loop_event', event }`.
// - events of `kimi web`: `{ type, seq, session_id, timestamp, payload: { type, agentId, time?, … } }`
// - `-p --output-format stream-json`: `{ role, … }`, messages of main alone (`stream.ts`)
// The first two name the same things by the same ids, so they become the same events.

/** An event of an agent, from its file or from the server. */
export interface KimiEvent {
  readonly type: string
  /** `main`, `agent-0`, … */
  readonly agentId: string
  /** The session that a server's event belongs to. */
  readonly sessionId?: string
  /** ISO 8601. */
  readonly time?: string
  readonly fields: JsonObject
  /** The place of a delta in its text, in UTF-16 units. */
  readonly offset?: number
}

/** The names that the server gives to events of the files. */
const FILE_TYPES: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ['turn.started', 'turn.prompt'],
  ['turn.step.started', 'step.begin'],
  ['turn.step.completed', 'step.end'],
  ['tool.call.started', 'tool.call'],
  ['permission.approval.requested', 'interaction.request'],
  ['event.approval.requested', 'interaction.request'],
  ['event.question.requested', 'interaction.request'],
  ['permission.approval.resolved', 'interaction.resolved'],
  ['event.approval.resolved', 'interaction.resolved'],
  ['event.question.answered', 'interaction.resolved'],
])

const LOOP_EVENT = 'context.append_loop_event'

/** Reads an event of an agent; undefined if the message is none. */
export function readEvent(message: JsonObject): KimiEvent | undefined {
  const { payload } = message
  if (isServerEvent(message) && isObject(payload)) return readServerEvent(message, payload)
  const type = asString(message.type)
  if (type === undefined) return undefined
  const fields = type === LOOP_EVENT && isObject(message.event) ? message.event : message
  return omitUndefined({
    type: asString(fields.type) ?? type,
    agentId: asString(message.agentId) ?? MAIN,
    fields,
    time: isoTime(message.time ?? message.created_at),
  })
}

function readServerEvent(message: JsonObject, payload: JsonObject): KimiEvent {
  const type = asString(payload.type) ?? ''
  return omitUndefined({
    type: FILE_TYPES.get(type) ?? type,
    agentId: asString(payload.agentId) ?? asString(payload.agent_id) ?? MAIN,
    sessionId: asString(message.session_id) ?? '',
    fields: payload,
    time: isoTime(payload.time) ?? asString(message.timestamp),
    offset: asFiniteNumber(message.offset),
  })
}

/** Returns the id of a turn. Each agent numbers its own. */
export function turnKey(agentId: unknown, turnId: unknown): string {
  const turn = `turn:${Number(turnId)}`
  return isString(agentId) && agentId !== MAIN ? `${agentId}:${turn}` : turn
}

/** Whether the message is an event of the server: its payload repeats its type. */
export function isServerEvent({ type, session_id, payload }: JsonObject): boolean {
  return isString(type) && isString(session_id) && isObject(payload) && payload.type === type
}

/** Whether the message belongs to the server's connection, and to no session. */
export function isConnectionMessage({ type, method, path, payload }: JsonObject): boolean {
  if (isString(method)) return isString(path)
  return isString(type) && CONNECTION_TYPES.has(type) && (payload === undefined || isObject(payload))
}

const CONNECTION_TYPES: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'client_hello',
  'server_hello',
  'ack',
  'ping',
  'pong',
  'subscribe',
  'unsubscribe',
])

/** Whether a line of a file can only be one of Kimi Code: its first line, or a type that no other program has, with a time in ms. */
export function isWireLine({ type, time, protocol_version, created_at }: JsonObject): boolean {
  if (type === 'metadata') return isString(protocol_version) && typeof created_at === 'number'
  return isString(type) && OWN_TYPES.has(type) && typeof time === 'number'
}

const OWN_TYPES: ReadonlySet<string> = /* @__PURE__ */ new Set([
  LOOP_EVENT,
  'runtime.set_binding',
  'profile.bind',
  'turn.prompt',
  'context.append_message',
  'agent.message.appended',
  'llm.request',
  'usage.record',
  'subagent.spawned',
  'interaction.request',
  'token_counting.measured',
])

/** Whether the value is what `state.json` says of a session. */
export function isSessionState({ id, version, agents, createdAt, workDir }: JsonObject): boolean {
  if (!isObject(agents) || createdAt === undefined) return false
  return version === undefined ? isString(workDir) : isString(id) && version === 2
}

/**
 * Returns the fields of `state.json` as version 2 has them. Version 1 has times as texts, and the id in the path of
 * main's folder alone.
 */
export function sessionState(state: JsonObject): JsonObject {
  if (state.version !== undefined) return state
  const { homedir } = asObject(asObject(state.agents).main)
  const [, id] = /([^\\/]+)[\\/]agents[\\/]main[\\/]?$/.exec(asString(homedir) ?? '') ?? []
  const time = (value: unknown) => (isString(value) ? timeInMs(value) : value)
  const { createdAt, updatedAt, workDir: cwd } = state
  return { ...state, id, cwd, createdAt: time(createdAt), updatedAt: time(updatedAt) }
}
