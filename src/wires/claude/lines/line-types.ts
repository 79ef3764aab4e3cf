import type { Line } from './line.ts'

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
