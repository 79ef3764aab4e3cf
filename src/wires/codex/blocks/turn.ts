import { type ConversationBlock, isPrompt } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { SessionTurn } from '../../../core/state/turn.ts'
import { execErrorId } from '../../../programs/codex/tool-names.ts'
import { errorBlock, noteBlock } from '../../kit/blocks.ts'
import { endOwnRun, failAllAnnounced, stopAgents } from '../agents/run.ts'
import { type CodexContext, type CodexMemory, UNNAMED } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import { leaveFork } from '../threads.ts'
import { failOpenCalls } from './command.ts'
import { showBufferedCompaction } from './compaction.ts'
import { showBufferedEntry, showBufferedReport } from './history.ts'
import { showPlan } from './proposed-plan.ts'
import { noteRound } from './rewind.ts'

/** Starts a turn of main, or a run of an agent. A turn that goes on when another one starts was stopped with its program. */
export function startTurn(
  threadId: string,
  event: CodexEventOf<'turn-started'>,
  context: CodexContext,
): void {
  const key = context.threadKey(threadId)
  // The turn of an agent that reviews may name main's thread. It works for main's turn.
  const turnId = key === MAIN ? (event.rootTurnId ?? event.turnId) : event.turnId
  const { time } = event
  if (isOfEndedTurn({ turnId, time }, context.notes.values)) return
  if (turnId === undefined && isOfExecAgent(key, context)) return
  if (turnId !== undefined && context.notes.values.turns.get(key) === turnId) return
  if (!isKnownTurn(key, time, context.notes.values)) {
    if (key === MAIN) startMainTurn(threadId, time, context)
    // Later turns of an agent are further tasks for it.
    else if (context.state.hasEnded(threadId))
      context.emit({ type: 'subagent:resumed', toolUseId: context.conversationOf(threadId) })
    context.notes.removeEntry('replies', key)
    if (key === MAIN) noteRound(threadId, event, context)
  }
  context.notes.setEntry('turns', key, turnId ?? '')
}

/** Ends the turn of a process of `codex exec` that has not reported its end, because the next process begins. */
export function endProcess(context: CodexContext): void {
  if (isUnfinished(context.state.turn) && isStopped(context)) stopTurn(UNNAMED, context)
}

/**
 * Whether a turn without an id is that of an agent. A process of `codex exec` has one turn of main, and early versions
 * do not name the thread of another one.
 */
function isOfExecAgent(key: string, { notes: { values: notes }, state: { turn } }: CodexMemory): boolean {
  return key === MAIN && notes.processes !== undefined && isUnfinished(turn)
}

function startMainTurn(threadId: string, time: string | undefined, context: CodexContext): void {
  // The process may have begun before the source went on from a state.
  if (context.notes.values.isBetweenProcesses) context.beginProcess()
  if (isUnfinished(context.state.turn) && isStopped(context)) stopTurn(threadId, context)
  else context.turn.endAnswered()
  leaveFork(threadId, time, context)
  context.turn.start(time)
}

/** Whether the turn is the last one in the state that the source went on from, and its start comes again. */
function isKnownTurn(key: string, time: string | undefined, notes: CodexContext['notes']['values']): boolean {
  const until = notes.knownUntil.get(key)
  return time !== undefined && until !== undefined && time <= until
}

/** Whether the turn runs, or did until the input ended. */
function isUnfinished({ status, openBlocks }: SessionTurn): boolean {
  return status === 'running' || openBlocks !== undefined
}

/**
 * Whether main's running turn has been stopped, if another turn starts. A turn from an earlier state has started if
 * it has more than its prompt.
 */
function isStopped(memory: CodexMemory): boolean {
  const { turns, endedTurns, knownUntil } = memory.notes.values
  const turnId = turns.get(MAIN)
  if (turnId !== undefined) return endedTurns.get(turnId) === undefined
  const last = memory.state.blocksOf(MAIN).at(-1)
  return knownUntil.get(MAIN) !== undefined && last !== undefined && last.type !== 'user_message'
}

/** Whether the end of a turn is older than the start of the running one, in a state that does not show the ids of turns. */
function isOfEarlierTurn(threadId: string, time: string | undefined, memory: CodexMemory): boolean {
  const {
    notes: { values: notes },
    state: { turn },
  } = memory
  if (!memory.isMain(threadId) || notes.knownUntil.get(MAIN) === undefined || !isUnfinished(turn))
    return false
  return time !== undefined && turn.startedAt !== undefined && time <= turn.startedAt
}

/** Whether the turn of an event is over. In a state that the source went on from, only the time shows it. */
export function isOfEndedTurn(
  { turnId, time }: Pick<CodexEventOf<'item'>, 'turnId' | 'time'>,
  { endedTurns, endedUntil }: CodexContext['notes']['values'],
): boolean {
  if (turnId !== undefined && endedTurns.get(turnId) !== undefined) return true
  return time !== undefined && endedUntil !== undefined && time <= endedUntil
}

