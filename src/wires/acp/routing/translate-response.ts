import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, isObject, isString, type JsonObject } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { endPrompt, endReplay, failPrompt } from '../blocks/turn.ts'
import type { AcpContext } from '../context.ts'
import type { ClientCall } from '../memory.ts'
import { answerRequest } from '../requests/translate-request.ts'
import type { RpcResponse } from '../rpc/read-message.ts'
import { translateOwnResponse } from './own-message.ts'
import { readSession } from './session-of.ts'
import { modelIn } from './translate-update.ts'

/** A response belongs to a request of the other side. Both sides count their requests from 0. */
export function translateResponse(response: RpcResponse, context: AcpContext): void {
  const { from, id, result, error } = response
  const isOfClient = takeAgentCall(response, context)
  if (from === 'client') return void answerRequest(id, result, context)
  const call = isOfClient
    ? undefined
    : (context.memory.clientCalls.get(id) ?? requestBefore(response, context))
  const isAnswer = from === undefined && (!call || isObject(asObject(result).outcome))
  if (isAnswer && answerRequest(id, result, context)) return
  if (!call || call.isAnswered) return
  forgetCall(call, context)
  // A replay has no open prompt.
  if (call.method === 'session/load' && context.memory.loadId === undefined && context.memory.isResumed)
    context.remember({ loadId: id, hasUnnamedPrompt: undefined, openPrompts: 0 })
  readResponse(call, { result: asObject(result), error }, context)
}

/** Whether the client answers a request of the agent, which is over then. Only a prompt has a reason to stop. */
function takeAgentCall({ from, id, result }: RpcResponse, context: AcpContext): boolean {
  const { agentCalls } = context.memory
  if (from === 'agent' || agentCalls.get(id) === undefined || isString(asObject(result).stopReason))
    return false
  context.removeEntry('agentCalls', id)
  return true
}

/** Returns the request of the client before a resume, as far as its response shows it. The state has no requests. */
function requestBefore({ id, result, error }: RpcResponse, context: AcpContext): ClientCall | undefined {
  const { rootId, isResumed, hasUnnamedPrompt, openPrompts, promptId } = context.memory
  const { protocolVersion, stopReason, sessionId = rootId, ...facts } = asObject(result)
  if (typeof protocolVersion === 'number') return { id, method: 'initialize' }
  const isOfSession = isObject(facts.modes) || isObject(facts.models) || Array.isArray(facts.configOptions)
  if (isOfSession && rootId === undefined) return { id, method: 'session/new' }
  // The state has the agent's requests for a permission.
  const isFailed = error !== undefined && context.memory.requests.get(id)?.status !== 'pending'
  if (hasUnnamedPrompt && (isString(stopReason) || isFailed))
    return { id, method: 'session/prompt', promptId }
  const isLoading = isResumed && context.turn.status === 'running' && (hasUnnamedPrompt || openPrompts === 0)
  return isLoading && isOfSession && sessionId === rootId
    ? { id, method: 'session/load', sessionId: rootId }
    : undefined
}

/** A prompt stays known, because its request may come again. */
function forgetCall(call: ClientCall, context: AcpContext): void {
  const { clientCalls } = context.memory
  const isPrompt = call.method === 'session/prompt'
  context.remember({
    clientCalls: isPrompt
      ? clientCalls.with(call.id, withChanges(call, { isAnswered: true }))
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
      context.nameProgram([result, asObject(result.agentCapabilities)])
      return readAgent(asObject(result.agentInfo), context)
    case 'session/new':
    case 'session/fork':
    case 'session/load':
    case 'session/resume':
      return readSessionResponse(call, result, context)
    default:
      return error ? undefined : translateOwnResponse(call.method, result, context)
  }
}

/** A prompt that waits for the agent goes on when the one before ends. */
function readPromptResponse(
  { promptId = '' }: ClientCall,
  { result, error }: Outcome,
  context: AcpContext,
): void {
  const { openPrompts: before, hasUnnamedPrompt } = context.memory
  const openPrompts = Math.max(0, before - 1)
  context.remember({ openPrompts, hasUnnamedPrompt: openPrompts === 0 ? undefined : hasUnnamedPrompt })
  if (error) failPrompt(promptId, error, context)
  else endPrompt(promptId, result, context)
  if (openPrompts > 0) context.startTurn()
}

function readAgent({ name, version }: JsonObject, context: AcpContext): void {
  context.addMissingFacts(omitUndefined({ program: asString(name), version: asString(version) }))
}

function readSessionResponse(call: ClientCall, result: JsonObject, context: AcpContext): void {
  const sessionId = asString(result.sessionId) ?? call.sessionId
  const { loadId } = context.memory
  if (loadId === call.id) {
    endReplay(context)
    context.remember({ loadId: undefined })
  }
  if (sessionId === undefined) return
  const model = modelIn(result.configOptions) ?? asString(asObject(result.models).currentModelId)
  readSession(sessionId, omitUndefined({ cwd: call.cwd, model }), context)
}
