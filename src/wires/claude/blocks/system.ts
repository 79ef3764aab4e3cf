import { omitUndefined } from '../../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isString,
  type JsonObject,
} from '../../../core/json/values.ts'
import { messageIdOf } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import { CLAUDE_CODE } from '../../../programs/claude-code/program.ts'
import { typeName } from '../../../reading/context.ts'
import type { MainTurn } from '../../../reading/main-turn.ts'
import { COMPACTED } from '../../kit/blocks.ts'
import { completeKilledAgents } from '../agents/agent-run.ts'
import {
  translateTaskNotification,
  translateTaskStarted,
  translateTaskUpdated,
} from '../agents/task-events.ts'
import { translateWorkflowProgress } from '../agents/workflow.ts'
import { firstString, type Line } from '../lines/line.ts'
import type { ClaudeContext, ClaudeMemory } from '../notes.ts'
import { expectPrompt } from '../prompts/repeated-prompt.ts'
import { translateStreamedHook, upsertSystemBlock } from './system-block.ts'
import { closeTurn, isMainBusy } from './turn.ts'

/** Translates a message of the program about itself. Those that matter to a person become system blocks. */
export function translateSystemLine(line: Line, context: ClaudeContext): void {
  const { raw } = line
  switch (raw.subtype) {
    case 'init':
      return translateInit(line, context)
    case 'task_started':
      return translateTaskStarted(raw, context)
    case 'task_updated':
      return translateTaskUpdated(raw, context)
    case 'task_notification':
      return translateTaskNotification(raw, context)
    case 'compact_boundary':
      return translateCompaction(line, context)
    case 'api_retry':
    case 'api_error':
      return translateRetry(line, raw, context)
    case 'hook_started':
    case 'hook_response':
      return translateStreamedHook(line, context)
    case 'stop_hook_summary':
      return translateStopHooks(line, context)
    case 'permission_denied':
      return translatePermissionDenied(line, context)
    case 'status':
      return translateStatus(line, context.turn)
    case 'task_progress':
      return translateWorkflowProgress(raw, context)
    // The program's other messages carry the same progress and status.
    case 'thinking_tokens':
    case 'background_tasks_changed':
    case 'session_start':
      return
    case 'agents_killed':
      return completeKilledAgents(context)
    case 'turn_duration':
      return line.conversationId === MAIN ? context.turn.endAnswered() : undefined
    default:
      return translateOther(line, context)
  }
}

/** Translates a retry of a request to the model. Streams and files use different names for its fields. */
export function translateRetry(line: Line, retry: JsonObject, context: ClaudeContext): void {
  const attempt = asFiniteNumber(retry.attempt) ?? asFiniteNumber(retry.retryAttempt)
  const maxRetries = asFiniteNumber(retry.max_retries) ?? asFiniteNumber(retry.maxRetries)
  const error = asString(retry.error) ?? asString(asObject(retry.error).message)
  const errorStatus = asFiniteNumber(retry.error_status) ?? asFiniteNumber(asObject(retry.error).status)
  const delayMs = asFiniteNumber(retry.retry_delay_ms) ?? asFiniteNumber(retry.retryInMs)
  const message = ['retry', attempt, maxRetries && `of ${maxRetries}`].filter(Boolean).join(' ')
  const data = omitUndefined({ attempt, maxRetries, delayMs, errorStatus, error })
  upsertSystemBlock(line, { subtype: 'retry', message, data }, context)
}

/** Translates what the program does now: `requesting`, `compacting`, or nothing. */
function translateStatus({ raw, conversationId, timestamp }: Line, turn: MainTurn): void {
  if (conversationId === MAIN && typeof raw.status === 'string') turn.start(timestamp)
}

/** Translates `init`, which begins every turn of a stream. */
function translateInit(line: Line, context: ClaudeContext): void {
  const { raw } = line
  // The first one may be older than the history that the stream joins.
  if (context.notes.values.hasInit && isMainBusy(context)) closeTurn({ outcome: 'interrupted' }, context)
  context.notes.remember({ hasInit: true })
  expectPrompt(context.notes)
  context.turn.begin(line.timestamp)
  context.updateFacts({
    id: asString(raw.session_id),
    model: modelWithoutSize(asString(raw.model)),
    cwd: asString(raw.cwd),
    program: CLAUDE_CODE,
    version: asString(raw.claude_code_version),
    tools: Array.isArray(raw.tools) ? raw.tools.filter(isString) : undefined,
  })
}

