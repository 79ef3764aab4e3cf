import { asObject, isObject, type JsonObject } from '../../core/json/values.ts'
import { unwrapLogLine } from '../kit/log-line.ts'

/** Whether a value is a line that only Pi's format has. */
export function isPiLine(value: unknown): boolean {
  return isOwnLine(unwrapLogLine(asObject(value)))
}

/** A message has its time in ms, an entry the one above it, and a line of a stream the fields of its type. */
function isOwnLine({ type, id, timestamp, parentId, message, ...line }: JsonObject): boolean {
  const isEntry = typeof id === 'string' && typeof timestamp === 'string' && parentId !== undefined
  switch (type) {
    case 'message':
    case 'message_start':
    case 'message_end':
      return typeof asObject(message).role === 'string' && typeof asObject(message).timestamp === 'number'
    case 'session':
      return typeof id === 'string' && typeof timestamp === 'string' && typeof line.cwd === 'string'
    case 'message_update':
      return isObject(line.assistantMessageEvent)
    case 'tool_execution_start':
    case 'tool_execution_update':
    case 'tool_execution_end':
      return typeof line.toolCallId === 'string' && typeof line.toolName === 'string'
    case 'agent_end':
      return Array.isArray(line.messages)
    case 'extension_ui_request':
      return typeof id === 'string' && typeof line.method === 'string'
    default:
      return isEntry && typeof type === 'string' && ENTRY_TYPES.has(type)
  }
}

const ENTRY_TYPES: ReadonlySet<string> = new Set([
  'branch_summary',
  'compaction',
  'custom',
  'custom_message',
  'label',
  'model_change',
  'session_info',
  'session_init',
  'thinking_level_change',
])
