import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, isObject, type JsonObject } from '../../../json/values.ts'
import { ACP } from '../../../programs/generic/program.ts'
import { PersistentMap } from '../../../session/notes/persistent-map.ts'
import { MAIN } from '../../../state/session.ts'
import { readParts } from '../blocks/content.ts'
import {
  beginReplay,
  isUnnamedPrompt,
  namePrompt,
  promptKey,
  showHeldPrompt,
  showPrompt,
} from '../blocks/prompt.ts'
import { closeText } from '../blocks/text.ts'
import { closeMessages } from '../blocks/turn.ts'
import { showHeldMessage } from '../blocks/user.ts'
import type { AcpContext } from '../context.ts'
import type { ClientCall } from '../memory.ts'
import { showElicitation, showPermission } from '../requests/translate-request.ts'
import { repeatTurn } from '../resume/repeated-turn.ts'
import { senderOf } from '../rpc/methods.ts'
import type { RpcCall, RpcResponse } from '../rpc/read-message.ts'
import { agentConversation } from './agent-conversation.ts'
import { translateOwnCall } from './own-message.ts'
import { becomeRoot, conversationOf, readSession } from './session-of.ts'
import { translateResponse } from './translate-response.ts'
import { translateUpdate } from './translate-update.ts'

/** Translates a message of either side. */
export function translateMessage(message: RpcCall | RpcResponse, context: AcpContext): void {
  context.addMissingFacts({ protocol: ACP })
  if (message.type === 'response') return translateResponse(message, context)
  if (message.from !== 'client') rememberAgentCall(message, context)
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
      context.remember({ clientCalls: new PersistentMap(), agentCalls: new PersistentMap(), openPrompts: 0 })
      return rememberCall({ id, method }, context)
    case 'session/new':
    case 'session/fork':
      return rememberCall({ id, method, sessionId, cwd: asString(params.cwd) }, context)
    case 'session/request_permission':
    case 'elicitation/create':
      return translateRequest(message, sessionId, context)
    default:
      return translateOtherCall(message, context)
  }
}

/** Remembers a request of the agent, so that its response does not count as that of the client's request with the same id. */
function rememberAgentCall({ id, method }: RpcCall, context: AcpContext): void {
  if (id !== undefined) context.setEntry('agentCalls', id, method)
}

function translateOtherCall(call: RpcCall, context: AcpContext): void {
  context.nameProgram([call.params], call.method)
  noteOtherCall(call, context)
  translateOwnCall(call, context)
}

/** After a resume, a response without a known request belongs to a request before it. */
function noteOtherCall({ id, method, from }: RpcCall, context: AcpContext): void {
  const isExtension = from === 'client' && method.startsWith('_')
  if (isExtension || (context.memory.isResumed && senderOf(method) === 'client'))
    rememberCall({ id, method }, context)
}

function translateNotification(
  sessionId: string | undefined,
  { params, at }: RpcCall,
  context: AcpContext,
): void {
  const update = asObject(params.update)
  context.nameProgram([update, params])
  if (sessionId === undefined) return context.reportUnknown('unknown-block', 'session/update')
  const conversationId = isBackground(update)
    ? knownConversation(sessionId, context)
    : conversationOf(sessionId, context)
  if (conversationId === undefined) return reportOther(update, context)
  const { promptId, messageId } = context.reader.idsOf?.(asObject(params._meta)) ?? {}
  if (promptId !== undefined && promptId !== context.thread(conversationId).promptId)
    context.updateThread(conversationId, { promptId })
  translateUpdate({ sessionId, conversationId, update, at, messageId }, context)
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
  const { clientCalls, agentCalls } = context.memory
  context.remember({
    clientCalls: clientCalls.with(id, omitUndefined({ id, ...facts })),
    // The next response with that id is probably that of the later request.
    agentCalls: agentCalls.without(id),
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
  if (conversationOf(sessionId, context) !== MAIN) {
    // The response to another session's prompt names no session.
    rememberCall({ id, method: 'session/prompt', sessionId, isAnswered: true }, context)
    return context.reportUnknown('other-session', 'session/prompt')
  }
  const known = context.memory.clientCalls.get(id ?? '')
  const parts = readParts(params.prompt, 'session/prompt', context)
  const words = promptKey(parts)
  if (known?.method === 'session/prompt' && known.words === words) return
  if (isUnnamedPrompt(words, context))
    return repeatPrompt({ id, method: 'session/prompt', sessionId, words }, context)
  showHeldPrompt(context)
  showHeldMessage(MAIN, context)
  closeText(MAIN, context)
  const { openPrompts, hasUnnamedPrompt } = context.memory
  context.remember({
    hasPrompts: true,
    openPrompts: openPrompts + 1,
    // A new connection does not answer the prompts of the one before.
    hasUnnamedPrompt: openPrompts === 0 ? undefined : hasUnnamedPrompt,
  })
  rememberCall({ id, method: 'session/prompt', sessionId, words }, context)
  showPrompt(parts, id, context)
  if (!context.memory.heldPrompt) namePrompt(id, context)
}

/** Names the request of a resumed turn, which comes again. */
function repeatPrompt(call: Call, context: AcpContext): void {
  rememberCall(call, context)
  namePrompt(call.id, context)
  context.remember({ hasUnnamedPrompt: undefined, openPrompts: 1 })
  repeatTurn(context)
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
  { id, sentId, method, params }: RpcCall,
  sessionId: string | undefined,
  context: AcpContext,
): void {
  if (id === undefined || sentId === undefined || sessionId === undefined) return
  const place = conversationOf(sessionId, context)
  if (place === undefined) return context.reportUnknown('other-session', method)
  const { toolCallId } = isObject(params.toolCall) ? params.toolCall : params
  const call = context.call(asString(toolCallId) ?? '')
  const conversationId = call?.conversationId ?? agentConversation(place, undefined, context)
  const request = { requestId: id, sentId, method, params }
  if (method === 'elicitation/create') showElicitation(conversationId, request, context)
  else showPermission(conversationId, request, context)
}
