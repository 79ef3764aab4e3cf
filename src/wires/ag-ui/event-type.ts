import { isObject } from '../../core/json/values.ts'

/** Every type of an event. Those of thinking are of versions before 1.0. */
const EVENT_TYPES = [
  'RUN_STARTED',
  'RUN_FINISHED',
  'RUN_ERROR',
  'TEXT_MESSAGE_START',
  'TEXT_MESSAGE_CONTENT',
  'TEXT_MESSAGE_END',
  'TEXT_MESSAGE_CHUNK',
  'REASONING_START',
  'REASONING_MESSAGE_START',
  'REASONING_MESSAGE_CONTENT',
  'REASONING_MESSAGE_END',
  'REASONING_MESSAGE_CHUNK',
  'REASONING_END',
  'REASONING_ENCRYPTED_VALUE',
  'THINKING_START',
  'THINKING_TEXT_MESSAGE_START',
  'THINKING_TEXT_MESSAGE_CONTENT',
  'THINKING_TEXT_MESSAGE_END',
  'THINKING_END',
  'TOOL_CALL_START',
  'TOOL_CALL_ARGS',
  'TOOL_CALL_END',
  'TOOL_CALL_CHUNK',
  'TOOL_CALL_RESULT',
  'ACTIVITY_SNAPSHOT',
  'ACTIVITY_DELTA',
  'STATE_SNAPSHOT',
  'STATE_DELTA',
  'MESSAGES_SNAPSHOT',
  'SUBAGENT_STARTED',
  'SUBAGENT_FINISHED',
  'SUBAGENT_ERROR',
  'STEP_STARTED',
  'STEP_FINISHED',
  'RAW',
  'CUSTOM',
] as const

export type AgUiEventType = (typeof EVENT_TYPES)[number]

const KNOWN_TYPES: ReadonlySet<unknown> = /* @__PURE__ */ new Set(EVENT_TYPES)

/** Whether the value is an event of AG-UI. */
export function isAgUiEvent(value: unknown): boolean {
  return isObject(value) && KNOWN_TYPES.has(value.type)
}
