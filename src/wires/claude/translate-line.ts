import { omitUndefined } from '../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from '../../core/json/values.ts'
import { MAIN } from '../../core/state/session.ts'
import { CLAUDE_CODE } from '../../programs/claude-code/program.ts'
import { contentParts } from '../../programs/claude-code/texts.ts'
import { type SessionOutput, typeName } from '../../reading/context.ts'
import type { TurnEnd } from '../../reading/turn.ts'
import { errorBlock } from '../kit/blocks.ts'
import { lastTextOf } from './agents/agent.ts'
import { rememberStoredEnds } from './agents/agent-run.ts'
import { registerAgentOfLine } from './agents/register-agent.ts'
import { completeQueuedNotification } from './agents/task-events.ts'
import { translateAgentMeta } from './agents/teammate.ts'
import { translateAssistantLine } from './blocks/assistant.ts'
import { lastMessageOf } from './blocks/model/message-stream.ts'
import { translateStreamEvent } from './blocks/model/stream-event.ts'
import { forgetDequeued, translateQueueOperation } from './blocks/queue.ts'
import { translateRetry, translateSystemLine } from './blocks/system.ts'
import { translateAttachedHook, upsertSystemBlock } from './blocks/system-block.ts'
import { answerTurn, closeTurn, isMainBusy, repeatTurnEnd } from './blocks/turn.ts'
import { translateUserLine } from './blocks/user.ts'
import { isKnownType, type Line, lineId } from './lines/line.ts'
import { rememberLine } from './lines/read-lines.ts'
import type { ClaudeContext, ClaudeMemory } from './notes.ts'
import { forgetBrokenLine, translateLastPrompt, translateRequestMessage } from './prompts/repeated-prompt.ts'
import { takeBackAnswered, takeBackBranch, takeBackMarked, translateFileSnapshot } from './prompts/rewind.ts'
import {
  translateControlCancel,
  translateControlRequest,
  translateControlResponse,
} from './requests/control-lines.ts'

/** Translates one line into events. Each line also states facts about the session and about its agent. */
export function translateLine(line: Line, context: ClaudeContext): void {
  const { raw } = line
  if (typeof raw.sessionId === 'string') updateSessionFacts(line, context)
  // From 2.1.231 on, lines of a file have both names. A stream's line has the snake case name alone.
  else if (!context.notes.values.isStream && typeof raw.session_id === 'string' && isKnownType(raw.type))
    beginStream(context)
  registerAgentOfLine(line, context)
  forgetDequeued(line, context.notes)
  forgetBrokenLine(line, context.notes)
  switch (raw.type) {
    case 'assistant':
      return translateAssistantLine(line, context)
    case 'user':
      takeBackBranch(line, context)
      return translateUserLine(line, context)
    case 'stream_event':
      return translateStreamEvent(line, context)
    case 'system':
      return translateSystemLine(line, context)
    case 'result':
      // A workflow's journal has a line for the result of each step. It has no subtype, and ends no turn.
      return raw.subtype === undefined && raw.key !== undefined
        ? undefined
        : translateTurnResult(line, context)
    case 'tool_progress':
      // The program reports a retry inside a subagent as progress of the parent's call.
      return isObject(raw.subagent_retry) ? translateRetry(line, raw.subagent_retry, context) : undefined
    case 'attachment':
      return translateAttachmentLine(line, context)
    case 'agent_meta':
      return translateAgentMeta(raw, context)
    case 'queue-operation':
      completeQueuedNotification(raw, context)
      return translateQueueOperation(line, context)
    case 'control_request':
      return translateControlRequest(raw, context)
    case 'control_cancel_request':
      return translateControlCancel(raw, context)
    case 'control_response':
      takeBackAnswered(line, context)
      return translateControlResponse(raw, context)
    case 'conversation_reset':
      // The stream goes on with another session.
      return context.notes.remember({ streamedSession: undefined })
    case 'last-prompt':
      takeBackMarked(line, context)
      return translateLastPrompt(line, context)
    case 'api-request-blob':
      return translateRequestMessage(line, context)
    case 'file-history-snapshot':
      return translateFileSnapshot(raw, context)
    case 'cost-state':
      return context.updateFacts({ costUsd: asFiniteNumber(raw.totalCostUSD) })
    default:
      return reportUnknownType(line, context)
  }
}

function beginStream(memory: ClaudeMemory): void {
  rememberStoredEnds(memory)
  const isCatchingUp = memory.state.blocksOf(MAIN).length > 0 ? true : undefined
  memory.notes.remember({ isStream: true, isCatchingUp })
}

/** Translates buffered lines whose agent is decided, and remembers them. A buffer may hold the same line twice. */
export function translateReleased(lines: Iterable<Line>, context: ClaudeContext): void {
  for (const line of lines) {
    if (line.isRepeated) continue
    translateLine(line, context)
    rememberLine(line, context)
  }
}

/** Reports the line's type, unless the type is known to hold nothing for a conversation. */
export function reportUnknownType({ raw }: Line, output: SessionOutput): void {
  if (!isKnownType(raw.type)) output.reportUnknown('unknown-message', typeName(raw.type))
}

/**
 * Files have no line for the session itself. Every line of main states some of its facts. A subagent's lines may name
 * another session and another folder, so the facts of main win.
 */
