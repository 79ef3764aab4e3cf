import { asFiniteNumber, asString, isObject } from '../../core/json/values.ts'
import { MAIN } from '../../core/state/session.ts'
import { CLAUDE_CODE } from '../../programs/claude-code/program.ts'
import { typeName } from '../../reading/context.ts'
import { translateAgentMeta } from './agents/agent-meta.ts'
import { rememberStoredEnds } from './agents/agent-run.ts'
import { registerAgentOfLine } from './agents/register-agent.ts'
import { completeQueuedNotification } from './agents/task-notification.ts'
import { translateAssistantLine } from './blocks/assistant.ts'
import { translateAttachmentLine } from './blocks/attachment.ts'
import { translateStreamEvent } from './blocks/model/stream-event.ts'
import { forgetDequeued, translateQueueOperation } from './blocks/queue.ts'
import { translateRetry, translateSystemLine } from './blocks/system.ts'
import { translateTurnResult } from './blocks/turn-result.ts'
import { translateUserLine } from './blocks/user.ts'
import type { ClaudeContext } from './context.ts'
import type { Line } from './lines/line.ts'
import { isKnownType } from './lines/line-types.ts'
import { rememberLine } from './lines/read-lines.ts'
import { translateFileSnapshot } from './prompts/checkpoints.ts'
import { forgetBrokenLine, translateLastPrompt, translateRequestMessage } from './prompts/repeated-prompt.ts'
import { takeBackAnswered, takeBackBranch, takeBackMarked } from './prompts/rewind.ts'
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
  else if (!context.notes.isStream && typeof raw.session_id === 'string' && isKnownType(raw.type))
    beginStream(context)
  registerAgentOfLine(line, context)
  forgetDequeued(line, context)
  forgetBrokenLine(line, context)
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
      return translateToolProgress(line, context)
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
      return context.remember({ streamedSession: undefined })
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

function beginStream(context: ClaudeContext): void {
  rememberStoredEnds(context)
  const isCatchingUp = context.blocksOf(MAIN).length > 0 ? true : undefined
  context.remember({ isStream: true, isCatchingUp })
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
export function reportUnknownType({ raw }: Line, context: ClaudeContext): void {
  if (!isKnownType(raw.type)) context.reportUnknown('unknown-message', typeName(raw.type))
}

/**
 * Files have no line for the session itself. Every line of main states some of its facts. A subagent's lines may name
 * another session and another folder.
 */
function updateSessionFacts({ raw, conversationId }: Line, context: ClaudeContext): void {
  if (conversationId !== MAIN) return
  const { id, cwd, version, program } = context.facts
  if (raw.sessionId === id && raw.cwd === cwd && raw.version === version && program === CLAUDE_CODE) return
  context.updateFacts({
    id: asString(raw.sessionId),
    cwd: asString(raw.cwd),
    version: asString(raw.version),
    program: CLAUDE_CODE,
  })
}

/** The program reports a retry inside a subagent as progress of the parent's call. */
function translateToolProgress(line: Line, context: ClaudeContext): void {
  if (isObject(line.raw.subagent_retry)) translateRetry(line, line.raw.subagent_retry, context)
}
