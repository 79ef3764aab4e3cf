import { asArray, asObject, asString, isObject, isString, type JsonObject } from '../../core/json/values.ts'
import { isModelText } from '../../core/state/block.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { copilot } from '../../programs/copilot/program.ts'
import {
  type InputEnd,
  type Memory,
  type SessionOutput,
  TranslationContext,
  typeName,
} from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { NO_PLACE } from '../kit/resumed-text.ts'
import { agentOfId, callOf, noteReusedIds, placeCall } from '../kit/reused-ids.ts'
import { conversationOf, endAgent, endFurtherRun, isAgentTool, startAgent } from './agents.ts'
import { appendInput, endCall, showOutput, showPersonCall, startCall } from './calls.ts'
import {
  type CopilotEvent,
  type Data,
  dataOf,
  type EventType,
  isEventType,
  isFrame,
  isLive,
  readEvent,
} from './messages.ts'
import { type CopilotContext, type CopilotNotes, NOTES } from './notes.ts'
import {
  showOnce,
  translateAbort,
  translateCallFailure,
  translateCompaction,
  translateError,
  translateRetry,
  translateRewind,
} from './notices.ts'
import {
  addFinalTokens,
  appendText,
  bufferTokens,
  releaseTokens,
  restartText,
  translateReply,
} from './reply.ts'
import { translateAnswer, translateDecision, translatePermission, translateQuestion } from './requests.ts'
import { forgetReplies, reportProcessTokens } from './shutdown-tokens.ts'
import { type EventPlace, endAnswered, endTurn, isBeforeLast, isEndOfTurn, showWork } from './turn.ts'
import { translatePrompt } from './user.ts'

/**
 * Makes the notes that are needed to go on from a state. A state does not hold tokens whose reply has not come, the
 * ids of deltas, the bytes of attachments before their prompt, and copies of the session.
 */
function open(state: SessionConversationState, context: CopilotContext): void {
  const { session, turn, blocks, subagents } = state
  noteReusedIds(state, context.notes)
  for (const block of [{ blocks }, ...subagents].flatMap((thread) => thread.blocks)) {
    if (isModelText(block) && block.status === 'pending')
      context.notes.setEntry('textPlaces', context.notes.keyOf(block.conversationId, block.id), NO_PLACE)
  }
  for (const { conversationId, usage } of [
    { conversationId: MAIN, usage: state.usage },
    ...agentsOf(state),
  ]) {
    for (const { final, model, messageId, ...tokens } of usage)
      if (final) addFinalTokens(model, tokens, context.notes)
      else context.notes.buffer('openReplies', conversationId, messageId)
  }
  // Only a connection states how large the context can be.
  if (session.contextWindow !== undefined) context.notes.remember({ isStream: true })
  if (turn.status !== 'running') return
  const last = blocks.findLast(({ type }) => type !== 'system' && type !== 'request')
  const isAnswer = last?.type === 'assistant_text' && last.status !== 'pending'
  if (isAnswer && !context.state.isOpen(MAIN, last.id)) context.turn.answer({})
}

function agentsOf({ subagents }: SessionConversationState) {
  return subagents.map(({ toolUseId: conversationId, usage }) => ({ conversationId, usage }))
}

/**
 * Reads three forms of a session of GitHub Copilot CLI:
 * - the lines of `session-state/<id>/events.jsonl`, with those of all agents
 * - the output of `copilot -p --output-format json`
 * - the messages of the SDK's connection, alone or in a log of both directions: `{ dir, msg }`
 */
export const copilotSource: Source = /* @__PURE__ */ defineSource({
  notes: NOTES,
  begin: (session) => new TranslationContext<CopilotNotes>(session),
  open,
  translate,
  end,
})

type Translate<Type extends EventType> = (
  place: EventPlace,
  data: Data<Type>,
  context: CopilotContext,
) => void

