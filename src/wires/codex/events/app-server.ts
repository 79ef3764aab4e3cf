import { omitUndefined } from '../../../core/json/fields.ts'
import { isoTime } from '../../../core/json/iso-time.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
} from '../../../core/json/values.ts'
import { readPlan } from '../../../programs/codex/tool-names.ts'
import { typeName } from '../../../reading/context.ts'
import { unwrapLogLine } from '../../kit/lines.ts'
import { rpcIdOf } from '../../kit/requests.ts'
import { usageEvent } from '../blocks/usage.ts'
import { isoTimeOfSeconds, readError, unknownParts } from '../items/item.ts'
import { readItem } from '../items/read-item.ts'
import { readAnswer, readApproval } from '../requests/read-request.ts'
import { type CodexEvent, unknownBlock } from './event.ts'
import { IGNORED_NOTES } from './exec.ts'

/** The beginnings of the methods of Codex, in both directions. */
const METHOD = /* @__PURE__ */ new RegExp(
  '^(?:thread|turn|item|codex/event|account|serverRequest|remoteControl|mcpServer|model|config' +
    '|configRequirements|skills|command|fs|review|app|windowsSandbox|fuzzyFileSearch|hooks?' +
    '|externalAgentConfig|rawResponseItem|process|plugin|marketplace|experimentalFeature' +
    '|collaborationMode|feedback)/|^(?:error|warning|configWarning|deprecationNotice|initialized' +
    '|execCommandApproval|applyPatchApproval|guardianWarning)$',
)

/** Whether the value is a message of `codex app-server`, which has no member `jsonrpc`. */
export function isAppServerMessage(value: JsonObject): boolean {
  const { method, params, jsonrpc, id } = unwrapLogLine(value)
  if (jsonrpc !== undefined || !isString(method)) return false
  if (params !== undefined && !isObject(params)) return false
  if (method === 'initialize')
    return isObject(asObject(params).clientInfo) && !('protocolVersion' in asObject(params))
  return METHOD.test(method) && (isObject(params) || method === 'initialized' || id !== undefined)
}

/** Reads a message of `codex app-server`, or of its client; undefined if it is none. */
export function readAppServerMessage(value: JsonObject): readonly CodexEvent[] | undefined {
  const message = unwrapLogLine(value)
  if (isResponse(message)) return readResponse(message)
  if (!isAppServerMessage(message)) return undefined
  const method = asString(message.method) ?? ''
  const params = asObject(message.params)
  const time = isoTime(message.emittedAtMs)
  const requested = readApproval(message) ?? readRewindRequest(message)
  if (requested) return requested
  if (Object.hasOwn(NOTIFICATIONS, method)) return NOTIFICATIONS[method]?.(params, time)
  // Only the messages about items have content of the conversation. A request has an id.
  const isUnknown = method.startsWith('item/') && message.id === undefined && !IGNORED_NOTES.has(method)
  return isUnknown ? [unknownBlock(method, { threadId: asString(params.threadId), time })] : []
}

/** A response has an id, and a result or an error. */
function isResponse({ id, method, result, error, jsonrpc }: JsonObject): boolean {
  const hasId = rpcIdOf(id) !== undefined
  return hasId && method === undefined && jsonrpc === undefined && (result !== undefined || isObject(error))
}

/** A response to `thread/start` and the like has the thread. A response to a request of the program is an answer. */
function readResponse(message: JsonObject): readonly CodexEvent[] {
  const { thread, model } = asObject(message.result)
  const response = rewindResponse(message)
  if (isObject(thread)) return [...readThread({ model, ...thread }, undefined), ...response]
  return [...readAnswer(message), ...response]
}

/** Reads a client's request to take turns back. */
function readRewindRequest({ id, method, params }: JsonObject): readonly CodexEvent[] | undefined {
  const requestId = rpcIdOf(id)
  const { threadId, numTurns, beforeTurnId } = asObject(params)
  const thread = asString(threadId)
  const isRewind = method === 'thread/rollback' || method === 'thread/revert'
  if (requestId === undefined || thread === undefined || !isRewind) return undefined
  const countsAgain = method === 'thread/revert' ? true : undefined
  const place = { turns: asFiniteNumber(numTurns), beforeTurnId: asString(beforeTurnId), countsAgain }
  return [{ type: 'rewind-request', requestId, threadId: thread, place: omitUndefined(place) }]
}

/** Returns the response that such a request may wait for. */
function rewindResponse({ id, result, error }: JsonObject): readonly CodexEvent[] {
  const requestId = rpcIdOf(id)
  const { id: thread, turns } = asObject(asObject(result).thread)
  const [threadId, lastTurnId] = [asString(thread), asString(asObject(asArray(turns).at(-1)).id)]
  if (requestId === undefined || (threadId === undefined && error === undefined)) return []
  return [{ type: 'response', requestId, threadId, lastTurnId, isError: error !== undefined }]
}

type ReadParams = (params: JsonObject, time: string | undefined) => readonly CodexEvent[]

