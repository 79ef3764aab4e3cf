import { omitUndefined } from '../../../core/json/fields.ts'
import { asFiniteNumber, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { BlockStatus } from '../../../core/state/block.ts'
import { textsIn } from '../../../programs/claude-code/texts.ts'
import { type NoteFacts, noteBlock } from '../../kit/blocks.ts'
import { firstString, type Line, lineId } from '../lines/line.ts'
import type { ClaudeContext } from '../notes.ts'

/** Translates a hook of a stream: two messages, its start and its answer, share the hook's id. */
export function translateStreamedHook(line: Line, context: ClaudeContext): void {
  const { raw } = line
  const ended = raw.outcome === 'error' ? 'error' : 'complete'
  const status = raw.subtype === 'hook_started' ? 'pending' : ended
  upsertHookBlock(line, raw, { id: `hook:${firstString(raw, 'hook_id') ?? ''}`, status }, context)
}

/** Translates a hook of a file: one line, after the hook has answered. */
export function translateAttachedHook(line: Line, attachment: JsonObject, context: ClaudeContext): void {
  const status = firstString(attachment, 'type')?.endsWith('error') ? 'error' : 'complete'
  upsertHookBlock(line, attachment, { status }, context)
}

function upsertHookBlock(
  line: Line,
  hook: JsonObject,
  fields: { readonly id?: string; readonly status: 'pending' | 'complete' | 'error' },
  context: ClaudeContext,
): void {
  const hookName = firstString(hook, 'hook_name', 'hookName') ?? ''
  const data = omitUndefined({
    hookName,
    hookEvent: firstString(hook, 'hook_event', 'hookEvent'),
    exitCode: asFiniteNumber(hook.exit_code) ?? asFiniteNumber(hook.exitCode),
    stdout: firstString(hook, 'stdout'),
    stderr: firstString(hook, 'stderr'),
  })
  const message = [hookName, hookMessage(hook)?.trim()].filter(Boolean).join(': ')
  upsertSystemBlock(line, { subtype: 'hook', message, data, ...fields }, context)
}

/** Hooks that block, and hooks that add to the conversation, have their text in other fields. */
function hookMessage(hook: JsonObject): string | undefined {
  const { blockingError } = asObject(hook.blockingError)
  return (
    firstString(hook, 'output', 'content', 'message') ??
    asString(blockingError) ??
    textsIn(hook.content).join('\n')
  )
}

/** The facts of a note. Without an id, it has the line's own. */
type LineNote = Omit<NoteFacts, 'id' | 'timestamp'> & {
  readonly id?: string
  readonly status?: BlockStatus
}

/** Adds a system block to the line's conversation. */
export function upsertSystemBlock(
  line: Line,
  { id, status, ...facts }: LineNote,
  context: ClaudeContext,
): void {
  const { conversationId, timestamp } = line
  const note = { id: id ?? lineId(line, context.notes), ...facts, timestamp }
  context.upsert(conversationId, noteBlock(note, status))
}
