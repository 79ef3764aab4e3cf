import { asObject } from '../../../json/values.ts'
import { typeName } from '../../translation/context.ts'
import type { ClaudeContext } from '../context.ts'
import type { Line } from '../lines/line.ts'
import { noteAttachedHook } from './hook.ts'
import { note } from './note.ts'
import { translateUser } from './user.ts'

/** Context that the program adds to the conversation for the model alone; no part of what was said. */
const CONTEXT = new Set([
  'agent_listing_delta',
  'auto_mode',
  'date',
  'deferred_tools_delta',
  'deferred_tools_record',
  'environment',
  'model',
  'prompt_snapshot',
  'remote_session_change',
  'session_context',
  'skill_listing',
  'total_tokens_reminder',
])

/** What files note beside the messages. */
export function translateAttachment(line: Line, translation: ClaudeContext): void {
  const attachment = asObject(line.raw.attachment)
  const type = typeName(attachment.type)
  if (CONTEXT.has(type)) return
  if (type.startsWith('hook_')) return noteAttachedHook(line, attachment, translation)
  if (type === 'max_turns_reached')
    return note(line, { subtype: type, message: 'Turn limit reached' }, translation)
  // What the person wrote while the model was at work.
  if (type === 'queued_command' && attachment.prompt !== undefined)
    return translateUser({ ...line, message: { role: 'user', content: attachment.prompt } }, translation)
  translation.reportUnknown('unknown-message', `attachment/${type}`)
}
