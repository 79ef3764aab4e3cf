import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asFiniteNumber, asString } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import type { ClaudeContext } from '../context.ts'
import { type Line, lineId } from '../lines/line.ts'
import { abandonTurn, isMainBusy } from './turn.ts'

/** Translates the `result` of a turn. It can be late if there are background agents, so a busy main stays busy. */
export function translateTurnResult(line: Line, context: ClaudeContext): void {
  const { raw } = line
  const { turn } = context.memory
  context.updateFacts(omitUndefined({ costUsd: asFiniteNumber(raw.total_cost_usd) }))
  const isError = raw.is_error === true
  const isAborted =
    asString(raw.terminal_reason)?.startsWith('aborted') === true || (isError && turn === 'interrupted')
  // An API error has a message of its own, and its result has the subtype `success`.
  if (isError && !isAborted && raw.subtype !== 'success') upsertTurnError(line, context)
  // A late result belongs to an earlier turn. But a failed result ends all work of main.
  if (isMainBusy(context) && !isError) return
  abandonTurn(context)
  context.remember({ turn: isAborted ? 'interrupted' : 'ended' })
}

function upsertTurnError(line: Line, context: ClaudeContext): void {
  const code = asString(line.raw.subtype)
  const errors = asArray(line.raw.errors).flatMap((error) => asString(error) ?? [])
  const message = errors.join('\n') || asString(line.raw.result) || code || 'the turn failed'
  const id = lineId(line, context)
  context.upsert(MAIN, omitUndefined({ type: 'error', id, status: 'error', message, code }))
}
