import {
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
} from '../../core/json/values.ts'
import { isFromClient, unwrapLogLine } from '../kit/lines.ts'
import { rpcIdOf } from '../kit/requests.ts'

/** A request or a notification. A notification has no id. */
export interface RpcCall {
  readonly type: 'call'
  readonly from: Peer | undefined
  readonly id?: string | undefined
  /** The id as the sender wrote it. The response repeats it: `0` is not `"0"`. */
  readonly sentId?: string | number | undefined
  readonly method: string
  readonly params: JsonObject
  /** The time of the log's line, in ms. */
  readonly at?: number | undefined
}

/** A response to a request. */
export interface RpcResponse {
  readonly type: 'response'
  /** The end that sent the response, if the log states it. */
  readonly from: Peer | undefined
  readonly id: string
  readonly result: unknown
  readonly error?: JsonObject | undefined
}

/**
 * Reads a message in one of three forms: a JSON-RPC message, a line of a log of both directions (`{ dir, at, msg }`,
 * where `in` is from the agent), or the bare params of `session/update`. Returns undefined for anything else.
 */
export function readMessage(value: JsonObject): RpcCall | RpcResponse | undefined {
  const message = unwrapLogLine(value)
  const isLogged = message !== value
  const from = isLogged ? (isFromClient(value) ? 'client' : 'agent') : undefined
  const at = isLogged ? asFiniteNumber(value.at) : undefined
  if (isUpdate(message)) return { type: 'call', from, method: 'session/update', params: message, at }
  return readCall(message, from, at) ?? readResponse(message, from)
}

function readCall(
  { method, params, id }: JsonObject,
  from: Peer | undefined,
  at: number | undefined,
): RpcCall | undefined {
  if (!isString(method) || !isKnownMethod(method)) return undefined
  const sentId = typeof id === 'number' ? id : asString(id)
  return {
    type: 'call',
    from: senderOf(method) ?? from,
    id: rpcIdOf(id),
    sentId,
    method,
    params: asObject(params),
    at,
  }
}

/** Earlier agents send `null` as the result of a request without one. */
function readResponse(message: JsonObject, from: Peer | undefined): RpcResponse | undefined {
  const id = rpcIdOf(message.id)
  const { result, error, jsonrpc } = message
  if (id === undefined || jsonrpc !== '2.0' || (!('result' in message) && !isObject(error))) return undefined
  return { type: 'response', from, id, result, error: isObject(error) ? error : undefined }
}

function isUpdate({ method, sessionId, update }: JsonObject): boolean {
  return method === undefined && isString(sessionId) && isObject(update) && isString(update.sessionUpdate)
}

/** Whether the value is a message of the protocol. Other protocols have responses of the same form, and MCP has an `initialize` too. */
export function isAcpMessage(value: unknown): boolean {
  if (!isObject(value)) return false
  const message = unwrapLogLine(value)
  if (isUpdate(message)) return true
  const { jsonrpc, method, params, result } = message
  // A program may store its updates as lines without the version.
  if (isString(method) && isUpdate(asObject(params))) return true
  if (jsonrpc !== '2.0') return false
  if (isString(method)) return isOwnCall(method, asObject(params))
  const { stopReason, agentCapabilities, protocolVersion, outcome } = asObject(result)
  // A result of MCP has such a field too, with other words.
  if (isString(stopReason)) return STOP_REASONS.has(stopReason)
  if (isObject(agentCapabilities)) return typeof protocolVersion === 'number'
  return isObject(outcome) && isString(outcome.outcome)
}

const STOP_REASONS: ReadonlySet<string> = new Set([
  ...['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'],
])

/** The methods whose names are the protocol's alone, if their params name a session. */
const OF_SESSION = /^(?:session|terminal|fs|elicitation)\//

function isOwnCall(method: string, params: JsonObject): boolean {
  if (method === 'initialize') return typeof params.protocolVersion === 'number'
  if (method === 'session/new') return isString(params.cwd)
  return isKnownMethod(method) && OF_SESSION.test(method) && isString(params.sessionId)
}

/** The requests and notifications of the client. */
const OF_CLIENT: ReadonlySet<string> = new Set([
  'initialize',
  'authenticate',
  'logout',
  'auth/status',
  'providers/list',
  'providers/set',
  'providers/disable',
  'proxy/initialize',
  'session/new',
  'session/load',
  'session/resume',
  'session/fork',
  'session/prompt',
  'session/cancel',
  'session/list',
  'session/close',
  'session/delete',
  'session/archive',
  'session/unarchive',
  'session/status',
  'session/set_mode',
  'session/set_model',
  'session/set_config_option',
  'session/set_title',
])

/** The requests and notifications of the agent. */
const OF_AGENT: ReadonlySet<string> = new Set([
  'session/update',
  'session/request_permission',
  'elicitation/create',
  'elicitation/complete',
  'auth/status_update',
  'fs/read_text_file',
  'fs/write_text_file',
  'terminal/create',
  'terminal/output',
  'terminal/wait_for_exit',
  'terminal/kill',
  'terminal/release',
])

/** The requests and notifications of either side. */
const OF_BOTH: ReadonlySet<string> = new Set([
  '$/cancel_request',
  'mcp/connect',
  'mcp/disconnect',
  'mcp/message',
  'proxy/successor',
])

/** One of the two ends of the connection. */
type Peer = 'client' | 'agent'

/** Returns the end that sends the method; undefined if either may. */
export function senderOf(method: string): Peer | undefined {
  if (OF_CLIENT.has(method)) return 'client'
  return OF_AGENT.has(method) ? 'agent' : undefined
}

/** Whether the method belongs to the protocol, or is an extension. Names of extensions begin with an underscore. */
function isKnownMethod(method: string): boolean {
  return method.startsWith('_') || OF_BOTH.has(method) || senderOf(method) !== undefined
}