/** Some versions append the context size to the model, as in `claude-opus-4-8[1m]`. Messages and files never do. */
function modelWithoutSize(model: string | undefined): string | undefined {
  return model?.replace(/\[[^[\]]*\]$/, '')
}

function translateCompaction(line: Line, context: ClaudeContext): void {
  const { raw, conversationId } = line
  const metadata = asObject(raw.compact_metadata ?? raw.compactMetadata)
  const data = omitUndefined({
    trigger: asString(metadata.trigger),
    preTokens: asFiniteNumber(metadata.pre_tokens) ?? asFiniteNumber(metadata.preTokens),
    postTokens: asFiniteNumber(metadata.post_tokens) ?? asFiniteNumber(metadata.postTokens),
  })
  const contextTokens = data.postTokens
  const keptBlockIds = keptBlocks(metadata, conversationId, context)
  context.notes.remember({ compactedConversation: conversationId })
  const facts = { subtype: 'compaction', message: COMPACTED, data, contextTokens, keptBlockIds }
  upsertSystemBlock(line, facts, context)
}

/**
 * Returns the blocks that the model has beside the summary: those of the last lines, from the first one that is named.
 * A state does not have the lines of the model. The last message of the model is always kept then.
 */
function keptBlocks(
  metadata: JsonObject,
  conversationId: string,
  memory: ClaudeMemory,
): readonly string[] | undefined {
  const uuids = asArray(asObject(metadata.preserved_messages ?? metadata.preservedMessages).uuids)
  if (uuids.length === 0) return undefined
  const { lastModelLines = [] } = memory.notes.values
  const named = new Set([
    ...uuids,
    ...lastModelLines.flatMap(({ uuid, blockIds }) => (uuids.includes(uuid) ? blockIds : [])),
  ])
  const blocks = memory.state.blocksOf(conversationId)
  const lastMessage = blocks.map(messageIdOf).findLast((id) => id !== undefined)
  const first = blocks.findIndex(({ id }) => named.has(id))
  const from = first === -1 ? blocks.findIndex((block) => messageIdOf(block) === lastMessage) : first
  const kept = blocks.slice(from).filter(({ type }) => KEPT_TYPES.has(type))
  return from === -1 || kept.length === 0 ? undefined : kept.map(({ id }) => id)
}

const KEPT_TYPES: ReadonlySet<string> = new Set([
  ...['user_message', 'assistant_text', 'thinking', 'tool_use', 'tool_result', 'subagent'],
])

/** Each hook has a block of its own. From their summary, only errors matter. */
function translateStopHooks(line: Line, context: ClaudeContext): void {
  const { hookErrors, preventedContinuation, stopReason } = line.raw
  const errors = asArray(hookErrors)
  if (errors.length === 0 && preventedContinuation !== true) return
  const message = [asString(stopReason), ...errors.map((error) => asString(error) ?? JSON.stringify(error))]
    .filter(Boolean)
    .join('\n')
  upsertSystemBlock(line, { subtype: 'hook', status: 'error', message }, context)
}

function translatePermissionDenied(line: Line, context: ClaudeContext): void {
  const { raw } = line
  const toolName = asString(raw.tool_name)
  const message =
    firstString(raw, 'message', 'reason', 'decision_reason') ?? `${toolName ?? 'a tool'} was not permitted`
  const data = omitUndefined({ toolName, toolUseId: asString(raw.tool_use_id) })
  upsertSystemBlock(line, { subtype: 'permission', message, data }, context)
}

/** An unknown message with a text becomes a block under its own name. Without a text it is reported. */
function translateOther(line: Line, context: ClaudeContext): void {
  const subtype = typeName(line.raw.subtype)
  const { message: error } = asObject(line.raw.error)
  const message = firstString(line.raw, 'content', 'message', 'text') ?? asString(error)
  if (message !== undefined) upsertSystemBlock(line, { subtype, message }, context)
  else context.reportUnknown('unknown-message', `system/${subtype}`)
}
