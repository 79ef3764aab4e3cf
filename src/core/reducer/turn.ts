import type { EventOf } from '../events/event.ts'
import { isEqual } from '../json/equal.ts'
import { omitUndefined } from '../json/fields.ts'
import { timeInMs } from '../json/lists.ts'
import { type ConversationBlock, isPendingWork, isPrompt } from '../state/block.ts'
import { MAIN } from '../state/session.ts'
import type { SessionTurn } from '../state/turn.ts'
import type { Batch } from './batch.ts'
import { abandonedIds } from './branches.ts'
import { finalizePending, reopenBlocks } from './finalize.ts'

/** Starts main's turn. The status of a subagent shows that the subagent runs, so the event changes nothing there. */
export function startTurn(
  batch: Batch,
  { conversationId = MAIN, timestamp, continues }: EventOf<'session:running'>,
): undefined {
  if (conversationId !== MAIN) return
  if (continues) continueTurn(batch)
  else markTurnRunning(batch, timestamp)
}

/** Undoes the cut of main's turn, if there was one. */
function continueTurn(batch: Batch): void {
  const { openBlocks } = batch.turn
  if (!openBlocks) return
  reopenBlocks(batch.getOrCreateThread(MAIN), openBlocks)
  reopenTurn(batch)
}

/** Makes the turn a running one again. Its blocks stay as they are. */
function reopenTurn(batch: Batch): void {
  const { openBlocks, startedAt } = batch.turn
  if (openBlocks) setTurn(batch, { status: 'running', startedAt })
}

/**
 * Starts main's turn if the new block proves that one runs: a prompt, or a pending block. An announced subagent does
 * so too (`upsertSubagent`). A block that returns from a branch proves nothing.
 */
export function startTurnByBlock(
  block: ConversationBlock,
  batch: Batch,
  timestamp: string | undefined,
): void {
  if (!isPendingWork(block) && !isPrompt(block)) return
  if (batch.turn.status === 'running') return
  if (!abandonedIds(batch.branches.items).blocks.has(block.id))
    markTurnRunning(batch, block.timestamp ?? timestamp)
}

/** Marks main's turn as running. A running turn only takes over a start that is not known yet. */
export function markTurnRunning(batch: Batch, timestamp: string | undefined): void {
  const { status, startedAt } = batch.turn
  setTurn(batch, {
    status: 'running',
    startedAt: status === 'running' ? (startedAt ?? timestamp) : timestamp,
  })
}

/**
 * Finalizes the pending blocks of the event's own conversation, and of no other. It ends the turn if that is main. A
 * turn that was cut ends as if it had not been.
 */
export function finalizeConversation(batch: Batch, event: EventOf<'session:idle'>): undefined {
  const { conversationId = MAIN, cut } = event
  const isMain = conversationId === MAIN
  if (cut && !(isMain && batch.turn.status === 'running')) return
  if (isMain) reopenTurn(batch)
  const thread = batch.thread(conversationId)
  const ids = thread && finalizePending(thread, 'complete')
  if (isMain) endTurn(batch, event, cut ? ids : undefined)
}

/**
 * Ends main's turn. An event without an outcome finishes a running turn. An outcome that arrives late corrects the
 * turn that has ended.
 */
function endTurn(
  batch: Batch,
  { outcome, error, timestamp, cut }: EventOf<'session:idle'>,
  openBlocks: readonly string[] | undefined,
): void {
  const { turn } = batch
  if (turn.status !== 'running' && !outcome) return
  const { startedAt, endedAt = timestamp } = turn
  const durationMs = timeInMs(endedAt) - timeInMs(startedAt)
  setTurn(batch, {
    status: outcome ?? (cut ? 'interrupted' : 'finished'),
    startedAt,
    endedAt,
    durationMs: durationMs >= 0 ? durationMs : undefined,
    error: error ?? (turn.status === outcome ? turn.error : undefined),
    openBlocks,
  })
}

type TurnFields = { readonly [Field in keyof SessionTurn]: SessionTurn[Field] | undefined } & {
  readonly status: SessionTurn['status']
}

function setTurn(batch: Batch, fields: TurnFields): void {
  const turn: SessionTurn = omitUndefined(fields)
  if (!isEqual(batch.turn, turn)) batch.turn = Object.freeze(turn)
}
