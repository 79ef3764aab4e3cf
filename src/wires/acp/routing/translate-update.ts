import type { AllowUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { ConversationBlock } from '../../../core/state/block.ts'
import { MAIN, type SessionFacts } from '../../../core/state/session.ts'
import { readTodos, type Todo } from '../../../core/state/todo.ts'
import { type SessionOutput, typeName } from '../../../reading/context.ts'
import { readChildUpdate, readSessionMessage } from '../agents/child-session.ts'
import { endNotified } from '../agents/run.ts'
import { readContent, textOfPart } from '../blocks/content.ts'
import { repeatItem } from '../blocks/joint.ts'
import { RETRY, readCompaction, readCompactionChunk, unnamedNote } from '../blocks/note.ts'
import { dropBufferedPrompt, showBufferedPrompt } from '../blocks/prompt.ts'
import { appendChunk, completeText, isKnown } from '../blocks/text.ts'
import { reopenTurn } from '../blocks/turn.ts'
import { bufferUserChunk, showBufferedMessage } from '../blocks/user.ts'
import { type CallUpdate, findCall, newCall, parentIdOf, readCallUpdate, withOwnId } from '../calls/call.ts'
import { ownId } from '../calls/own-id.ts'
import { translateCall } from '../calls/translate-call.ts'
import type { AcpContext, AcpMemory, TextBlock } from '../context.ts'
import { addResponse, reportContext } from '../tokens.ts'
import { agentConversation } from './conversation.ts'

/** An update of a session, and the conversation of the session. */
interface SessionUpdate {
  readonly sessionId: string
  readonly conversationId: string
  readonly update: JsonObject
  /** The time of the log's line, in ms. */
  readonly at?: number | undefined
  /** The id of the message in the program's own facts. */
  readonly messageId?: string | undefined
  /** The number of the update in the program's own facts. */
  readonly number?: number | undefined
}

/** Translates an update of a session. */
export function translateUpdate(place: SessionUpdate, context: AcpContext): void {
  const { conversationId, update } = place
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
      return translateUserChunk(place, context)
    case 'agent_message_chunk':
      return translateAgentChunk('assistant_text', place, context)
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
      if (context.reader.isNotified?.(asObject(update._meta))) endNotified(context)
      return conversationId === MAIN ? reportContext(update, context) : undefined
    case 'subagent_update':
      showBuffered(conversationId, context)
      return readChildUpdate(conversationId, update, context)
    case 'session_message':
    case 'session_message_chunk':
      showBuffered(conversationId, context)
      return readSessionMessage(place, context)
    case 'compaction_update':
      return readCompaction(conversationId, update, context)
    case 'compaction_summary_chunk':
      return readCompactionChunk(conversationId, update, context)
    case 'notice':
      return context.upsert(place.conversationId, noticeIn(place.update))
    case 'config_option_update':
      return reportFacts(conversationId, { model: modelIn(update.configOptions) }, context)
    case 'session_info_update':
      // Many programs take the first prompt as the title at first, so it is there even if the line of the prompt is
      // broken.
      return reportFacts(conversationId, { title: asString(update.title) || undefined }, context)
    case 'available_commands_update':
    case 'current_mode_update':
      return
    default:
      return context.reportUnknown('unknown-block', typeName(update.sessionUpdate))
  }
}

function reportFacts(
  conversationId: string,
  facts: AllowUndefined<SessionFacts>,
  output: SessionOutput,
): void {
  if (conversationId === MAIN) output.updateFacts(facts)
}

function translateUserChunk(place: SessionUpdate, context: AcpContext): void {
  const { update } = place
  const conversationId = agentConversation(place.conversationId, parentIdOf(update), context)
  const part = readContent(update.content)
  if (!part) return reportContent(update, context)
  bufferUserChunk(conversationId, { messageId: messageIdOf(update), part }, context)
}

function reportContent(update: JsonObject, output: SessionOutput): void {
  const type = typeName(asObject(update.content).type)
  output.reportUnknown('unknown-block', `${asString(update.sessionUpdate)}/${type}`)
}

function messageIdOf({ messageId }: JsonObject): string | undefined {
  return asString(messageId) || undefined
}

function translateAgentChunk(type: TextBlock['type'], place: SessionUpdate, context: AcpContext): void {
  const { update } = place
  const conversationId = agentConversation(place.conversationId, parentIdOf(update), context)
  const part = readContent(update.content)
  if (!part) return reportContent(update, context)
  const tokens = context.reader.tokensOf?.(asObject(update._meta))
  if (tokens) addResponse(conversationId, tokens, context)
  if (tokens && textOfPart(part) === '') return
  const { number } = place
  const ownId = messageIdOf(update) ?? place.messageId
  const comesAgain = (id?: string) =>
    id !== undefined && isKnown(conversationId, { messageId: id, number }, context)
  const messageId = comesAgain(ownId) ? ownId : (retriedId(conversationId, context) ?? ownId)
  const text = textOfPart(part)
  if (conversationId === MAIN) reopenTurn(messageId, context)
  if (messageId !== undefined && comesAgain(messageId)) {
    repeatItem(conversationId, messageId, context)
    return dropIfMain(conversationId, context)
  }
  const warning = context.reader.warning?.(text, messageId)
  if (warning !== undefined) return showWarning(conversationId, warning, context)
  showBuffered(conversationId, context)
  appendChunk(conversationId, { type, messageId, text, at: place.at, number }, context)
}

