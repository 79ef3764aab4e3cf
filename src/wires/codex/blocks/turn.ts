import { omitUndefined } from '../../../json/omit-undefined.ts'
import { execErrorId } from '../../../programs/codex/exec-id.ts'
import { withdrawRequestsOf } from '../../../session/rpc-requests.ts'
import { endRun, startRun, stopAgents } from '../agents/run.ts'
import { failAnnouncedAgents } from '../agents/spawn.ts'
import type { CodexContext } from '../context.ts'
import type { CodexEventOf, TurnError } from '../events/event.ts'
import type { KnownThread } from '../memory.ts'
import { showHeldCompaction } from './compaction.ts'
import { showHeldEntry, showHeldReport } from './history.ts'
import { showNote } from './system-block.ts'

/** Starts a turn of main, or a run of an agent. A turn that goes on when another one starts was stopped with its program. */
export function startTurn(
  threadId: string,
  { turnId, time }: CodexEventOf<'turn-started'>,
  context: CodexContext,
): void {
  const thread = context.factsOf(threadId)
  if (isOfEndedTurn({ turnId, time }, context) || (turnId !== undefined && thread.turnId === turnId)) return
  if (isResumedTurn(thread, time)) return void context.updateThread(threadId, { turnId, hasTurns: true })
  if (thread.isMain) {
    beginProcess(context)
    if (context.turn.status === 'running' && isStopped(thread, context)) stopTurn(threadId, context)
    else context.endAnsweredTurn()
    context.startTurn(time)
  } else startRun(threadId, context)
  context.updateThread(threadId, {
    turnId,
    hasTurns: true,
    openTextIds: [],
    replyId: undefined,
    lastText: undefined,
  })
}

/** Whether the turn is the last one of a resumed state, and its start comes again. */
function isResumedTurn({ resumedUntil }: KnownThread, time: string | undefined): boolean {
  return time !== undefined && resumedUntil !== undefined && time <= resumedUntil
}

/** Whether the running turn of the thread has been stopped, if another turn starts. A resumed state does not have the turn's id. */
function isStopped({ hasTurns, turnId, hasResumedWork }: KnownThread, context: CodexContext): boolean {
  return (hasTurns === true || turnId !== undefined || hasResumedWork === true) && !hasEnded(turnId, context)
}

/** Whether the end of a turn is older than the start of the running one. After a resume, the ids of turns do not show it. */
function isOfEarlierTurn(
  { isMain, resumedUntil }: KnownThread,
  time: string | undefined,
  context: CodexContext,
): boolean {
  const { status, startedAt } = context.turn
  if (!isMain || resumedUntil === undefined || status !== 'running') return false
  return time !== undefined && startedAt !== undefined && time <= startedAt
}

/** Counts a process of `codex exec` that may have begun before a resume. */
function beginProcess(context: CodexContext): void {
  const { isBetweenProcesses, processes } = context.memory
  if (isBetweenProcesses) context.remember({ processes: processes + 1, isBetweenProcesses: undefined })
}

function hasEnded(turnId: string | undefined, { memory }: CodexContext): boolean {
  return turnId !== undefined && memory.endedTurns.get(turnId) !== undefined
}

/** Whether the turn of an event is over. A resumed state has no turns, and only the time tells. */
export function isOfEndedTurn(
  { turnId, time }: Pick<CodexEventOf<'item'>, 'turnId' | 'time'>,
  context: CodexContext,
): boolean {
  const { resumedUntil } = context.memory
  if (hasEnded(turnId, context)) return true
  return time !== undefined && resumedUntil !== undefined && time <= resumedUntil
}

/** Stops a turn without an end of its own: the program was killed, and its agents with it. */
function stopTurn(threadId: string, context: CodexContext): void {
  showHeld(threadId, context)
  markEnded(context.factsOf(threadId).turnId, threadId, context)
  withdrawRequestsOf(context.conversationOf(threadId), context)
  failAnnouncedAgents(threadId, context)
  stopAgents(context)
  context.endTurn({ outcome: 'interrupted' })
}

function markEnded(turnId: string | undefined, threadId: string, context: CodexContext): void {
  if (turnId !== undefined) context.setEntry('endedTurns', turnId, threadId)
}

/** Shows the entries of the thread that have waited for others. */
export function showHeld(threadId: string, context: CodexContext): void {
  showHeldEntry(threadId, context)
  showHeldReport(threadId, context)
  showHeldCompaction(threadId, context)
}

/** Ends a turn of main, or a run of an agent. */
export function endTurn(threadId: string, event: CodexEventOf<'turn-ended'>, context: CodexContext): void {
  const { turnId, outcome, error, time, endedAt } = event
  const thread = context.factsOf(threadId)
  if (hasEnded(turnId, context) || isOfEarlierTurn(thread, time, context)) return
  showHeld(threadId, context)
  markEnded(turnId, threadId, context)
  withdrawRequestsOf(context.conversationOf(threadId), context)
  const place = turnId ?? threadId
  if (outcome !== 'finished') failAnnouncedAgents(threadId, context)
  if (outcome === 'interrupted')
    showNote(
      threadId,
      { id: `${place}:interruption`, subtype: 'interruption', message: 'Interrupted', time: endedAt },
      context,
    )
  if (error) showError(threadId, { ...error, id: errorId(event, context), time: endedAt }, context)
  if (thread.isMain) context.endTurn(omitUndefined({ outcome, error: error?.message, timestamp: time }))
  else endAgentTurn(threadId, event, context)
  context.updateThread(threadId, {
    turnId: turnId ?? thread.turnId,
    hasTurns: true,
    openTextIds: [],
    replyId: undefined,
  })
  if (event.endsProcess) stopAgents(context)
}

function errorId({ turnId, endsProcess }: CodexEventOf<'turn-ended'>, { memory }: CodexContext): string {
  return endsProcess || turnId === undefined ? execErrorId(memory.processes) : `${turnId}:error`
}

function endAgentTurn(
  threadId: string,
  { outcome, error, durationMs, lastText }: CodexEventOf<'turn-ended'>,
  context: CodexContext,
): void {
  const thread = context.factsOf(threadId)
  context.emit({ type: 'session:idle', conversationId: context.conversationOf(threadId) })
  const output = error?.message ?? lastText ?? (outcome === 'finished' ? thread.lastText : undefined)
  endRun(threadId, { status: outcome === 'finished' ? 'completed' : 'error', output, durationMs }, context)
}

interface ErrorBlock extends TurnError {
  readonly id: string
  readonly time?: string | undefined
}

/** Shows the reason of a turn that failed. */
export function showError(
  threadId: string,
  { id, message, code, time }: ErrorBlock,
  context: CodexContext,
): void {
  context.show(
    threadId,
    omitUndefined({ type: 'error', id, status: 'error', message, code, timestamp: time }),
  )
}
