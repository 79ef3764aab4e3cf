import { asString, isObject, type JsonObject } from '../../json/values.ts'
import { typeName } from '../../session/context.ts'
import { isoTime } from '../../session/time.ts'
import { numberedId } from '../../state/numbered-id.ts'
import { endAgent, startAgent } from './agents/lifecycle.ts'
import type { AgUiContext } from './context.ts'
import { patchActivity, showActivity } from './messages/activity.ts'
import { endCall, extendCall, showResult, startCall } from './messages/call.ts'
import { closeChunks, translateChunk } from './messages/chunks.ts'
import { closeLanes } from './messages/lanes.ts'
import { readResult } from './messages/message.ts'
import { applySnapshot } from './messages/snapshot.ts'
import { endText, extendText, hideThinking, startText, type TextKind } from './messages/text.ts'
import { failRun, finishRun, startRun } from './runs/run.ts'
import { patchState, replaceState } from './shared/shared-state.ts'

type Translate = (event: JsonObject, context: AgUiContext) => void

/** The events of a message, by the end of their name. */
const TEXT_STEPS = { START: startText, CONTENT: extendText, END: endText }

function ofText(kind: TextKind, step: keyof typeof TEXT_STEPS): Translate {
  return (event, context) => {
    const id = asString(event.messageId)
    if (id === undefined) return reportUnknown(event, context)
    const place = context.placeOf(event, 'message', id)
    if (step === 'END') endText(place, kind, context)
    else TEXT_STEPS[step](place, kind, event, context)
  }
}

/** Versions before 1.0 give no id to a reasoning message, so the source numbers them. */
function ofThinking(step: keyof typeof TEXT_STEPS): Translate {
  return (event, context) => {
    if (context.memory.run?.isRepeated) return
    const { unnamed } = context.memory
    if (step === 'START') context.remember({ unnamed: unnamed + 1 })
    const messageId = numberedId(step === 'START' ? unnamed : unnamed - 1)
    ofText('thinking', step)({ ...event, messageId }, context)
  }
}

const ignore: Translate = () => {}

const TRANSLATIONS: Readonly<Record<string, Translate>> = {
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
  TOOL_CALL_START: translateCallStart,
  TOOL_CALL_ARGS: translateArguments,
  TOOL_CALL_END: translateCallEnd,
  TOOL_CALL_CHUNK: (event, context) => translateChunk(event, 'call', context),
  TOOL_CALL_RESULT: translateResult,
  ACTIVITY_SNAPSHOT: translateActivity,
  ACTIVITY_DELTA: translateActivityDelta,
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

/** Whether the value is an event of AG-UI. */
export function isAgUiEvent(value: unknown): boolean {
  return isObject(value) && translationOf(value) !== undefined
}

function translationOf({ type }: JsonObject): Translate | undefined {
  return typeof type === 'string' && Object.hasOwn(TRANSLATIONS, type) ? TRANSLATIONS[type] : undefined
}

/** The events that concern all conversations. */
const OF_ALL: ReadonlySet<unknown> = new Set([
  'RUN_STARTED',
  'RUN_FINISHED',
  'RUN_ERROR',
  'MESSAGES_SNAPSHOT',
])

/** Translates an event. */
export function translateEvent(message: unknown, context: AgUiContext): void {
  const event = isObject(message) ? message : {}
  const translate = translationOf(event)
  if (!translate)
    return context.reportUnknown('unknown-message', isObject(message) ? typeName(event.type) : 'no object')
  if (OF_ALL.has(event.type)) closeLanes(context)
  else if (!typeName(event.type).endsWith('_CHUNK')) closeChunks(event, context)
  translate(event, context)
}

function reportUnknown({ type }: JsonObject, context: AgUiContext): void {
  context.reportUnknown('unknown-message', typeName(type))
}

function translateEncrypted({ subtype, entityId, ...event }: JsonObject, context: AgUiContext): void {
  const id = asString(entityId)
  if (subtype === 'message' && id !== undefined) hideThinking(context.placeOf(event, 'message', id), context)
}

function translateCallStart(event: JsonObject, context: AgUiContext): void {
  const [id, toolName] = [asString(event.toolCallId), asString(event.toolCallName)]
  if (id === undefined || toolName === undefined) return reportUnknown(event, context)
  const start = { toolName, messageId: asString(event.parentMessageId), timestamp: isoTime(event.timestamp) }
  startCall(context.placeOf(event, 'call', id), start, context)
}

function translateArguments(event: JsonObject, context: AgUiContext): void {
  const [id, delta] = [asString(event.toolCallId), asString(event.delta)]
  if (id === undefined || delta === undefined) return reportUnknown(event, context)
  extendCall(context.placeOf(event, 'call', id), delta, context)
}

function translateCallEnd(event: JsonObject, context: AgUiContext): void {
  const id = asString(event.toolCallId)
  if (id === undefined) return reportUnknown(event, context)
  endCall(context.placeOf(event, 'call', id), context)
}

function translateResult(event: JsonObject, context: AgUiContext): void {
  const id = asString(event.toolCallId)
  if (id === undefined) return reportUnknown(event, context)
  showResult(context.placeOf(event, 'call', id), readResult(event, isoTime(event.timestamp)), context)
}

function translateActivity(event: JsonObject, context: AgUiContext): void {
  const [id, activityType] = [asString(event.messageId), asString(event.activityType)]
  const { content, replace } = event
  if (id === undefined || activityType === undefined || !isObject(content))
    return reportUnknown(event, context)
  const place = context.placeOf(event, 'message', id)
  if (replace === false && context.find(place, 'activity')) return
  showActivity(place, activityType, { content, timestamp: isoTime(event.timestamp) }, context)
}

function translateActivityDelta(event: JsonObject, context: AgUiContext): void {
  const [id, activityType] = [asString(event.messageId), asString(event.activityType)]
  if (id === undefined || activityType === undefined) return reportUnknown(event, context)
  patchActivity(context.placeOf(event, 'message', id), activityType, event.patch, context)
}
