import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, isObject, type JsonObject } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import { ACP } from '../../../programs/generic/program.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { PersistentMap } from '../../../reading/notes/persistent-map.ts'
import { readParts } from '../blocks/content.ts'
import { repeatTurn } from '../blocks/joint.ts'
import {
  beginReplay,
  isQueued,
  isUnnamedPrompt,
  namePrompt,
  promptKey,
  queuePrompt,
  showBufferedPrompt,
  showPrompt,
} from '../blocks/prompt.ts'
import { leaveText } from '../blocks/text.ts'
import { closeMessages } from '../blocks/turn.ts'
import { showBufferedMessage } from '../blocks/user.ts'
import { findCallAnywhere, withOwnId } from '../calls/call.ts'
import { withCallId } from '../calls/own-id.ts'
import { addFactsOfRequest } from '../calls/translate-call.ts'
import type { AcpContext, AcpMemory } from '../context.ts'
import type { ClientCall } from '../notes.ts'
import { showElicitation, showPermission } from '../requests.ts'
import { type RpcCall, type RpcResponse, senderOf } from '../rpc.ts'
import { becomeRoot, conversationOf, readSession } from './conversation.ts'
import { translateOwnCall } from './own-message.ts'
import { translateResponse } from './translate-response.ts'
import { translateUpdate } from './translate-update.ts'

/** Translates a message of either side. */
export function translateMessage(message: RpcCall | RpcResponse, context: AcpContext): void {
  context.addMissingFacts({ protocol: ACP })
  if (message.type === 'response') return translateResponse(message, context)
  if (message.from !== 'client') rememberAgentCall(message, context.notes)
  const { method, params, id } = message
  const sessionId = asString(params.sessionId)
  switch (method) {
    case 'session/update':
      return translateNotification(sessionId, message, context)
    case 'session/prompt':
      return beginPrompt({ id, sessionId, params }, context)
    case 'session/load':
    case 'session/resume':
      return beginSession({ id, method, sessionId, params }, context)
    case 'initialize':
      forgetConnection(context.notes)
      return rememberCall({ id, method }, context.notes)
    case 'session/new':
    case 'session/fork':
      return rememberCall({ id, method, sessionId, cwd: asString(params.cwd) }, context.notes)
    case 'session/request_permission':
    case 'elicitation/create':
      return translateRequest(message, sessionId, context)
    default:
      return translateOtherCall(message, context)
  }
}

/** Another connection begins, and counts its requests from 0. */
function forgetConnection(notes: AcpContext['notes']): void {
  notes.remember({
    clientCalls: new PersistentMap(),
    answeredPrompts: new PersistentMap(),
    agentCalls: new PersistentMap(),
    openPrompts: undefined,
  })
}

/** Remembers a request of the agent, so that its response does not count as that of the client's request with the same id. */
function rememberAgentCall({ id }: RpcCall, notes: AcpContext['notes']): void {
  if (id !== undefined) notes.setEntry('agentCalls', id, true)
}

function translateOtherCall(call: RpcCall, context: AcpContext): void {
  context.nameProgram([call.params], call.method)
  noteOtherCall(call, context.notes)
  translateOwnCall(call, context)
}

/** In a session from a state, a response without a known request belongs to a request before it. */
function noteOtherCall({ id, method, from }: RpcCall, notes: AcpContext['notes']): void {
  const isExtension = from === 'client' && method.startsWith('_')
  if (isExtension || (notes.values.isOpened && senderOf(method) === 'client'))
    rememberCall({ id, method }, notes)
}

function translateNotification(
  sessionId: string | undefined,
  { params, at }: RpcCall,
  context: AcpContext,
): void {
  const update = asObject(params.update)
  context.nameProgram([update, params])
  if (sessionId === undefined) return context.reportUnknown('unknown-block', 'session/update')
  const isFirst = isBackground(update) && context.state.facts.id === undefined
  const conversationId = isFirst ? sessionId : conversationOf(sessionId, context)
  if (conversationId === undefined) return reportOther(update, context)
  const { promptId, messageId, number } = context.reader.idsOf?.(asObject(params._meta)) ?? {}
  if (promptId !== undefined && promptId !== context.notes.values.promptIds.get(conversationId))
    context.notes.setEntry('promptIds', conversationId, promptId)
  translateUpdate({ sessionId, conversationId, update, at, messageId, number }, context)
}

/** The facts of a session that is not used yet do not make it main. */
const BACKGROUND: ReadonlySet<unknown> = new Set([
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
])

function isBackground({ sessionUpdate }: JsonObject): boolean {
  return BACKGROUND.has(sessionUpdate)
}