/** Stops main's turn, which has no end of its own: the program was killed, and its agents with it. */
function stopTurn(threadId: string, context: CodexContext): void {
  showBuffered(threadId, context)
  const turnId = context.notes.values.turns.get(MAIN)
  if (turnId) context.notes.setEntry('endedTurns', turnId, true)
  stopAgents(context)
  context.turn.end({ outcome: 'interrupted' })
}

/** Shows the entries of the thread that have waited for others. */
export function showBuffered(threadId: string, context: CodexContext): void {
  showBufferedEntry(threadId, context)
  showBufferedReport(threadId, context)
  showPlan(threadId, context)
  showBufferedCompaction(threadId, context)
}

/** Ends a turn of main, or a run of an agent. */
export function endTurn(threadId: string, ended: CodexEventOf<'turn-ended'>, context: CodexContext): void {
  const event = hasFailed(threadId, ended, context) ? { ...ended, outcome: 'failed' as const } : ended
  const shown = event.outcome === 'failed' ? shownError(threadId, context) : undefined
  const { turnId, outcome, error, time, endedAt } = event
  if (turnId !== undefined && context.notes.values.endedTurns.get(turnId) !== undefined) return
  if (isOfEarlierTurn(threadId, time, context)) return
  if (context.isMain(threadId) && isOfEndedTurn({ time }, context.notes.values)) return
  showBuffered(threadId, context)
  if (outcome !== 'finished') failAllAnnounced(threadId, context)
  if (outcome === 'interrupted') {
    const id = `${turnId ?? threadId}:interruption`
    failOpenCalls(threadId, context)
    const note = { id, subtype: 'interruption', message: 'Interrupted', timestamp: endedAt }
    context.show(threadId, noteBlock(note))
  }
  if (error && error.message !== shown) {
    const facts = { ...error, id: errorId(event, context.notes.values), timestamp: endedAt }
    context.show(threadId, errorBlock(facts, 'error'))
  }
  if (context.isMain(threadId)) context.turn.end({ outcome, error: error?.message ?? shown, timestamp: time })
  else endAgentTurn(threadId, event, context)
  noteEnd(threadId, turnId, context)
  if (event.endsProcess) stopAgents(context)
}

/**
 * Whether a turn has failed without an error. Versions without items store no error: such a turn has no last text. A
 * turn without a prompt, such as one that sums up the conversation, has none either, and a plan is no such text.
 */
function hasFailed(
  threadId: string,
  { isWithoutText }: CodexEventOf<'turn-ended'>,
  memory: CodexMemory,
): boolean {
  const { reports, rounds } = memory.notes.values
  const key = memory.threadKey(threadId)
  if (!isWithoutText || reports.get(key) === 'items') return false
  if (memory.notes.values.proposedPlans.get(key)) return false
  return memory.isMain(threadId) ? rounds?.at(-1)?.hasPrompt === true : true
}

/** Returns the last error of the turn. A rollout may have it as an entry of its own, before the end of the turn. */
function shownError(threadId: string, context: CodexContext): string | undefined {
  const blocks = context.state.blocksOf(context.conversationOf(threadId))
  const found = blocks.findLast((block) => block.type === 'error' || isPrompt(block))
  return found?.type === 'error' ? found.message : undefined
}

function noteEnd(threadId: string, turnId: string | undefined, memory: CodexMemory): void {
  const key = memory.threadKey(threadId)
  if (turnId !== undefined) memory.notes.setEntry('endedTurns', turnId, true)
  if (key === MAIN) {
    memory.notes.remember({ isInReview: undefined })
    memory.notes.setEntry('turns', MAIN, turnId ?? memory.notes.values.turns.get(MAIN) ?? '')
  } else if (memory.notes.values.turns.get(key) === turnId) memory.notes.removeEntry('turns', key)
  memory.notes.removeEntry('replies', key)
  memory.notes.removeEntry('proposedPlans', key)
}

function errorId(
  { turnId, endsProcess }: CodexEventOf<'turn-ended'>,
  notes: CodexContext['notes']['values'],
): string {
  return endsProcess || turnId === undefined ? execErrorId(notes.processes ?? 0) : `${turnId}:error`
}

function endAgentTurn(
  threadId: string,
  { outcome, error, durationMs, lastText }: CodexEventOf<'turn-ended'>,
  context: CodexContext,
): void {
  const isFinished = outcome === 'finished'
  const text = isFinished ? textOf(context.state.blocksOf(context.conversationOf(threadId))) : undefined
  const output = error?.message ?? lastText ?? text
  endOwnRun(threadId, { status: isFinished ? 'completed' : 'error', output, durationMs }, context)
}

/** Returns the last whole text after the last prompt. */
function textOf(blocks: readonly ConversationBlock[]): string | undefined {
  for (let at = blocks.length - 1; at >= 0; at -= 1) {
    const block = blocks[at]
    if (block?.type === 'user_message') return undefined
    if (block?.type === 'assistant_text' && block.status === 'complete') return block.content
  }
  return undefined
}
