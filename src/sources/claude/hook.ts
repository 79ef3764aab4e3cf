import { count, fields, type JsonObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import { texts } from './content.ts'
import { type Line, textOf } from './line.ts'
import { note } from './note.ts'
import type { Translation } from './translation.ts'

/** In the stream a hook begins and answers in two messages, which share the hook's id. */
export function noteStreamedHook(line: Line, translation: Translation): void {
  const { raw } = line
  const ended = raw.outcome === 'error' ? 'error' : 'complete'
  const status = raw.subtype === 'hook_started' ? 'pending' : ended
  noteHook(line, raw, { id: `hook:${textOf(raw, 'hook_id') ?? ''}`, status }, translation)
}

/** In files a hook is noted once, when it has answered. */
export function noteAttachedHook(line: Line, attachment: JsonObject, translation: Translation): void {
  const status = textOf(attachment, 'type')?.endsWith('error') ? 'error' : 'complete'
  noteHook(line, attachment, { status }, translation)
}

function noteHook(
  line: Line,
  hook: JsonObject,
  place: { readonly id?: string; readonly status: 'pending' | 'complete' | 'error' },
  translation: Translation,
): void {
  const hookName = textOf(hook, 'hook_name', 'hookName') ?? ''
  const data = known({
    hookName,
    hookEvent: textOf(hook, 'hook_event', 'hookEvent'),
    exitCode: count(hook.exit_code) ?? count(hook.exitCode),
    stdout: textOf(hook, 'stdout'),
    stderr: textOf(hook, 'stderr'),
  })
  const message = [hookName, saidBy(hook)?.trim()].filter(Boolean).join(': ')
  note(line, { subtype: 'hook', message, data, ...place }, translation)
}

/** Hooks that block, or add to the conversation, say it in fields of their own. */
function saidBy(hook: JsonObject): string | undefined {
  const { blockingError } = fields(hook.blockingError)
  return textOf(hook, 'output', 'content', 'message') ?? text(blockingError) ?? texts(hook.content).join('\n')
}
