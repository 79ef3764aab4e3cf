import { count, fields, type JsonObject, list, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import { typeName } from '../translation.ts'
import { noteStreamedHook } from './hook.ts'
import { type Line, textOf } from './line.ts'
import { note } from './note.ts'
import { notifyTask, startTask, updateTask } from './task.ts'
import type { Translation } from './translation.ts'
import { giveUpTurn, isUnderWay } from './turn.ts'

/** What the program says of itself. What a person would want to see becomes a system block. */
export function translateSystem(line: Line, translation: Translation): void {
  const { raw } = line
  switch (raw.subtype) {
    case 'init':
      return beginTurn(raw, translation)
    case 'task_started':
      return startTask(raw, translation)
    case 'task_updated':
      return updateTask(raw, translation)
    case 'task_notification':
      return notifyTask(raw, translation)
    case 'compact_boundary':
      return noteCompaction(line, translation)
    case 'api_retry':
    case 'api_error':
      return noteRetry(line, raw, translation)
    case 'hook_started':
    case 'hook_response':
      return noteStreamedHook(line, translation)
    case 'stop_hook_summary':
      return noteStopHooks(line, translation)
    case 'permission_denied':
      return notePermission(line, translation)
    // Progress and state of the program, which its other messages carry too.
    case 'status':
    case 'thinking_tokens':
    case 'task_progress':
    case 'background_tasks_changed':
      return
    default:
      return noteOther(line, translation)
  }
}

/** A retry of the model's request, in the stream and on disk under other names. */
export function noteRetry(line: Line, retry: JsonObject, translation: Translation): void {
  const attempt = count(retry.attempt) ?? count(retry.retryAttempt)
  const maxRetries = count(retry.max_retries) ?? count(retry.maxRetries)
  const error = text(retry.error) ?? text(fields(retry.error).message)
  const errorStatus = count(retry.error_status) ?? count(fields(retry.error).status)
  const delayMs = count(retry.retry_delay_ms) ?? count(retry.retryInMs)
  const message = ['retry', attempt, maxRetries && `of ${maxRetries}`].filter(Boolean).join(' ')
  const data = known({ attempt, maxRetries, delayMs, errorStatus, error })
  note(line, { subtype: 'retry', message, data }, translation)
}

/** Every turn of a stream begins with it. */
function beginTurn(raw: JsonObject, translation: Translation): void {
  if (isUnderWay(translation)) giveUpTurn(translation)
  translation.updateFacts(
    known({
      id: text(raw.session_id),
      model: plainModel(text(raw.model)),
      cwd: text(raw.cwd),
      program: 'claude-code',
      version: text(raw.claude_code_version),
      tools: Array.isArray(raw.tools) ? list(raw.tools).flatMap((tool) => text(tool) ?? []) : undefined,
    }),
  )
}

/** Some versions name the size of the context behind the model, as in `claude-opus-4-8[1m]`; messages and files do not. */
function plainModel(model: string | undefined): string | undefined {
  return model?.replace(/\[[^[\]]*\]$/, '')
}

function noteCompaction(line: Line, translation: Translation): void {
  const { raw } = line
  const metadata = fields(raw.compact_metadata ?? raw.compactMetadata)
  const data = known({
    trigger: text(metadata.trigger),
    preTokens: count(metadata.pre_tokens) ?? count(metadata.preTokens),
    postTokens: count(metadata.post_tokens) ?? count(metadata.postTokens),
  })
  translation.remember({ compacted: line.conversationId })
  note(line, { subtype: 'compaction', message: 'Conversation compacted', data }, translation)
}

/** The hooks themselves are noted one by one; the summary says only what went wrong. */
function noteStopHooks(line: Line, translation: Translation): void {
  const { hookErrors, preventedContinuation, stopReason } = line.raw
  const errors = list(hookErrors)
  if (errors.length === 0 && preventedContinuation !== true) return
  const message = [text(stopReason), ...errors.map((error) => text(error) ?? JSON.stringify(error))]
    .filter(Boolean)
    .join('\n')
  note(line, { subtype: 'hook', status: 'error', message }, translation)
}

function notePermission(line: Line, translation: Translation): void {
  const { raw } = line
  const toolName = text(raw.tool_name)
  const message =
    textOf(raw, 'message', 'reason', 'decision_reason') ?? `${toolName ?? 'a tool'} was not permitted`
  const data = known({ toolName, toolUseId: text(raw.tool_use_id) })
  note(line, { subtype: 'permission', message, data }, translation)
}

/** A message with words for the person is shown under its own name; any other that is not known is reported. */
function noteOther(line: Line, translation: Translation): void {
  const subtype = typeName(line.raw.subtype)
  const message = textOf(line.raw, 'content', 'message', 'text')
  if (message !== undefined) note(line, { subtype, message }, translation)
  else translation.report('unknown-message', `system/${subtype}`)
}