function updateSessionFacts({ raw, conversationId }: Line, output: SessionOutput): void {
  const { id, cwd, version, program } = output.state.facts
  // The file of an agent may be all that there is.
  if (conversationId !== MAIN)
    return id === undefined ? output.updateFacts({ id: asString(raw.sessionId) }) : undefined
  const isKnown = (stated: unknown, known: string | undefined) => stated === undefined || stated === known
  const isSame = raw.sessionId === id && isKnown(raw.cwd, cwd) && isKnown(raw.version, version)
  if (isSame && program === CLAUDE_CODE) return
  output.updateFacts({
    id: asString(raw.sessionId),
    cwd: asString(raw.cwd),
    version: asString(raw.version),
    program: CLAUDE_CODE,
  })
}

/** Translates the `result` of a turn. It can be late if there are background agents, so a busy main stays busy. */
function translateTurnResult(line: Line, context: ClaudeContext): void {
  const { raw } = line
  context.updateFacts({ costUsd: asFiniteNumber(raw.total_cost_usd) })
  if (isRepeatedResult(context)) return repeatTurnEnd(context)
  const isInterruption = isLateInterruption(raw, context.notes.values)
  if (isInterruption && context.notes.values.lastTurn) return repeatTurnEnd(context)
  const known = knownEnd(context)
  const end = known ?? (isInterruption ? { outcome: 'interrupted' as const } : endOf(line))
  // An API error has a message of its own, and its result has the subtype `success`.
  if (!known && end.error !== undefined && raw.subtype !== 'success')
    upsertTurnError(line, end.error, context)
  // A late result belongs to an earlier turn. But a failed result ends all work of main.
  if ((isMainBusy(context) || isOfEarlierTurn(line, context)) && !isFailure(line)) return
  context.notes.remember({ owesResult: undefined })
  closeTurn(omitUndefined({ ...end, timestamp: line.timestamp }), context)
}

/** Whether a reconnect repeats the result of an earlier turn: the last message that it has repeated is none of the last turn. */
function isRepeatedResult(memory: ClaudeMemory): boolean {
  const { repeatedMessage, lastTurn, isCatchingUp } = memory.notes.values
  if (repeatedMessage === undefined || !isCatchingUp) return false
  return (
    lastTurn !== undefined ||
    isMainBusy(memory) ||
    memory.state.firstOpenBlock(MAIN, ({ type }) => type !== 'system') !== undefined
  )
}

/**
 * Whether the result is that of an interrupted turn, and the stream has added nothing whole to the history: the line
 * of the interruption came before. Versions before 2.1 call it an error that is none.
 */
function isLateInterruption(
  { subtype, is_error }: JsonObject,
  notes: ClaudeContext['notes']['values'],
): boolean {
  return notes.isCatchingUp === true && subtype === 'error_during_execution' && is_error === false
}

/**
 * Whether the program kept the result back while agents worked in the background, and main has answered again since.
 * A result names the messages that have streamed. If one broke off, its repetition comes whole and has no name there.
 */
function isOfEarlierTurn({ raw }: Line, memory: ClaudeMemory): boolean {
  const messageId = lastMessageOf(MAIN, memory.state)
  const begun = asArray(raw.begun_message_ids)
  const answer = lastTextOf({ toolUseId: MAIN }, memory.state)
  const hasText = typeof raw.result === 'string' && raw.result !== ''
  if (begun.length > 0)
    return messageId !== undefined && !begun.includes(messageId) && !(hasText && raw.result === answer)
  return memory.notes.values.owesResult === true && hasText && raw.result !== answer
}

/**
 * Returns the end of a turn that is over. The result may be that of an earlier turn, and in older versions the
 * message of an interruption precedes its result.
 */
function knownEnd({ notes: { values: notes }, state: { turn } }: ClaudeMemory): TurnEnd | undefined {
  const { status, openBlocks, error } = turn
  if (status === 'idle' || status === 'running' || openBlocks !== undefined) return undefined
  return notes.owesResult || notes.answer ? undefined : omitUndefined({ outcome: status, error })
}

/** Only newer versions name the reason of the end. */
function endOf(line: Line): TurnEnd {
  if (asString(line.raw.terminal_reason)?.startsWith('aborted')) return { outcome: 'interrupted' }
  return isFailure(line) ? { outcome: 'failed', error: errorOf(line) } : { outcome: 'finished' }
}

/** Older versions do not mark that the limit of turns was reached as an error. */
function isFailure({ raw }: Line): boolean {
  return raw.is_error === true || asString(raw.subtype)?.startsWith('error_') === true
}

function errorOf({ raw }: Line): string {
  const errors = asArray(raw.errors).flatMap((error) => asString(error) ?? [])
  return errors.join('\n') || asString(raw.result) || asString(raw.subtype) || 'the turn failed'
}

function upsertTurnError(line: Line, message: string, context: ClaudeContext): void {
  const facts = { id: lineId(line, context.notes), message, code: asString(line.raw.subtype) }
  context.upsert(MAIN, errorBlock(facts, 'error'))
}

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
function translateAttachmentLine(line: Line, context: ClaudeContext): void {
  const attachment = asObject(line.raw.attachment)
  const type = typeName(attachment.type)
  if (CONTEXT_TYPES.has(type)) return
  if (type.startsWith('hook_')) return translateAttachedHook(line, attachment, context)
  if (type === 'goal_status') return showGoal(line, attachment, context)
  if (type === 'structured_output') {
    // The program has taken the model's answer as JSON. The call and its result are lines of their own.
    if (line.conversationId === MAIN) answerTurn(omitUndefined({ timestamp: line.timestamp }), context)
    return
  }
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

function endAtTurnLimit(line: Line, context: ClaudeContext): void {
  const { conversationId, timestamp } = line
  const message = 'Turn limit reached'
  upsertSystemBlock(line, { subtype: 'max_turns_reached', message }, context)
  if (conversationId === MAIN)
    answerTurn(omitUndefined({ outcome: 'failed', error: message, timestamp }), context)
}