const TRANSLATORS: { readonly [Type in EventType]: Translate<Type> } = {
  'session.start': (_, { sessionId, copilotVersion, selectedModel, context: folder }, context) =>
    context.addMissingFacts({
      id: sessionId,
      version: copilotVersion,
      model: selectedModel,
      cwd: asString(asObject(folder).cwd),
    }),
  'session.resume': resumeSession,
  'session.shutdown'(place, data, context) {
    reportProcessTokens(place, data, context)
    endProcess(place, undefined, context)
  },
  result(place, { sessionId, exitCode }, context) {
    context.addMissingFacts({ id: sessionId })
    endProcess(place, exitCode, context)
  },
  'session.model_change'(place, { newModel: model }, context) {
    if (place.conversationId === MAIN && !isBeforeLast(place, context.state)) context.updateFacts({ model })
  },
  'session.usage_info'(
    { conversationId },
    { currentTokens: contextTokens, tokenLimit: contextWindow },
    context,
  ) {
    if (conversationId === MAIN) context.updateFacts({ contextTokens, contextWindow })
  },
  'session.snapshot_rewind': translateRewind,
  'session.compaction_complete': translateCompaction,
  'session.info': noteFork,
  'session.warning': (place, { message }, context) =>
    showOnce(place, { type: 'system', subtype: 'warning', message }, context),
  'session.error': translateError,
  'session.binary_asset': (_, { assetId, mimeType, data }, context) =>
    context.notes.setEntry('assets', assetId, { mimeType, data }),
  'user.message': translatePrompt,
  'system.notification': (place, { content }, context) =>
    showOnce(place, { type: 'user_message', content, origin: 'notification' }, context),
  'assistant.turn_start'(place, _, context) {
    if (!isBeforeLast(place, context.state)) showWork(place, context)
  },
  'assistant.turn_end': endReply,
  'assistant.reasoning_delta': (place, { deltaContent: delta }, context) =>
    appendText(place, { delta }, context),
  'assistant.message_start': restartText,
  'assistant.message_delta': (place, { messageId, deltaContent: delta }, context) =>
    appendText(place, { messageId, delta }, context),
  'assistant.tool_call_delta': appendInput,
  'assistant.turn_retry': translateRetry,
  'model.call_failure': translateCallFailure,
  'assistant.message': translateReply,
  'session.usage_record': (place, { usage }, context) => bufferTokens(place, usage, context),
  'assistant.usage': (place, _, context) => bufferTokens(place, place.event.data, context),
  'assistant.idle': translateIdle,
  'session.idle': translateIdle,
  abort: (place, _, context) => translateAbort(place, context),
  'tool.user_requested': showPersonCall,
  'tool.execution_start': startCall,
  'tool.execution_partial_result': showOutput,
  'tool.execution_complete': endCall,
  'subagent.started': startAgent,
  'subagent.completed': (place, data, context) =>
    endAgent(place, { ...data, isError: data.cancelled === true }, context),
  'subagent.failed': (place, data, context) => endAgent(place, { ...data, isError: true }, context),
  'permission.requested': translatePermission,
  'permission.completed': translateDecision,
  'user_input.requested': translateQuestion,
  'user_input.completed': translateAnswer,
  'skill.invoked': (place, { name, content }, context) =>
    showOnce(place, { type: 'skill_load', skillName: name, content }, context),
}

function translate(message: unknown, context: CopilotContext): void {
  const read = context.read(message)
  if (!isObject(read)) return context.reportUnknown('unknown-message', 'no object')
  if (!context.notes.values.isStream && isLive(read)) context.notes.remember({ isStream: true })
  const event = readEvent(read)
  const isKnown = event && isEventType(event.type) && translateEvent(event.type, event, context)
  if (!isKnown && !isFrame(read))
    context.reportUnknown('unknown-message', typeName(event?.type ?? read.method))
  context.nameSession({ program: copilot.names[0] })
}

/** Translates an event. Returns false if it lacks what its type needs. */
function translateEvent<Type extends EventType>(
  type: Type,
  event: CopilotEvent,
  context: CopilotContext,
): boolean {
  const read = dataOf(type, event.data)
  if (!read) return false
  if (isOfOtherSession(event, context)) return true
  const place = { event, conversationId: conversationOf(event, context) }
  const ownData = withOwnIds(place, context)
  const data = ownData === event.data ? read : dataOf(type, ownData)
  if (data) TRANSLATORS[type](place, data, context)
  return true
}

