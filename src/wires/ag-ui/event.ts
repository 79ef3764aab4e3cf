import { isObject } from '../../core/json/values.ts'
import type { AgUiMessage, JsonObject } from './message.ts'
import type { AgUiSharedState } from './shared-state.ts'

/** The ids of a run's events. */
interface OfRun {
  readonly threadId: string
  readonly runId: string
}

interface Attributed {
  /** The `toolUseId` of the agent that the event belongs to. Absent for main's. */
  readonly subagentRunId?: string
}

/** The ids of a message's events. */
interface OfMessage extends Attributed {
  readonly messageId: string
}

/** The ids of a call's events. */
interface OfCall extends Attributed {
  readonly toolCallId: string
}

/** A request to the person that a run ended with. */
export interface AgUiInterrupt extends Attributed {
  readonly id: string
  /** The kind of the request: `permission` or `question`. */
  readonly reason: string
  readonly message: string
  readonly toolCallId?: string
  /** The options or questions. */
  readonly metadata?: JsonObject
}

/** The end of a run: by itself, stopped, or with requests to the person. */
export type AgUiOutcome =
  | { readonly type: 'success' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'interrupt'; readonly interrupts: AgUiInterrupt[] }

/** One operation of a JSON Patch (RFC 6902). */
export interface AgUiPatch {
  readonly op: 'add' | 'replace'
  readonly path: string
  readonly value: unknown
}

/** An event of AG-UI, as the sink writes it. */
export type AgUiEvent =
  | (OfRun & { readonly type: 'RUN_STARTED'; readonly protocolVersion: string })
  | (OfRun & { readonly type: 'RUN_FINISHED'; readonly outcome: AgUiOutcome })
  | { readonly type: 'RUN_ERROR'; readonly message: string }
  | (OfMessage & {
      readonly type: 'TEXT_MESSAGE_START'
      readonly role: 'assistant' | 'user' | 'system'
      readonly metadata?: JsonObject
    })
  | (OfMessage & { readonly type: 'TEXT_MESSAGE_CONTENT'; readonly delta: string })
  | (OfMessage & { readonly type: 'TEXT_MESSAGE_END' })
  | (OfMessage & { readonly type: 'REASONING_START' })
  | (OfMessage & {
      readonly type: 'REASONING_MESSAGE_START'
      readonly role: 'reasoning'
      readonly metadata?: JsonObject
    })
  | (OfMessage & { readonly type: 'REASONING_MESSAGE_CONTENT'; readonly delta: string })
  | (OfMessage & { readonly type: 'REASONING_MESSAGE_END' })
  | (OfMessage & { readonly type: 'REASONING_END' })
  | (OfCall & {
      readonly type: 'TOOL_CALL_START'
      readonly toolCallName: string
      readonly parentMessageId: string
    })
  | (OfCall & { readonly type: 'TOOL_CALL_ARGS'; readonly delta: string })
  | (OfCall & { readonly type: 'TOOL_CALL_END' })
  | (OfMessage &
      OfCall & {
        readonly type: 'TOOL_CALL_RESULT'
        readonly role: 'tool'
        readonly content: string
        readonly metadata?: JsonObject
      })
  | (OfMessage & {
      readonly type: 'ACTIVITY_SNAPSHOT'
      readonly activityType: string
      readonly content: JsonObject
      readonly replace: true
    })
  | {
      readonly type: 'SUBAGENT_STARTED'
      readonly subagentRunId: string
      readonly name: string
      readonly description?: string
      readonly parentSubagentRunId?: string
      readonly parentToolCallId?: string
    }
  | {
      readonly type: 'SUBAGENT_FINISHED'
      readonly subagentRunId: string
      readonly result?: string
      readonly outcome: { readonly type: 'success' | 'suspended' }
    }
  | { readonly type: 'SUBAGENT_ERROR'; readonly subagentRunId: string; readonly message: string }
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: AgUiSharedState }
  | { readonly type: 'STATE_DELTA'; readonly delta: AgUiPatch[] }
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: AgUiMessage[]; readonly metadata: JsonObject }

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

/** Whether the value is an event of AG-UI, and of no other program. */
export function isAgUiEvent(value: unknown): boolean {
  return isObject(value) && KNOWN_TYPES.has(value.type) && hasOwnFields(value)
}

/** Whether an event has the fields of its type. Any program may have steps, errors, and events of its own. */
function hasOwnFields({ type, threadId, runId, messageId, toolCallId, ...event }: JsonObject): boolean {
  const family = String(type).split('_')[0]
  switch (family) {
    case 'RUN':
      return threadId !== undefined && runId !== undefined
    case 'TOOL':
      return toolCallId !== undefined
    case 'SUBAGENT':
      return event.subagentRunId !== undefined || event.subagentId !== undefined
    case 'STATE':
      return isPatch(event.delta)
    case 'MESSAGES':
      return Array.isArray(event.messages)
    case 'STEP':
    case 'RAW':
    case 'CUSTOM':
      return false
    default:
      return messageId !== undefined || event.entityId !== undefined
  }
}

function isPatch(delta: unknown): boolean {
  return Array.isArray(delta) && delta.every((each) => isObject(each) && 'op' in each && 'path' in each)
}
