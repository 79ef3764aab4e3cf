import { omitUndefined } from '../../../../json/omit-undefined.ts'
import { asObject, asString, isObject, type JsonObject } from '../../../../json/values.ts'
import { MAIN } from '../../../../state/session.ts'
import { PersistentMap } from '../../../translation/persistent-map.ts'
import { ACP } from '../../program.ts'
import { readParts } from '../blocks/content.ts'
import { beginReplay, namePrompt, showHeldPrompt, showPrompt } from '../blocks/prompt.ts'
import { closeText } from '../blocks/text.ts'
import { closeMessages, endPrompt, endReplay, failPrompt } from '../blocks/turn.ts'
import { showHeldMessage } from '../blocks/user.ts'
import { wordsKey } from '../blocks/words-key.ts'
import type { AcpContext } from '../context.ts'
import type { ClientCall } from '../memory.ts'
import { answerRequest, showElicitation, showPermission } from '../requests/translate-request.ts'
import type { RpcCall, RpcResponse } from '../rpc/read-message.ts'
import { agentConversation } from './agent-conversation.ts'
import { becomeRoot, conversationOf, readSession } from './session-of.ts'
import { modelIn, translateUpdate } from './translate-update.ts'

/** Translates a message of either side. */
export function translateMessage(message: RpcCall | RpcResponse, context: AcpContext): void {
  context.addMissingFacts({ protocol: ACP })
  if (message.type === 'response') return translateResponse(message, context)
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
      context.remember({ clientCalls: new PersistentMap() })
      return rememberCall({ id, method }, context)
    case 'session/new':
    case 'session/fork':
      return rememberCall({ id, method, sessionId, cwd: asString(params.cwd) }, context)
    case 'session/request_permission':
    case 'elicitation/create':
      return translateRequest(message, sessionId, context)
    default:
      return
  }
}

