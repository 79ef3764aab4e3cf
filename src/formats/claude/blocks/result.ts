import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asFiniteNumber, asString } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import type { ClaudeContext } from '../context.ts'
import { type Line, lineId } from '../lines/line.ts'
import { giveUpTurn, isUnderWay } from './turn.ts'

/**
 * A turn's result. With background agents it can be late, so it makes main idle only while nothing there is under way.
 */
export function endTurn(line: Line, translation: ClaudeContext): void {
  const { raw } = line
  const { memory } = translation
  translation.updateFacts(omitUndefined({ costUsd: asFiniteNumber(raw.total_cost_usd) }))
  const isError = raw.is_error === true
  const isAborted =
    asString(raw.terminal_reason)?.startsWith('aborted') === true ||
    (isError && memory.turn === 'interrupted')
  // An API error is a message of its own, and its result is called a success.
  if (isError && !isAborted && raw.subtype !== 'success') noteFailure(line, translation)
  // A late result of an earlier turn finds main at work again; one that failed ends whatever main was at.
  if (isUnderWay(translation) && !isError) return
  giveUpTurn(translation)
  translation.remember({ turn: isAborted ? 'interrupted' : 'ended' })
}

function noteFailure(line: Line, translation: ClaudeContext): void {
  const code = asString(line.raw.subtype)
  const errors = asArray(line.raw.errors).flatMap((error) => asString(error) ?? [])
  const message = errors.join('\n') || asString(line.raw.result) || code || 'the turn failed'
  const id = lineId(line, translation)
  translation.upsert(MAIN, omitUndefined({ type: 'error', id, status: 'error', message, code }))
}
