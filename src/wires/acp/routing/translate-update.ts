import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import { typeName } from '../../../session/context.ts'
import { MAIN } from '../../../state/session.ts'
import { readChildUpdate, readSessionMessage } from '../agents/child-session.ts'
import { readCompaction, readCompactionChunk } from '../blocks/compaction.ts'
import { readContent, textOfPart } from '../blocks/content.ts'
import { showUnnamedNote } from '../blocks/note.ts'
import { reportPlan, reportPlanUpdate } from '../blocks/plan.ts'
import { dropHeldPrompt, showHeldPrompt } from '../blocks/prompt.ts'
import { appendChunk, isRepeated } from '../blocks/text.ts'
import { reportContext } from '../blocks/usage.ts'
import { holdUserChunk, showHeldMessage } from '../blocks/user.ts'
import { parentIdOf, readCallUpdate } from '../calls/read-call.ts'
import { translateCall } from '../calls/translate-call.ts'
import type { AcpContext } from '../context.ts'
import type { OpenText } from '../memory.ts'
import { reopenTurn, repeatItem } from '../resume/repeated-turn.ts'
import { agentConversation } from './agent-conversation.ts'

/** An update of a session, and the conversation of the session. */
interface SessionUpdate {
  readonly sessionId: string
  readonly conversationId: string
  readonly update: JsonObject
  /** The time of the log's line, in ms. */
  readonly at?: number | undefined
  /** The id of the message in the program's own facts. */
  readonly messageId?: string | undefined
}

/** Translates an update of a session. */
export function translateUpdate(place: SessionUpdate, context: AcpContext): void {
  const { conversationId, update } = place
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
      return translateUserChunk(place, context)
    case 'agent_message_chunk':
      return translateAgentChunk('text', place, context)
    case 'agent_thought_chunk':
      return translateAgentChunk('thinking', place, context)
    case 'tool_call':
    case 'tool_call_update':
      return translateCallUpdate(place, context)
    case 'plan':
      return reportPlan(conversationId, update, context)
    case 'plan_update':
      return reportPlanUpdate(conversationId, update, context)
    case 'plan_removed':
      return reportPlan(conversationId, { entries: [] }, context)
    case 'usage_update':
      return conversationId === MAIN ? reportContext(update, context) : undefined
    case 'subagent_update':
      showHeld(conversationId, context)
      return readChildUpdate(conversationId, update, context)
    case 'session_message':
    case 'session_message_chunk':
      showHeld(conversationId, context)
      return readSessionMessage(place, context)
    case 'compaction_update':
      return readCompaction(conversationId, update, context)
    case 'compaction_summary_chunk':
      return readCompactionChunk(conversationId, update, context)
    case 'notice':
      return showNotice(place, context)
    case 'config_option_update':
      return readConfig(place, context)
    case 'available_commands_update':
    case 'current_mode_update':
    case 'session_info_update':
      return
    default:
      return context.reportUnknown('unknown-block', typeName(update.sessionUpdate))
  }
}

function translateUserChunk(place: SessionUpdate, context: AcpContext): void {
  const { update } = place
  const conversationId = agentConversation(place.conversationId, parentIdOf(update), context)
  const part = readContent(update.content)
  if (!part) return reportContent(update, context)
  holdUserChunk(conversationId, { messageId: messageIdOf(update), part }, context)
}

function reportContent(update: JsonObject, context: AcpContext): void {
  const type = typeName(asObject(update.content).type)
  context.reportUnknown('unknown-block', `${asString(update.sessionUpdate)}/${type}`)
}

function messageIdOf({ messageId }: JsonObject): string | undefined {
  return asString(messageId) || undefined
}

function translateAgentChunk(kind: OpenText['kind'], place: SessionUpdate, context: AcpContext): void {
  const { update } = place
  const conversationId = agentConversation(place.conversationId, parentIdOf(update), context)
  const part = readContent(update.content)
  if (!part) return reportContent(update, context)
  const { openText, retriedId } = context.thread(conversationId)
  const isRetry = retriedId !== undefined && openText?.messageId === retriedId
  const messageId = isRetry ? retriedId : (messageIdOf(update) ?? place.messageId)
  const text = textOfPart(part)
  if (conversationId === MAIN) reopenTurn(messageId, context)
  if (messageId !== undefined && isRepeated(conversationId, messageId, context)) {
    repeatItem(conversationId, messageId, context)
    return dropIfMain(conversationId, context)
  }
  const warning = context.reader.warning?.(text, messageId)
  if (warning !== undefined)
    return showUnnamedNote(conversationId, { subtype: 'warning', message: warning }, context)
  showHeld(conversationId, context)
  appendChunk(conversationId, { kind, messageId, text, at: place.at }, context)
}

/** A known update shows that the turn of the held prompt is known. */
function dropIfMain(conversationId: string, context: AcpContext): void {
  if (conversationId === MAIN) dropHeldPrompt(context)
}

/** A new update shows that the turn of the held prompt is a new one. */
function showHeld(conversationId: string, context: AcpContext): void {
  if (conversationId === MAIN) showHeldPrompt(context)
  showHeldMessage(conversationId, context)
}

function translateCallUpdate(place: SessionUpdate, context: AcpContext): void {
  const read = readCallUpdate(place.update)
  if (!read) return context.reportUnknown('unknown-block', typeName(place.update.sessionUpdate))
  const known =
    place.conversationId === MAIN ? context.call(read.id) : context.callIn(place.conversationId, read.id)
  const conversationId =
    known?.conversationId ?? agentConversation(place.conversationId, read.parentId, context)
  if (conversationId === MAIN) reopenTurn(read.id, context)
  if (known) dropIfMain(conversationId, context)
  else showHeld(conversationId, context)
  translateCall(conversationId, read, context)
}

/** A notice is no part of the conversation, and has no id. */
function showNotice({ conversationId, update }: SessionUpdate, context: AcpContext): void {
  const title = asString(update.title) ?? ''
  const description = asString(update.description)
  const message = description === undefined ? title : `${title}\n${description}`
  const subtype = asString(update.severity) ?? 'notice'
  showUnnamedNote(conversationId, { subtype, message }, context)
}

/** Reads the model that the person has chosen. */
function readConfig({ conversationId, update }: SessionUpdate, context: AcpContext): void {
  const model = modelIn(update.configOptions)
  if (conversationId === MAIN && model !== undefined) context.updateFacts({ model })
}

/** Returns the current model in the options of a session. `default` names none. */
export function modelIn(configOptions: unknown): string | undefined {
  if (!Array.isArray(configOptions)) return undefined
  const option = configOptions
    .map(asObject)
    .find(({ id, category }) => id === 'model' || category === 'model')
  const model = asString(option?.currentValue)
  return model === 'default' ? undefined : model
}
