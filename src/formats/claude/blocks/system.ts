import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asFiniteNumber, asObject, asString, type JsonObject } from '../../../json/values.ts'
import { typeName } from '../../translation/context.ts'
import { notifyTask, startTask, updateTask } from '../agents/task.ts'
import type { ClaudeContext } from '../context.ts'
import { type Line, textOf } from '../lines/line.ts'
import { noteStreamedHook } from './hook.ts'
import { note } from './note.ts'
import { giveUpTurn, isUnderWay } from './turn.ts'

/** What the program says of itself. What a person would want to see becomes a system block. */
export function translateSystem(line: Line, translation: ClaudeContext): void {
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
export function noteRetry(line: Line, retry: JsonObject, translation: ClaudeContext): void {
  const attempt = asFiniteNumber(retry.attempt) ?? asFiniteNumber(retry.retryAttempt)
  const maxRetries = asFiniteNumber(retry.max_retries) ?? asFiniteNumber(retry.maxRetries)
  const error = asString(retry.error) ?? asString(asObject(retry.error).message)
  const errorStatus = asFiniteNumber(retry.error_status) ?? asFiniteNumber(asObject(retry.error).status)
  const delayMs = asFiniteNumber(retry.retry_delay_ms) ?? asFiniteNumber(retry.retryInMs)
  const message = ['retry', attempt, maxRetries && `of ${maxRetries}`].filter(Boolean).join(' ')
  const data = omitUndefined({ attempt, maxRetries, delayMs, errorStatus, error })
  note(line, { subtype: 'retry', message, data }, translation)
}

/** Every turn of a stream begins with it. */
function beginTurn(raw: JsonObject, translation: ClaudeContext): void {
  if (isUnderWay(translation)) giveUpTurn(translation)
  translation.updateFacts(
    omitUndefined({
      id: asString(raw.session_id),
      model: plainModel(asString(raw.model)),
      cwd: asString(raw.cwd),
      program: 'claude-code',
      version: asString(raw.claude_code_version),
      tools: Array.isArray(raw.tools)
        ? asArray(raw.tools).flatMap((tool) => asString(tool) ?? [])
        : undefined,
    }),
  )
}

/** Some versions name the size of the context behind the model, as in `claude-opus-4-8[1m]`; messages and files do not. */
function plainModel(model: string | undefined): string | undefined {
  return model?.replace(/\[[^[\]]*\]$/, '')
}

function noteCompaction(line: Line, translation: ClaudeContext): void {
  const { raw } = line
  const metadata = asObject(raw.compact_metadata ?? raw.compactMetadata)
  const data = omitUndefined({
    trigger: asString(metadata.trigger),
    preTokens: asFiniteNumber(metadata.pre_tokens) ?? asFiniteNumber(metadata.preTokens),
    postTokens: asFiniteNumber(metadata.post_tokens) ?? asFiniteNumber(metadata.postTokens),
  })
  translation.remember({ compacted: line.conversationId })
  note(line, { subtype: 'compaction', message: 'Conversation compacted', data }, translation)
}

/** The hooks themselves are noted one by one; the summary says only what went wrong. */
function noteStopHooks(line: Line, translation: ClaudeContext): void {
  const { hookErrors, preventedContinuation, stopReason } = line.raw
  const errors = asArray(hookErrors)
  if (errors.length === 0 && preventedContinuation !== true) return
  const message = [asString(stopReason), ...errors.map((error) => asString(error) ?? JSON.stringify(error))]
    .filter(Boolean)
    .join('\n')
  note(line, { subtype: 'hook', status: 'error', message }, translation)
}

function notePermission(line: Line, translation: ClaudeContext): void {
  const { raw } = line
  const toolName = asString(raw.tool_name)
  const message =
    textOf(raw, 'message', 'reason', 'decision_reason') ?? `${toolName ?? 'a tool'} was not permitted`
  const data = omitUndefined({ toolName, toolUseId: asString(raw.tool_use_id) })
  note(line, { subtype: 'permission', message, data }, translation)
}

/** A message with words for the person is shown under its own name; any other that is not known is reported. */
function noteOther(line: Line, translation: ClaudeContext): void {
  const subtype = typeName(line.raw.subtype)
  const message = textOf(line.raw, 'content', 'message', 'text')
  if (message !== undefined) note(line, { subtype, message }, translation)
  else translation.reportUnknown('unknown-message', `system/${subtype}`)
}