const NOTIFICATIONS: Readonly<Record<string, ReadParams>> = {
  'thread/started': ({ thread }, time) => readThread(asObject(thread), time),
  'thread/settings/updated': ({ threadId, threadSettings }, time) => [
    { type: 'settings', threadId: asString(threadId), time, model: asString(asObject(threadSettings).model) },
  ],
  'turn/started': ({ threadId, turn }, time) => {
    const { id, rootTurnId } = asObject(turn)
    const turnIds = { turnId: asString(id), rootTurnId: asString(rootTurnId) }
    return [{ type: 'turn-started', threadId: asString(threadId), time, ...turnIds }]
  },
  'turn/completed': readTurnEnd,
  'thread/reverted': ({ threadId }, time) => [{ type: 'rewound', threadId: asString(threadId), time }],
  'turn/plan/updated': ({ threadId, plan }, time) => {
    const todos = readPlan(plan)
    const place = { threadId: asString(threadId), time }
    return [todos ? { type: 'plan', ...place, todos } : unknownBlock('turn/plan/updated', place)]
  },
  'item/started': (params, time) => readItemMessage(params, time, false),
  'item/completed': (params, time) => readItemMessage(params, time, true),
  'item/agentMessage/delta': (params, time) => readDelta(params, time, 'text'),
  'item/plan/delta': (params, time) => readDelta(params, time, 'text'),
  'item/reasoning/summaryTextDelta': (params, time) => readDelta(params, time, 'thinking'),
  'item/reasoning/textDelta': (params, time) => readDelta(params, time, 'thinking'),
  'item/reasoning/summaryPartAdded': ({ summaryIndex, ...params }, time) =>
    typeof summaryIndex === 'number' && summaryIndex > 0
      ? readDelta({ ...params, delta: '\n' }, time, 'thinking')
      : [],
  'item/commandExecution/outputDelta': (params, time) => readDelta(params, time, 'output'),
  'item/commandExecution/terminalInteraction': ({ threadId, itemId, processId }, time) => {
    const [callId, process] = [asString(itemId), asString(processId)]
    if (callId === undefined || process === undefined) return []
    return [{ type: 'process', threadId: asString(threadId), time, callId, processId: process }]
  },
  'thread/tokenUsage/updated': ({ threadId, tokenUsage }, time) => {
    const { last, total } = asObject(tokenUsage)
    return usageEvent({ threadId: asString(threadId), time }, { last, total })
  },
  'serverRequest/resolved': ({ requestId, threadId }, time) => {
    const id = rpcIdOf(requestId)
    return id === undefined ? [] : [{ type: 'answer', threadId: asString(threadId), time, requestId: id }]
  },
  error: ({ threadId, turnId, error, willRetry }, time) => {
    const message = readError(error)?.message ?? ''
    const place = { threadId: asString(threadId), turnId: asString(turnId), time }
    // The end of the turn repeats an error that is not tried again.
    return willRetry === true ? [{ type: 'retry', ...place, message }] : []
  },
  warning: ({ threadId, message }, time) => [
    {
      type: 'note',
      threadId: asString(threadId),
      time,
      subtype: 'warning',
      message: asString(message) ?? '',
    },
  ],
}

function readThread(thread: JsonObject, time: string | undefined): readonly CodexEvent[] {
  const id = asString(thread.id)
  if (id === undefined) return []
  const { cwd, cliVersion, model } = thread
  return [
    {
      type: 'thread',
      form: 'app-server',
      time,
      id,
      parentId: asString(thread.parentThreadId),
      forkedFromId: asString(thread.forkedFromId),
      isTemporary: thread.ephemeral === true,
      facts: omitUndefined({ id, cwd: asString(cwd), version: asString(cliVersion), model: asString(model) }),
    },
  ]
}

function readTurnEnd({ threadId, turn }: JsonObject, time: string | undefined): readonly CodexEvent[] {
  const { id, status, error, durationMs, completedAt } = asObject(turn)
  const outcome = status === 'failed' ? 'failed' : status === 'interrupted' ? 'interrupted' : 'finished'
  return [
    {
      type: 'turn-ended',
      threadId: asString(threadId),
      time,
      turnId: asString(id),
      outcome,
      error: outcome === 'failed' ? readError(error) : undefined,
      endedAt: isoTimeOfSeconds(completedAt),
      durationMs: asFiniteNumber(durationMs),
    },
  ]
}

function readItemMessage(
  { item, threadId, turnId, startedAtMs, completedAtMs }: JsonObject,
  time: string | undefined,
  isCompleted: boolean,
): readonly CodexEvent[] {
  const read = readItem(item)
  const place = { threadId: asString(threadId), turnId: asString(turnId), time }
  const sentAt = isoTime(startedAtMs) ?? isoTime(completedAtMs)
  if (!read) return [unknownBlock(`item/${typeName(asObject(item).type)}`, place)]
  const unknown = isCompleted ? unknownParts(item) : []
  return [
    { type: 'item', item: read, isCompleted, isStreamed: true, sentAt, ...place },
    ...unknown.map((name) => unknownBlock(name, place)),
  ]
}

function readDelta(
  { threadId, turnId, itemId, delta }: JsonObject,
  time: string | undefined,
  kind: 'text' | 'thinking' | 'output',
): readonly CodexEvent[] {
  const id = asString(itemId)
  const text = asString(delta)
  const place = { threadId: asString(threadId), turnId: asString(turnId), time }
  if (id === undefined || text === undefined) return [unknownBlock(`delta/${kind}`, place)]
  return [{ type: 'delta', itemId: id, kind, delta: text, ...place }]
}