/** A session may tell its facts before its first turn, or before its announcement as a child. */
function reportOther(update: JsonObject, output: SessionOutput): void {
  if (isBackground(update)) return
  output.reportUnknown('other-session', asString(update.sessionUpdate) ?? 'session/update')
}

type Call = OptionalFields<ClientCall> & { readonly id: string | undefined; readonly method: string }

type OptionalFields<Item> = { readonly [Name in keyof Item]?: Item[Name] | undefined }

/** Remembers a request of the client. Its response has only its id. */
function rememberCall({ id, ...call }: Call, notes: AcpContext['notes']): void {
  if (id === undefined) return
  notes.setEntry('clientCalls', id, omitUndefined(call))
  notes.removeEntry('answeredPrompts', id)
  // The next response with that id is probably that of the later request.
  notes.removeEntry('agentCalls', id)
}

interface Prompt {
  readonly id: string | undefined
  readonly sessionId: string | undefined
  readonly params: JsonObject
}

/** Begins the turn of a prompt. The same request may come again after a reconnect. */
function beginPrompt({ id, sessionId, params }: Prompt, context: AcpContext): void {
  if (sessionId === undefined) return
  if (conversationOf(sessionId, context) !== MAIN) {
    // The response to another session's prompt names no session.
    if (id !== undefined) context.notes.setEntry('answeredPrompts', id, '')
    return context.reportUnknown('other-session', 'session/prompt')
  }
  const { clientCalls, answeredPrompts } = context.notes.values
  const parts = readParts(params.prompt, 'session/prompt', context)
  const words = promptKey(parts)
  const known = clientCalls.get(id ?? '')?.words ?? answeredPrompts.get(id ?? '')
  if (known === words) return
  const call = { id, method: 'session/prompt', sessionId, words }
  if (isUnnamedPrompt(words, context)) return repeatPrompt(call, context)
  const waits = isQueued(context)
  if (!waits) {
    showBufferedPrompt(context)
    showBufferedMessage(MAIN, context)
    leaveText(MAIN, context)
  }
  const { openPrompts, hasUnnamedPrompt } = context.notes.values
  context.notes.remember({
    hasPrompts: true,
    openPrompts: (openPrompts ?? 0) + 1,
    // A new connection does not answer the prompts of the one before.
    hasUnnamedPrompt: openPrompts === undefined ? undefined : hasUnnamedPrompt,
  })
  rememberCall(call, context.notes)
  if (waits) queuePrompt(id, parts, context.notes)
  else showPrompt(parts, id, context)
}

/** Names the request of the turn in the state that the source went on from. It comes again. */
function repeatPrompt(call: Call, memory: AcpMemory): void {
  rememberCall(call, memory.notes)
  namePrompt(call.id, memory)
  memory.notes.remember({ hasUnnamedPrompt: undefined, openPrompts: 1 })
  repeatTurn(memory)
}

interface SessionCall extends Prompt {
  readonly method: string
}

/** Begins or resumes a session. A load replays its messages, until the response. */
function beginSession({ id, method, sessionId, params }: SessionCall, context: AcpContext): void {
  if (sessionId === undefined) return
  const cwd = asString(params.cwd)
  rememberCall({ id, method, sessionId, cwd }, context.notes)
  if (context.state.facts.id === undefined) becomeRoot(sessionId, context)
  readSession(sessionId, omitUndefined({ cwd }), context)
  if (method !== 'session/load' || context.state.facts.id !== sessionId) return
  // A new connection does not answer the prompt of the state that the source went on from.
  if (context.notes.values.hasUnnamedPrompt)
    context.notes.remember({ hasUnnamedPrompt: undefined, openPrompts: undefined })
  closeMessages(context)
  beginReplay(id, context)
}

function translateRequest(
  { id, sentId, method, params }: RpcCall,
  sessionId: string | undefined,
  context: AcpContext,
): void {
  if (id === undefined || sentId === undefined || sessionId === undefined) return
  const place = conversationOf(sessionId, context)
  if (place === undefined) return context.reportUnknown('other-session', method)
  const toolCall = isObject(params.toolCall)
    ? withCallId(withOwnId(params.toolCall, context.reader), place, context)
    : undefined
  const { toolCallId } = toolCall ?? params
  if (toolCall) addFactsOfRequest(place, toolCall, context)
  const conversationId = findCallAnywhere(asString(toolCallId), context)?.conversationId ?? place
  const request = { requestId: id, sentId, method, params: toolCall ? { ...params, toolCall } : params }
  if (method === 'elicitation/create') showElicitation(conversationId, request, context)
  else showPermission(conversationId, request, context)
}
