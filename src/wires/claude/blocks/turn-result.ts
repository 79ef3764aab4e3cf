import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asFiniteNumber, asString } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { TurnEnd } from '../../../reading/turn.ts'
import { lastTextOf } from '../agents/agent.ts'
import type { ClaudeContext } from '../context.ts'
import { type Line, lineId } from '../lines/line.ts'
import { lastMessageOf } from './model/message-stream.ts'
import { closeTurn, isMainBusy, repeatTurnEnd } from './turn.ts'

/** Translates the `result` of a turn. It can be late if there are background agents, so a busy main stays busy. */
export function translateTurnResult(line: Line, context: ClaudeContext): void {
  const { raw } = line
  context.updateFacts({ costUsd: asFiniteNumber(raw.total_cost_usd) })
  if (isRepeatedResult(context)) return repeatTurnEnd(context)
  const known = knownEnd(context)
  const end = known ?? endOf(line)
  // An API error has a message of its own, and its result has the subtype `success`.
  if (!known && end.error !== undefined && raw.subtype !== 'success')
    upsertTurnError(line, end.error, context)
  // A late result belongs to an earlier turn. But a failed result ends all work of main.
  if ((isMainBusy(context) || isOfEarlierTurn(line, context)) && !isFailure(line)) return
  context.remember({ owesResult: undefined })
  closeTurn(omitUndefined({ ...end, timestamp: line.timestamp }), context)
}

/** Whether a reconnect repeats the result of an earlier turn: the last message that it has repeated is none of the last turn. */
function isRepeatedResult(context: ClaudeContext): boolean {
  const { repeatedMessage, lastTurn, isCatchingUp } = context.notes
  if (repeatedMessage === undefined || !isCatchingUp) return false
  return (
    lastTurn !== undefined ||
    isMainBusy(context) ||
    context.openBlocks(MAIN).some(({ type }) => type !== 'system')
  )
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

/** Returns the end of a turn that is over. The result may be that of an earlier turn, and in older versions the message of an interruption precedes its result. */
function knownEnd({ turn, notes }: ClaudeContext): TurnEnd | undefined {
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
  const code = asString(line.raw.subtype)
  const id = lineId(line, context)
  context.upsert(MAIN, { type: 'error', id, status: 'error', message, code })
}
