import { asObject, type JsonObject } from '../../../core/json/values.ts'
import { numberedId } from '../../../core/state/numbered-id.ts'
import type { ClaudeContext } from '../notes.ts'

/** A line with the fields that streams (snake case) and files (camel case) share. */
export interface Line {
  readonly raw: JsonObject
  readonly uuid: string | undefined
  readonly timestamp: string | undefined
  /** The agent that wrote the line. */
  readonly agentId: string | undefined
  /** `'main'`, the id of the agent's call, or the agent's own id while its call is unknown. */
  readonly conversationId: string
  /** The API's message: role and content. A model's message also has id, model and usage. */
  readonly message: JsonObject
  /** The parts of the message's content, or of an attached prompt. */
  readonly parts: readonly JsonObject[]
  /** The source has read this line before, for example because the stream reconnected. */
  readonly isRepeated: boolean
  /** The uuid of the line in the stream is not known. Versions up to 2.0.14 give a subagent's lines another one in the file. */
  readonly isUnnamed: boolean
}

/** Returns the line's uuid, or the next number for a line without one. */
export function lineId({ uuid }: Line, notes: ClaudeContext['notes']): string {
  if (uuid !== undefined) return uuid
  const { linesWithoutUuid = 0 } = notes.values
  notes.remember({ linesWithoutUuid: linesWithoutUuid + 1 })
  return numberedId(linesWithoutUuid)
}

/** Returns the tool's own record of a result, or an object without fields. The text for the model is in the message. */
export function toolUseResultOf({ raw }: Line): JsonObject {
  return asObject(raw.tool_use_result ?? raw.toolUseResult)
}

/** Returns the first of the named fields that is a string. The same fact has a snake and a camel name. */
export function firstString(raw: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) if (typeof raw[name] === 'string') return raw[name]
  return undefined
}

/** The types of lines that are part of a conversation. */
const CONVERSATION_LINES: ReadonlySet<unknown> = new Set(['assistant', 'attachment', 'system', 'user'])

/** Whether the line is part of a conversation. */
export function isConversationLine({ raw }: Line): boolean {
  return CONVERSATION_LINES.has(raw.type)
}

/** The types of lines that only the program itself needs. They hold no part of the conversation. */
const IGNORED_TYPES: ReadonlySet<unknown> = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'ai-title',
  'api-request',
  'api-request-shape',
  'atis-latch',
  'attribution-snapshot',
  'bridge-session',
  'command_lifecycle',
  'content-replacement',
  'custom-title',
  'file-history-delta',
  'files_persisted',
  'fork-context-ref',
  'frame-link',
  'keep_alive',
  'mode',
  'permission-mode',
  'pr-link',
  'prompt_suggestion',
  'rate_limit_event',
  'relocated',
  'started',
  'summary',
  'tag',
  'tool_use_summary',
  'tools-used',
  'worktree-state',
])

/** The types of further lines that the source translates. */
const OTHER_TYPES: ReadonlySet<unknown> = new Set([
  'agent_meta',
  'api-request-blob',
  'control_cancel_request',
  'control_request',
  'control_response',
  'conversation_reset',
  'cost-state',
  'file-history-snapshot',
  'last-prompt',
  'progress',
  'queue-operation',
  'result',
  'stream_event',
  'tool_progress',
])

/** Whether Claude Code writes lines of that type. */
export function isKnownType(type: unknown): boolean {
  return CONVERSATION_LINES.has(type) || OTHER_TYPES.has(type) || IGNORED_TYPES.has(type)
}