function showWarning(conversationId: string, message: string, context: AcpContext): void {
  const isFailure = conversationId === MAIN && context.reader.isFailure?.(message)
  // An agent may have failed. A later text of main is then behind the failure.
  if (isFailure) completeText(MAIN, context)
  context.upsert(conversationId, unnamedNote({ subtype: 'warning', message }))
  if (isFailure) context.notes.remember({ failure: { message, place: context.state.blocksOf(MAIN).length } })
}

/** Returns the open message if the program asks for it again: the text of the next response goes on with that of the last one. */
function retriedId(conversationId: string, memory: AcpMemory): string | undefined {
  const open = memory.openText(conversationId)
  if (open?.messageId === undefined) return undefined
  const isLast = (block: ConversationBlock) => block.id === open.id || isRetry(block)
  const last = memory.state.blocksOf(conversationId).findLast(isLast)
  return last && isRetry(last) ? open.messageId : undefined
}

function isRetry(block: ConversationBlock): boolean {
  return block.type === 'system' && block.subtype === RETRY
}

/** A known update shows that the turn of the buffered prompt is known. */
function dropIfMain(conversationId: string, memory: AcpMemory): void {
  if (conversationId === MAIN) dropBufferedPrompt(memory)
}

/** A new update shows that the turn of the buffered prompt is a new one. */
function showBuffered(conversationId: string, context: AcpContext): void {
  if (conversationId === MAIN) showBufferedPrompt(context)
  showBufferedMessage(conversationId, context)
}

function translateCallUpdate(place: SessionUpdate, context: AcpContext): void {
  const { update, messageId } = place
  const named = readCallUpdate(withOwnId(update, context.reader))
  if (!named) return context.reportUnknown('unknown-block', typeName(update.sessionUpdate))
  const conversationId = callConversation(place.conversationId, named, context)
  const isStart = update.sessionUpdate === 'tool_call'
  const read = {
    ...named,
    id: ownId({ conversationId, messageId, isStart, isOfStream: place.sessionId === '' }, named, context),
  }
  if (conversationId === MAIN) reopenTurn(read.id, context)
  const known = findCall(conversationId, read.id, context)
  if (known) dropIfMain(conversationId, context)
  else showBuffered(conversationId, context)
  translateCall(
    known ?? newCall(conversationId, read.id, messageId),
    { update: read, isNew: !known },
    context,
  )
}

/** Returns the conversation of a call. Main's session has the updates of agents that have no session of their own. */
function callConversation(place: string, { id, parentId }: CallUpdate, context: AcpContext): string {
  const mayBeOfAgent = place === MAIN && parentId === undefined && context.state.agents().length > 0
  const known = mayBeOfAgent ? context.state.conversationOfCall(id) : undefined
  return known ?? agentConversation(place, parentId, context)
}

/** Returns the note of a notice. It is no part of the conversation, and has no id. */
function noticeIn(update: JsonObject) {
  const title = asString(update.title) ?? ''
  const description = asString(update.description)
  const message = description === undefined ? title : `${title}\n${description}`
  const subtype = asString(update.severity) ?? 'notice'
  return unnamedNote({ subtype, message })
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

/** Reports a plan. Each update has the whole plan. */
function reportPlan(conversationId: string, { entries }: JsonObject, context: AcpContext): void {
  // The calls of such a program show its plan, and the plan that it sends is empty.
  if (context.reader.todosAfter) return
  context.emit({ type: 'todos:updated', conversationId, todos: readTodos(entries) })
}

/** Reports a plan of the unstable protocol: entries, a text in Markdown, or a file with the plan. */
function reportPlanUpdate(conversationId: string, update: JsonObject, context: AcpContext): void {
  const plan = asObject(update.plan)
  if (plan.type === 'items') return reportPlan(conversationId, plan, context)
  const text = asString(plan.markdown) ?? asString(plan.content) ?? asString(plan.text)
  if (text !== undefined) return reportTasks(conversationId, text, context)
  if (plan.type !== 'file') context.reportUnknown('unknown-block', 'plan_update')
}

/** Reads the tasks of a Markdown text: `- [x] …`. Without tasks, the lines of lists are the entries. */
function reportTasks(conversationId: string, text: string, output: SessionOutput): void {
  const lines = [...text.matchAll(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[([ xX~-])\][ \t]+)?(.+)$/gm)]
  const todos = lines.map(
    ([, mark = ' ', entry = '']): Todo => ({ text: entry.trim(), status: statusOf(mark) }),
  )
  output.emit({ type: 'todos:updated', conversationId, todos })
}

function statusOf(mark: string): Todo['status'] {
  if (mark === ' ') return 'pending'
  return mark === 'x' || mark === 'X' ? 'completed' : 'in_progress'
}
