import { omitUndefined } from '../../core/json/fields.ts'
import { isoTime } from '../../core/json/iso-time.ts'
import { asArray, asObject, asString, isObject, isString, type JsonObject } from '../../core/json/values.ts'
import { numberedId, numberOfId } from '../../core/state/numbered-id.ts'
import { MAIN, type SessionConversationState, type SubagentState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { isTodoStatus, type Todo } from '../../core/state/todo.ts'
import { AG_UI } from '../../programs/generic/program.ts'
import { type SessionOutput, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { addAgentFacts } from './agents/agent-call.ts'
import { completeAgent, endAgent, startAgent } from './agents/run.ts'
import { AgUiContext, type AgUiMemory, NOTES } from './context.ts'
import type { AgUiEventType } from './event.ts'
import type { Place } from './ids.ts'
import { patchActivity, showActivity } from './messages/activity.ts'
import { endCall, extendCall, showResult, startCall } from './messages/call.ts'
import { closeChunks, closeLanes, translateChunk } from './messages/chunks.ts'
import { readResult } from './messages/content.ts'
import { applySnapshot } from './messages/snapshot.ts'
import { endText, extendText, hideThinking, startText, type TextKind } from './messages/text.ts'
import { failRun, finishRun, startRun } from './runs/run.ts'
import { OwnedDocument, patchDocument } from './shared/owned-document.ts'
import { toAgUiState } from './shared-state.ts'

/**
 * Makes the notes that are needed to go on from a state. The state holds no ids of runs, so a run that comes again
 * counts as a further one.
 */
function open(state: SessionConversationState, memory: AgUiMemory): void {
  const { status } = state.turn
  if (status === 'running') memory.notes.remember({ run: { id: '' } })
  else if (status !== 'idle') memory.notes.setEntry('endedRuns', '', true)
  memory.notes.remember({ shared: toAgUiState(state), unnamed: unnamedOf(state) })
  for (const agent of state.subagents) if (!isFinal(agent.status)) openAgent(agent, memory.notes)
}

function openAgent({ toolUseId, agentId, blocks }: SubagentState, notes: AgUiContext['notes']): void {
  if (agentId !== undefined || blocks.length > 0) notes.setEntry('starts', toolUseId, '')
  // An agent ends with its run, unless it is suspended.
  if (!notes.values.run) notes.setEntry('suspended', toolUseId, true)
}

/** Returns the number of reasoning messages without an id. */
function unnamedOf({ blocks, subagents }: SessionConversationState): number | undefined {
  let unnamed: number | undefined
  for (const thread of [{ blocks }, ...subagents])
    for (const { id, type } of thread.blocks) {
      const number = type === 'thinking' ? numberOfId(id) : undefined
      if (number !== undefined) unnamed = Math.max(unnamed ?? 0, number + 1)
    }
  return unnamed
}

// An event takes one of these ways:
// - `messages/` translates texts, calls, activities and snapshots
// - `runs/` translates runs, their requests and tokens
// - `agents/` translates subagents
// - `shared/` reads the shared state

/** Reads the events of AG-UI 1.0 and of the versions before, from any server. */
export const agUiSource: Source = /* @__PURE__ */ defineSource({
  notes: NOTES,
  begin: (session) => new AgUiContext(session),
  translate,
  end: (context) => context.endInput(),
  open,
})

function translate(message: unknown, context: AgUiContext): void {
  translateEvent(context.read(message), context)
  context.nameSession({ protocol: AG_UI })
}

/** Replaces the shared state. */
function replaceState(state: unknown, context: AgUiContext): void {
  const before = todosOf(context)
  context.rememberShared(new OwnedDocument(state))
  reportTodos(before, context)
  const { agents } = asObject(state)
  for (const agent of asArray(agents)) readAgent(asObject(agent), context)
}

/** Patches the shared state. A patch that does not fit changes nothing. */
function patchState(delta: unknown, context: AgUiContext): void {
  const before = todosOf(context)
  const { shared } = context
  // A changed plan is then another list than before.
  shared.release(before)
  if (!patchDocument(shared, delta)) return context.reportUnknown('unknown-block', 'STATE_DELTA')
  context.rememberShared(shared)
  reportTodos(before, context)
  // The whole list of agents would make each delta cost the number of agents.
  for (const operation of asArray(delta)) {
    const { path, value } = asObject(operation)
    if (!asString(path)?.startsWith('/agents')) continue
    for (const agent of Array.isArray(value) ? value : [value]) readAgent(asObject(agent), context)
  }
}

function todosOf({ shared }: AgUiMemory): unknown {
  return asObject(shared.root).todos
}

function reportTodos(before: unknown, context: AgUiContext): void {
  const after = todosOf(context)
  if (before === after || !Array.isArray(after)) return
  const todos = readTodos(after)
  if (todos.length > 0 || asArray(before).length > 0)
    context.emit({ type: 'todos:updated', conversationId: MAIN, todos })
}

/** Reads an agent of the sink's shared state: the facts that no other event has, a corrected status, and the plan. */
function readAgent(
  { id, status, agentId, name, description, todos }: JsonObject,
  context: AgUiContext,
): void {
  const toolUseId = asString(id)
  if (toolUseId === undefined) return
  const own = asString(agentId)
  const agent = context.state.agentOfCall(toolUseId)
  if (own !== undefined && agent?.parentConversationId === undefined)
    context.notes.setEntry('agentIds', toolUseId, own)
  if (!agent) return
  const before = agent.status
  const facts = { agentId: own, name: asString(name), description: asString(description) }
  addAgentFacts(agent, omitUndefined(facts), context)
  if (context.state.hasEnded(toolUseId) && status === (before === 'error' ? 'success' : 'error'))
    completeAgent(toolUseId, { status: status === 'error' ? 'error' : 'completed' }, context)
  if (Array.isArray(todos))
    context.emit({ type: 'todos:updated', conversationId: toolUseId, todos: readTodos(todos) })
}

/** Reads a plan. Applications name the words of an entry in their own ways. */
function readTodos(todos: readonly unknown[]): readonly Todo[] {
  return todos.flatMap((entry) => {
    const { id, text, content, title, description, status, done, completed } = asObject(entry)
    const words = [entry, text, content, title, description].map(asString).find((each) => each !== undefined)
    if (words === undefined) return []
    const isDone = done === true || completed === true
    const known = isTodoStatus(status) ? status : isDone ? 'completed' : 'pending'
    return [omitUndefined({ id: asString(id), text: words, status: known } as const)]
  })
}

type Translate = (event: JsonObject, context: AgUiContext) => void

/** Translates an event of a message or call at its place. One without its id is unknown. */
function of(
  kind: 'message' | 'call',
  translate: (place: Place, event: JsonObject, context: AgUiContext) => void,
): Translate {
  return (event, context) => {
    const id = asString(kind === 'call' ? event.toolCallId : event.messageId)
    if (id === undefined) reportUnknown(event, context)
    else translate(context.placeOf(event, kind, id), event, context)
  }
}

/** The events of a text, by the end of their name. */
const TEXT_STEPS = { START: startText, CONTENT: extendText, END: endText }

function ofText(kind: TextKind, step: keyof typeof TEXT_STEPS): Translate {
  return of('message', (place, event, context) => TEXT_STEPS[step](place, kind, event, context))
}

/** Versions before 1.0 give no id to a reasoning message, so the source numbers them. */
function ofThinking(step: keyof typeof TEXT_STEPS): Translate {
  const translate = ofText('thinking', step)
  return (event, context) => {
    const { run, unnamed = 0 } = context.notes.values
    if (run?.isRepeated) return
    if (step === 'START') context.notes.remember({ unnamed: unnamed + 1 })
    translate({ ...event, messageId: numberedId(step === 'START' ? unnamed : unnamed - 1) }, context)
  }
}

const ignore: Translate = () => {}

const TRANSLATIONS: Readonly<Record<AgUiEventType, Translate>> = {
  RUN_STARTED: startRun,
  RUN_FINISHED: finishRun,
  RUN_ERROR: failRun,
  TEXT_MESSAGE_START: /* @__PURE__ */ ofText('text', 'START'),
  TEXT_MESSAGE_CONTENT: /* @__PURE__ */ ofText('text', 'CONTENT'),
  TEXT_MESSAGE_END: /* @__PURE__ */ ofText('text', 'END'),
  TEXT_MESSAGE_CHUNK: (event, context) => translateChunk(event, 'text', context),
  REASONING_START: ignore,
  REASONING_MESSAGE_START: /* @__PURE__ */ ofText('thinking', 'START'),
  REASONING_MESSAGE_CONTENT: /* @__PURE__ */ ofText('thinking', 'CONTENT'),
  REASONING_MESSAGE_END: /* @__PURE__ */ ofText('thinking', 'END'),
  REASONING_MESSAGE_CHUNK: (event, context) => translateChunk(event, 'thinking', context),
  REASONING_END: ignore,
  REASONING_ENCRYPTED_VALUE: translateEncrypted,
  THINKING_START: ignore,
  THINKING_TEXT_MESSAGE_START: /* @__PURE__ */ ofThinking('START'),
  THINKING_TEXT_MESSAGE_CONTENT: /* @__PURE__ */ ofThinking('CONTENT'),
  THINKING_TEXT_MESSAGE_END: /* @__PURE__ */ ofThinking('END'),
  THINKING_END: ignore,
  TOOL_CALL_START: /* @__PURE__ */ of('call', translateCallStart),
  TOOL_CALL_ARGS: /* @__PURE__ */ of('call', translateArguments),
  TOOL_CALL_END: /* @__PURE__ */ of('call', (place, _, context) => endCall(place, context)),
  TOOL_CALL_CHUNK: (event, context) => translateChunk(event, 'call', context),
  TOOL_CALL_RESULT: /* @__PURE__ */ of('call', (place, event, context) =>
    showResult(place, readResult(event, isoTime(event.timestamp)), context),
  ),
  ACTIVITY_SNAPSHOT: /* @__PURE__ */ of('message', translateActivity),
  ACTIVITY_DELTA: /* @__PURE__ */ of('message', translateActivityDelta),
  STATE_SNAPSHOT: ({ snapshot }, context) => replaceState(snapshot, context),
  STATE_DELTA: ({ delta }, context) => patchState(delta, context),
  MESSAGES_SNAPSHOT: applySnapshot,
  SUBAGENT_STARTED: startAgent,
  SUBAGENT_FINISHED: endAgent,
  SUBAGENT_ERROR: endAgent,
  STEP_STARTED: ignore,
  STEP_FINISHED: ignore,
  RAW: ignore,
  CUSTOM: ignore,
}

/** The names of the table, and no list beside it: a page loads them once. */
function isEventType(type: unknown): type is AgUiEventType {
  return typeof type === 'string' && Object.hasOwn(TRANSLATIONS, type)
}

/** The events that concern all conversations. */
const OF_ALL: ReadonlySet<unknown> = new Set([
  'RUN_STARTED',
  'RUN_FINISHED',
  'RUN_ERROR',
  'MESSAGES_SNAPSHOT',
])

/** Translates an event. */
function translateEvent(message: unknown, context: AgUiContext): void {
  const event = isObject(message) ? message : {}
  const { type } = event
  if (!isEventType(type))
    return context.reportUnknown('unknown-message', isObject(message) ? typeName(type) : 'no object')
  if (OF_ALL.has(type)) closeLanes(context)
  else if (!type.endsWith('_CHUNK')) closeChunks(event, context)
  TRANSLATIONS[type](event, context)
}

function reportUnknown({ type }: JsonObject, output: SessionOutput): void {
  output.reportUnknown('unknown-message', typeName(type))
}

function translateEncrypted({ subtype, entityId, ...event }: JsonObject, context: AgUiContext): void {
  const id = asString(entityId)
  if (subtype === 'message' && id !== undefined) hideThinking(context.placeOf(event, 'message', id), context)
}

function translateCallStart(place: Place, event: JsonObject, context: AgUiContext): void {
  const toolName = asString(event.toolCallName)
  if (toolName === undefined) return reportUnknown(event, context)
  const { parentMessageId, timestamp } = event
  startCall(place, { toolName, messageId: asString(parentMessageId), timestamp: isoTime(timestamp) }, context)
}

function translateArguments(place: Place, event: JsonObject, context: AgUiContext): void {
  const delta = asString(event.delta)
  if (delta === undefined) reportUnknown(event, context)
  else extendCall(place, delta, context)
}

function translateActivity(place: Place, event: JsonObject, context: AgUiContext): void {
  const { activityType, content, replace, timestamp } = event
  if (!isString(activityType) || !isObject(content)) return reportUnknown(event, context)
  if (replace === false && context.find(place, 'activity')) return
  showActivity(place, activityType, { content, timestamp: isoTime(timestamp) }, context)
}

function translateActivityDelta(place: Place, event: JsonObject, context: AgUiContext): void {
  const activityType = asString(event.activityType)
  if (activityType === undefined) reportUnknown(event, context)
  else patchActivity(place, activityType, event.patch, context)
}
