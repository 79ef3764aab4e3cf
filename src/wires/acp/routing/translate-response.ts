import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, isObject, isString, type JsonObject } from '../../../core/json/values.ts'
import { answerQueued, lastPromptId, showQueuedPrompt } from '../blocks/prompt.ts'
import { endPrompt, endReplay, failPrompt } from '../blocks/turn.ts'
import type { AcpContext, AcpMemory } from '../context.ts'
import type { ClientCall } from '../notes.ts'
import { answerRequest, beginConnection, isOpenRequest } from '../requests.ts'
import type { RpcResponse } from '../rpc.ts'
import { readSession } from './conversation.ts'
import { translateOwnResponse } from './own-message.ts'
import { modelIn } from './translate-update.ts'

/** A response belongs to a request of the other side. Both sides count their requests from 0. */
export function translateResponse(response: RpcResponse, context: AcpContext): void {
  const { from, id, result, error } = response
  const isOfClient = takeAgentCall(response, context.notes)
  if (from === 'client') return void answerRequest(id, result, context)
  const isRepeated = !isOfClient && context.notes.values.answeredPrompts.get(id) !== undefined
  const call =
    isOfClient || isRepeated
      ? undefined
      : (context.notes.values.clientCalls.get(id) ?? callBefore(response, context))
  const isAnswer = from === undefined && (isObject(asObject(result).outcome) || !(call || isRepeated))
  if (isAnswer && answerRequest(id, result, context)) return
  if (!call) return
  forgetCall(id, call, context.notes)
  // A replay has no open prompt.
  if (
    call.method === 'session/load' &&
    context.notes.values.loadId === undefined &&
    context.notes.values.isOpened
  )
    context.notes.remember({ loadId: id, hasUnnamedPrompt: undefined, openPrompts: undefined })
  readResponse(id, call, { result: asObject(result), error }, context)
}

/** Whether the client answers a request of the agent, which is over then. A prompt has a reason to stop, and a connection a version. */
function takeAgentCall({ from, id, result }: RpcResponse, notes: AcpContext['notes']): boolean {
  const { agentCalls } = notes.values
  const { stopReason, protocolVersion } = asObject(result)
  if (from === 'agent' || !agentCalls.get(id)) return false
  if (isString(stopReason) || typeof protocolVersion === 'number') return false
  notes.removeEntry('agentCalls', id)
  return true
}

/** Returns the client's request before the state that the source went on from, as far as its response shows it. */
function callBefore({ id, result, error }: RpcResponse, memory: AcpMemory): ClientCall | undefined {
  const { isOpened, hasUnnamedPrompt, openPrompts } = memory.notes.values
  const rootId = memory.state.facts.id
  const { protocolVersion, stopReason, sessionId = rootId, ...facts } = asObject(result)
  if (typeof protocolVersion === 'number') return { method: 'initialize' }
  const isOfSession = isObject(facts.modes) || isObject(facts.models) || Array.isArray(facts.configOptions)
  if (isOfSession && rootId === undefined) return { method: 'session/new' }
  // The state has the agent's requests for a permission.
  const isFailed = error !== undefined && !isOpenRequest(id, memory)
  if (hasUnnamedPrompt && (isString(stopReason) || isFailed))
    return omitUndefined({ method: 'session/prompt', promptId: lastPromptId(memory) })
  const isRunning = memory.state.turn.status === 'running' || memory.state.turn.openBlocks !== undefined
  const isLoading = isOpened && isRunning && (hasUnnamedPrompt || openPrompts === undefined)
  return isLoading && isOfSession && sessionId === rootId
    ? omitUndefined({ method: 'session/load', sessionId: rootId })
    : undefined
}

/** A prompt stays known, because its request may come again. */
function forgetCall(id: string, { method, words = '' }: ClientCall, notes: AcpContext['notes']): void {
  notes.removeEntry('clientCalls', id)
  if (method === 'session/prompt') notes.setEntry('answeredPrompts', id, words)
}

interface Outcome {
  readonly result: JsonObject
  readonly error: JsonObject | undefined
}

function readResponse(id: string, call: ClientCall, { result, error }: Outcome, context: AcpContext): void {
  switch (call.method) {
    case 'session/prompt':
      return readPromptResponse(id, call, { result, error }, context)
    case 'initialize':
      beginConnection(context)
      context.nameProgram([result, asObject(result.agentCapabilities)])
      return context.addMissingFacts(agentIn(asObject(result.agentInfo)))
    case 'session/new':
    case 'session/fork':
    case 'session/load':
    case 'session/resume':
      return readSessionResponse(id, call, result, context)
    default:
      return error ? undefined : translateOwnResponse(call.method, result, context)
  }
}

/** A prompt that waits for the agent goes on when the one before ends. */
function readPromptResponse(
  id: string,
  { promptId = '' }: ClientCall,
  { result, error }: Outcome,
  context: AcpContext,
): void {
  const { openPrompts: before = 1, hasUnnamedPrompt } = context.notes.values
  const openPrompts = before > 1 ? before - 1 : undefined
  context.notes.remember({
    openPrompts,
    hasUnnamedPrompt: openPrompts === undefined ? undefined : hasUnnamedPrompt,
  })
  if (answerQueued(id, error !== undefined || result.stopReason === 'cancelled', context.notes)) return
  if (error) failPrompt(promptId, error, context)
  else endPrompt(promptId, result, context)
  if (!showQueuedPrompt(context) && openPrompts !== undefined) context.turn.start()
}

function agentIn({ name, version }: JsonObject) {
  return { program: asString(name), version: asString(version) }
}

function readSessionResponse(id: string, call: ClientCall, result: JsonObject, context: AcpContext): void {
  const sessionId = asString(result.sessionId) ?? call.sessionId
  const { loadId } = context.notes.values
  if (loadId === id) {
    endReplay(context)
    context.notes.remember({ loadId: undefined })
  }
  if (sessionId === undefined) return
  const model = modelIn(result.configOptions) ?? asString(asObject(result.models).currentModelId)
  readSession(sessionId, omitUndefined({ cwd: call.cwd, model }), context)
}