/** A connection may have several sessions. The first one is main, and it may go on with a copy of itself. */
function isOfOtherSession({ sessionId }: CopilotEvent, context: CopilotContext): boolean {
  if (sessionId === undefined || sessionId === context.state.facts.id) return false
  const isFork = context.notes.values.forks.get(sessionId) === true
  if (context.state.facts.id !== undefined && !isFork) return true
  context.notes.removeEntry('forks', sessionId)
  context.updateFacts({ id: sessionId })
  return false
}

const FORK_ID = /\(([0-9a-f-]{36})\)/

function noteFork(
  _: EventPlace,
  { infoType, message = '' }: Data<'session.info'>,
  memory: Memory<CopilotContext>,
): void {
  const forkId = infoType === 'fork' ? FORK_ID.exec(message)?.[1] : undefined
  if (forkId !== undefined) memory.notes.setEntry('forks', forkId, true)
}

/** A process that goes on with the session finds a turn that an earlier one has not ended. */
function resumeSession(
  place: EventPlace,
  { selectedModel: model, context: folder }: Data<'session.resume'>,
  context: CopilotContext,
): void {
  if (isBeforeLast(place, context.state)) return
  forgetReplies(context.notes)
  context.updateFacts({ model, cwd: asString(asObject(folder).cwd) })
  endTurn(place, { outcome: 'interrupted' }, context)
}

/** A reply of main without calls ends its turn. */
function endReply(place: EventPlace, _: unknown, context: CopilotContext): void {
  releaseTokens(place.conversationId, context)
  if (place.conversationId === MAIN) endAnswered(place, context)
  else endFurtherRun(place, context)
}

function translateIdle(place: EventPlace, { aborted }: Data<'session.idle'>, output: SessionOutput): void {
  endTurn(place, { outcome: aborted ? 'interrupted' : 'finished' }, output)
}

/** The process stops. A turn without an answer has not come to its end. */
function endProcess(place: EventPlace, exitCode: number | undefined, context: CopilotContext): void {
  if (!isEndOfTurn(place, context.state)) return
  const outcome = context.notes.values.answer ? 'finished' : exitCode ? 'failed' : 'interrupted'
  endTurn(place, { outcome }, context)
}

function end(context: CopilotContext): InputEnd {
  for (const [conversationId] of [...context.notes.values.tokens.entries()])
    releaseTokens(conversationId, context)
  return context.endInput({ mayWait: context.notes.values.isStream !== true })
}

/** Returns the data of an event with the ids of the state in the place of the model's, which may use an id again. */
function withOwnIds(place: EventPlace, context: CopilotContext): JsonObject {
  const { type, agentId, time, data } = place.event
  const { messageId, toolCallId, toolRequests } = data
  if (type === 'assistant.message' && isString(messageId) && toolRequests !== undefined)
    return {
      ...data,
      toolRequests: asArray(toolRequests).map((call) => withOwnId(place, messageId, call, context)),
    }
  if (!isString(toolCallId) || context.notes.values.renamedCalls.isEmpty) return data
  const known = context.state.findAgent(agentId ?? '')?.toolUseId
  const own = type.startsWith('subagent.')
    ? agentOfId(toolCallId, { known, time }, context)
    : callOf(place.conversationId, toolCallId, context, time)
  return { ...data, toolCallId: own }
}

function withOwnId(
  { conversationId }: EventPlace,
  messageId: string,
  request: unknown,
  context: CopilotContext,
): unknown {
  const { toolCallId: callId, name } = asObject(request)
  if (!isString(callId) || !isString(name)) return request
  const own = placeCall({ conversationId, messageId, callId, isAgent: isAgentTool(name) }, context)
  return own === callId ? request : { ...asObject(request), toolCallId: own }
}
