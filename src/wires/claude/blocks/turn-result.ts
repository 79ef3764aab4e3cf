import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asFiniteNumber, asString } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import type { TurnOutcome } from '../../../state/turn.ts'
import { lastTextOf } from '../agents/agent.ts'
import type { ClaudeContext } from '../context.ts'
import { type Line, lineId } from '../lines/line.ts'
import { lastMessageOf } from './model/message-stream.ts'
import { closeTurn, isMainBusy } from './turn.ts'

/** Translates the `result` of a turn. It can be late if there are background agents, so a busy main stays busy. */
export function translateTurnResult(line: Line, context: ClaudeContext): void {
  const { raw } = line
  context.updateFacts(omitUndefined({ costUsd: asFiniteNumber(raw.total_cost_usd) }))
  const outcome = outcomeOf(line, context)
  const error = outcome === 'failed' ? errorOf(line) : undefined
  // An API error has a message of its own, and its result has the subtype `success`.
  if (error !== undefined && raw.subtype !== 'success') upsertTurnError(line, error, context)
  // A late result belongs to an earlier turn. But a failed result ends all work of main.
  if ((isMainBusy(context) || isOfEarlierTurn(line, context)) && !isFailure(line)) return
  context.remember({ owesResult: undefined })
  closeTurn(omitUndefined({ outcome, error, timestamp: line.timestamp }), context)
}

/** Whether the program kept the result back while agents worked in the background, and main has answered again since. */
function isOfEarlierTurn({ raw }: Line, context: ClaudeContext): boolean {
  const messageId = lastMessageOf(MAIN, context)
  const begun = asArray(raw.begun_message_ids)
  if (begun.length > 0) return messageId !== undefined && !begun.includes(messageId)
  if (!context.notes.owesResult) return false
  const answer = lastTextOf({ toolUseId: MAIN }, context)
  return typeof raw.result === 'string' && raw.result !== '' && raw.result !== answer
}

/** Only newer versions name the reason of the end. In older ones, the message of an interruption precedes its result. */
function outcomeOf(line: Line, { turn }: ClaudeContext): TurnOutcome {
  const isAborted = asString(line.raw.terminal_reason)?.startsWith('aborted') === true
  const isStopped = turn.status === 'interrupted' && turn.openBlocks === undefined
  if (isAborted || isStopped) return 'interrupted'
  return isFailure(line) ? 'failed' : 'finished'
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
  const code = asString(line.raw.subtype)
  const id = lineId(line, context)
  context.upsert(MAIN, omitUndefined({ type: 'error', id, status: 'error', message, code }))
}
