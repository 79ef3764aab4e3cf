import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asFiniteNumber, asObject, asString, type JsonObject } from '../../../json/values.ts'
import type { ClaudeContext } from '../context.ts'
import { texts } from '../lines/content.ts'
import { type Line, textOf } from '../lines/line.ts'
import { note } from './note.ts'

/** In the stream a hook begins and answers in two messages, which share the hook's id. */
export function noteStreamedHook(line: Line, translation: ClaudeContext): void {
  const { raw } = line
  const ended = raw.outcome === 'error' ? 'error' : 'complete'
  const status = raw.subtype === 'hook_started' ? 'pending' : ended
  noteHook(line, raw, { id: `hook:${textOf(raw, 'hook_id') ?? ''}`, status }, translation)
}

/** In files a hook is noted once, when it has answered. */
export function noteAttachedHook(line: Line, attachment: JsonObject, translation: ClaudeContext): void {
  const status = textOf(attachment, 'type')?.endsWith('error') ? 'error' : 'complete'
  noteHook(line, attachment, { status }, translation)
}

function noteHook(
  line: Line,
  hook: JsonObject,
  place: { readonly id?: string; readonly status: 'pending' | 'complete' | 'error' },
  translation: ClaudeContext,
): void {
  const hookName = textOf(hook, 'hook_name', 'hookName') ?? ''
  const data = omitUndefined({
    hookName,
    hookEvent: textOf(hook, 'hook_event', 'hookEvent'),
    exitCode: asFiniteNumber(hook.exit_code) ?? asFiniteNumber(hook.exitCode),
    stdout: textOf(hook, 'stdout'),
    stderr: textOf(hook, 'stderr'),
  })
  const message = [hookName, saidBy(hook)?.trim()].filter(Boolean).join(': ')
  note(line, { subtype: 'hook', message, data, ...place }, translation)
}

/** Hooks that block, or add to the conversation, say it in fields of their own. */
function saidBy(hook: JsonObject): string | undefined {
  const { blockingError } = asObject(hook.blockingError)
  return (
    textOf(hook, 'output', 'content', 'message') ?? asString(blockingError) ?? texts(hook.content).join('\n')
  )
}