function translateNotification(
  sessionId: string | undefined,
  { params, at }: RpcCall,
  context: AcpContext,
): void {
  const update = asObject(params.update)
  if (sessionId === undefined) return context.reportUnknown('unknown-block', 'session/update')
  const conversationId = isBackground(update)
    ? knownConversation(sessionId, context)
    : conversationOf(sessionId, context)
  if (conversationId === undefined) return reportOther(update, context)
  translateUpdate({ sessionId, conversationId, update, at }, context)
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

function knownConversation(sessionId: string, context: AcpContext): string | undefined {
  return context.memory.rootId === undefined ? sessionId : conversationOf(sessionId, context)
}

/** A session may tell its facts before its first turn, or before its announcement as a child. */
function reportOther(update: JsonObject, context: AcpContext): void {
  if (isBackground(update)) return
  context.reportUnknown('other-session', asString(update.sessionUpdate) ?? 'session/update')
}

type Call = Omit<ClientCall, 'id'> & { readonly id: string | undefined }

/** Remembers a request of the client. Its response has only its id. */
function rememberCall(call: Call, context: AcpContext): void {
  const { id, ...facts } = call
  if (id === undefined) return
  context.remember({
    clientCalls: context.memory.clientCalls.with(id, omitUndefined({ id, ...facts })),
  })
}

interface Prompt {
  readonly id: string | undefined
  readonly sessionId: string | undefined
  readonly params: JsonObject
}

/** Begins the turn of a prompt. The same request may come again after a reconnect. */
function beginPrompt({ id, sessionId, params }: Prompt, context: AcpContext): void {
  if (sessionId === undefined) return
  if (conversationOf(sessionId, context) !== MAIN)
    return context.reportUnknown('other-session', 'session/prompt')
  const known = context.memory.clientCalls.get(id ?? '')
  const parts = readParts(params.prompt)
  const words = wordsKey(JSON.stringify(parts))
  if (known?.method === 'session/prompt' && known.words === words) return
  showHeldPrompt(context)
  showHeldMessage(MAIN, context)
  closeText(MAIN, context)
  context.remember({ hasPrompts: true, openPrompts: context.memory.openPrompts + 1 })
  rememberCall({ id, method: 'session/prompt', sessionId, words }, context)
  showPrompt(parts, id, context)
  if (!context.memory.heldPrompt) namePrompt(id, context)
}

interface SessionCall extends Prompt {
  readonly method: string
}

/** Begins or resumes a session. A load replays its messages, until the response. */
function beginSession({ id, method, sessionId, params }: SessionCall, context: AcpContext): void {
  if (sessionId === undefined) return
  const cwd = asString(params.cwd)
  rememberCall({ id, method, sessionId, cwd }, context)
  if (context.memory.rootId === undefined) becomeRoot(sessionId, context)
  readSession(sessionId, omitUndefined({ cwd }), context)
  if (method !== 'session/load' || context.memory.rootId !== sessionId) return
  closeMessages(context)
  beginReplay(id, context)
}

function translateRequest(
  { id, method, params }: RpcCall,
  sessionId: string | undefined,
  context: AcpContext,
): void {
  if (id === undefined || sessionId === undefined) return
  const place = conversationOf(sessionId, context)
  if (place === undefined) return context.reportUnknown('other-session', method)
  const { toolCallId } = isObject(params.toolCall) ? params.toolCall : params
  const call = context.call(asString(toolCallId) ?? '')
  const conversationId = call?.conversationId ?? agentConversation(place, undefined, context)
  const request = { requestId: id, params }
  if (method === 'elicitation/create') showElicitation(conversationId, request, context)
  else showPermission(conversationId, request, context)
}

/** A response belongs to a request of the other side. Both sides count their requests from 0. */
function translateResponse({ from, id, result, error }: RpcResponse, context: AcpContext): void {
  if (from === 'client') return void answerRequest(id, result, context)
  const call = context.memory.clientCalls.get(id)
  const isAnswer = from === undefined && (!call || isObject(asObject(result).outcome))
  if (isAnswer && answerRequest(id, result, context)) return
  if (!call || call.isAnswered) return
  forgetCall(call, context)
  readResponse(call, { result: asObject(result), error }, context)
}

/** A prompt stays known, because its request may come again. */
function forgetCall(call: ClientCall, context: AcpContext): void {
  const { clientCalls } = context.memory
  const isPrompt = call.method === 'session/prompt'
  context.remember({
    clientCalls: isPrompt
      ? clientCalls.with(call.id, { ...call, isAnswered: true })
      : clientCalls.without(call.id),
  })
}

interface Outcome {
  readonly result: JsonObject
  readonly error: JsonObject | undefined
}

function readResponse(call: ClientCall, { result, error }: Outcome, context: AcpContext): void {
  switch (call.method) {
    case 'session/prompt':
      return readPromptResponse(call, { result, error }, context)
    case 'initialize':
      return readAgent(asObject(result.agentInfo), context)
    default:
      return readSessionResponse(call, result, context)
  }
}

/** A prompt that waits for the agent goes on when the one before ends. */
function readPromptResponse(
  { promptId = '' }: ClientCall,
  { result, error }: Outcome,
  context: AcpContext,
): void {
  const openPrompts = Math.max(0, context.memory.openPrompts - 1)
  context.remember({ openPrompts })
  if (error) failPrompt(promptId, error, context)
  else endPrompt(promptId, result, context)
  if (openPrompts > 0) context.startTurn()
}

function readAgent({ name, version }: JsonObject, context: AcpContext): void {
  context.addMissingFacts(omitUndefined({ program: asString(name), version: asString(version) }))
}

function readSessionResponse(call: ClientCall, result: JsonObject, context: AcpContext): void {
  const sessionId = asString(result.sessionId) ?? call.sessionId
  if (context.memory.loadId === call.id) {
    endReplay(context)
    context.remember({ loadId: undefined })
  }
  if (sessionId === undefined) return
  const model = modelIn(result.configOptions) ?? asString(asObject(result.models).currentModelId)
  readSession(sessionId, omitUndefined({ cwd: call.cwd, model }), context)
}
