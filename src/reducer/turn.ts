import type { EventOf } from '../events/event.ts'
import { isEqual } from '../json/equal.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { type ConversationBlock, isPrompt } from '../state/block.ts'
import { MAIN } from '../state/session.ts'
import type { SessionTurn } from '../state/turn.ts'
import type { Batch } from './batch.ts'

/** Starts main's turn. The status of a subagent shows that the subagent runs, so the event changes nothing there. */
export function startTurn(
  batch: Batch,
  { conversationId = MAIN, timestamp }: EventOf<'session:running'>,
): undefined {
  if (conversationId === MAIN) runTurn(batch, timestamp)
}

/**
 * Starts main's turn if the new block proves that one runs: a prompt, or a pending block. An announced subagent does so too
 * (`upsertSubagent`). A pending note of the program proves nothing, because hooks run before and after turns too.
 */
export function startTurnOf(block: ConversationBlock, batch: Batch, timestamp: string | undefined): void {
  if (batch.turn.status === 'running' || block.conversationId !== MAIN || block.type === 'system') return
  if (block.status === 'pending' || isPrompt(block)) runTurn(batch, block.timestamp ?? timestamp)
}

/** Starts main's turn. A running turn only takes over a start that is not known yet. */
export function runTurn(batch: Batch, startedAt: string | undefined): void {
  const start = batch.turn.status === 'running' ? (batch.turn.startedAt ?? startedAt) : startedAt
  setTurn(batch, { status: 'running', startedAt: start })
}

/**
 * Ends main's turn. An event without an outcome finishes a running turn. An outcome that arrives late corrects the turn that has
 * ended.
 */
export function endTurn(
  batch: Batch,
  { outcome, error, timestamp }: Omit<EventOf<'session:idle'>, 'conversationId'>,
): void {
  const { status, startedAt, endedAt: before, error: errorBefore } = batch.turn
  if (status !== 'running' && outcome === undefined) return
  const isSame = status === outcome
  const endedAt = before ?? timestamp
  setTurn(batch, {
    status: outcome ?? 'finished',
    startedAt,
    endedAt,
    durationMs: durationOf(startedAt, endedAt),
    error: error ?? (isSame ? errorBefore : undefined),
  })
}

type TurnFields = { readonly [Field in keyof SessionTurn]: SessionTurn[Field] | undefined } & {
  readonly status: SessionTurn['status']
}

function setTurn(batch: Batch, fields: TurnFields): void {
  const turn: SessionTurn = omitUndefined(fields)
  if (!isEqual(batch.turn, turn)) batch.turn = Object.freeze(turn)
}

function durationOf(startedAt = '', endedAt = ''): number | undefined {
  const duration = Date.parse(endedAt) - Date.parse(startedAt)
  return duration >= 0 ? duration : undefined
}
