import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import { contentParts } from '../../../programs/claude-code/texts.ts'
import { typeName } from '../../../reading/context.ts'
import type { Line } from '../lines/line.ts'
import type { ClaudeContext } from '../notes.ts'
import { translateAttachedHook, upsertSystemBlock } from './system-block.ts'
import { answerTurn } from './turn.ts'
import { translateUserLine } from './user.ts'

/** The types of attachments that the program adds for the model alone. They are no part of the conversation. */
const CONTEXT_TYPES = new Set([
  'agent_listing_delta',
  'auto_mode',
  'auto_mode_exit',
  'batching_reminder_sent',
  'budget_usd',
  'command_permissions',
  'compact_file_reference',
  'critical_system_reminder',
  'date',
  'date_change',
  'deferred_tools_delta',
  'deferred_tools_record',
  'diagnostics',
  'directory',
  'dynamic_skill',
  'edited_text_file',
  'environment',
  'file',
  'instructions',
  'invoked_skills',
  'mcp_instructions_delta',
  'mcp_resource',
  'model',
  'nested_memory',
  'opened_file_in_ide',
  'output_style',
  'plan_file_reference',
  'plan_mode',
  'plan_mode_exit',
  'plan_mode_reentry',
  'prompt_snapshot',
  'read_truncation_notice',
  'relevant_memories',
  'remote_session_change',
  'selected_lines_in_ide',
  'session_context',
  'silent_turn_reminder',
  'skill_listing',
  'task_reminder',
  'task_status',
  'todo',
  'todo_reminder',
  'token_usage',
  'total_tokens_reminder',
  'ultra_effort_enter',
  'ultra_effort_exit',
  'verify_plan_reminder',
])

/** Translates an attachment, which only files have. */
export function translateAttachmentLine(line: Line, context: ClaudeContext): void {
  const attachment = asObject(line.raw.attachment)
  const type = typeName(attachment.type)
  if (CONTEXT_TYPES.has(type)) return
  if (type.startsWith('hook_')) return translateAttachedHook(line, attachment, context)
  if (type === 'goal_status') return showGoal(line, attachment, context)
  if (type === 'structured_output') return endWithOutput(line, context)
  if (type === 'max_turns_reached') return endAtTurnLimit(line, context)
  // A prompt that the person wrote while the model worked.
  if (type === 'queued_command' && attachment.prompt !== undefined)
    return translateUserLine({ ...line, parts: contentParts(attachment.prompt) }, context)
  context.reportUnknown('unknown-message', `attachment/${type}`)
}

/** The person has set a goal (`sentinel`), or the program has checked it when the model had answered. */
function showGoal(line: Line, attachment: JsonObject, context: ClaudeContext): void {
  const { type: _, ...data } = attachment
  const { sentinel, met, condition, reason } = data
  const words = asString(sentinel === true ? condition : reason) ?? asString(condition) ?? ''
  const title = sentinel === true ? 'Goal' : met === true ? 'Goal met' : 'Goal not met'
  upsertSystemBlock(
    line,
    { subtype: 'goal', message: words === '' ? title : `${title}: ${words}`, data },
    context,
  )
}

/** The program has taken the model's answer as JSON. The call and its result are lines of their own. */
function endWithOutput({ conversationId, timestamp }: Line, context: ClaudeContext): void {
  if (conversationId === MAIN) answerTurn(omitUndefined({ timestamp }), context)
}

function endAtTurnLimit(line: Line, context: ClaudeContext): void {
  const { conversationId, timestamp } = line
  const message = 'Turn limit reached'
  upsertSystemBlock(line, { subtype: 'max_turns_reached', message }, context)
  if (conversationId === MAIN)
    answerTurn(omitUndefined({ outcome: 'failed', error: message, timestamp }), context)
}
