import { omitUndefined, withChanges } from '../../../core/json/fields.ts'
import { timeInMs } from '../../../core/json/lists.ts'
import {
  type ConversationBlock,
  isRewindMark,
  REWIND,
  REWOUND,
  toolResultBlockId,
} from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { noteBlock } from '../../kit/blocks.ts'
import type { CodexMemory } from '../context.ts'
import { type CodexContext, UNNAMED } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import type { RewindPlace, Round } from '../notes.ts'

// A person may take back the last turns of main. Earlier versions write a line for it (`thread_rolled_back`), and
// count the tokens on. Later ones begin another file that names the place in the earlier one where it goes on, and
// count the tokens from there. The app-server has the client's request and its response. A note without a place
// follows them (`thread/reverted`).

/** The beginning of the id of a mark. */
const MARK = 'rewind:'

/** Notes that a turn of main begins. */
export function noteRound(
  threadId: string,
  { turnId, ordinal }: CodexEventOf<'turn-started'>,
  memory: CodexMemory,
): void {
  const { earlierMainIds, totals } = memory.notes.values
  const forkId = earlierMainIds.isEmpty ? undefined : threadId
  addRound(omitUndefined({ turnId, forkId, ordinal, total: totals.get(threadId) }), memory)
}

/** Notes the prompt of main's turn before it is shown. Further prompts of a turn steer it. A version without turns has only prompts. */
export function notePrompt(ordinal: number | undefined, memory: CodexMemory): void {
  const { rounds = [], turns, endedTurns } = memory.notes.values
  const turnId = turns.get(MAIN)
  const last = rounds.at(-1)
  const isOver = turnId === undefined ? last?.hasPrompt : endedTurns.get(turnId)
  if (!last || isOver) addRound(omitUndefined({ hasPrompt: true, ordinal }), memory)
  else if (!last.hasPrompt)
    memory.notes.remember({
      rounds: [
        ...rounds.slice(0, -1),
        withChanges(last, omitUndefined({ hasPrompt: true, ordinal: last.ordinal ?? ordinal })),
      ],
    })
}

function addRound(round: Omit<Round, 'after'>, memory: CodexMemory): void {
  const after = memory.state.blocksOf(MAIN).at(-1)?.id
  const added: Round = after === undefined ? round : withChanges<Round>(round, { after })
  memory.notes.remember({ rounds: [...(memory.notes.values.rounds ?? []), added] })
}

/** Moves the turns that a person has taken back to a branch of their own. */
export function rewind(place: RewindPlace, time: string | undefined, context: CodexContext): void {
  const index = firstRound(context.notes.values.rounds ?? [], place)
  if (index < 0 || isRepeated(place, time, context)) return
  const first = takeBack(index, { time }, context)
  if (place.countsAgain) resetTotal(first?.total, context)
}

/** Moves that turn of main and all later ones to a branch. Returns the turn. */
export function takeBack(index: number, place: RewindNote, context: CodexContext): Round | undefined {
  const { rounds = [] } = context.notes.values
  const first = rounds[index]
  if (!first) return undefined
  abandon(blocksAfter(first, context.state), { first, ...place }, context)
  context.notes.remember({ rounds: rounds.slice(0, index) })
  context.notes.removeEntry('replies', MAIN)
  return first
}

/** Whether the turns have been taken back already. A message may come twice. */
function isRepeated({ beforeTurnId }: RewindPlace, time: string | undefined, memory: CodexMemory): boolean {
  const { rounds, endedTurns } = memory.notes.values
  if (beforeTurnId !== undefined && endedTurns.get(beforeTurnId))
    return rounds?.some(({ turnId }) => turnId === beforeTurnId) !== true
  const branches = memory.state.branches.flatMap(({ blocks }) => blocks)
  return [...memory.state.blocksOf(MAIN), ...branches].some(
    (block) => time !== undefined && isRewindMark(block) && block.timestamp === time,
  )
}

/** Returns the place of the first round that is taken back. A turn without a prompt goes with the one before it. */
function firstRound(rounds: readonly Round[], { turns, beforeTurnId, ordinal }: RewindPlace): number {
  const named = rounds.findIndex(
    (round) =>
      (beforeTurnId !== undefined && round.turnId === beforeTurnId) ||
      (ordinal !== undefined && round.ordinal !== undefined && round.ordinal >= ordinal),
  )
  if (named >= 0 || turns === undefined) return named
  const prompted = rounds.flatMap(({ hasPrompt }, index) => (hasPrompt ? [index] : []))
  return prompted.at(-Math.min(turns, prompted.length) || prompted.length) ?? -1
}

function blocksAfter({ after }: Round, state: SessionLookups): readonly ConversationBlock[] {
  const blocks = state.blocksOf(MAIN)
  return blocks.slice(blocks.findIndex(({ id }) => id === after) + 1)
}

interface RewindNote {
  readonly time: string | undefined
  readonly message?: string
}

interface Rewind extends RewindNote {
  /** The first round that is taken back. */
  readonly first: Round
}

/** Moves blocks to a branch. Late results of calls in earlier turns stay. */
function abandon(
  blocks: readonly ConversationBlock[],
  { first: { after }, time, message = REWOUND }: Rewind,
  context: CodexContext,
): void {
  const threadId = context.state.facts.id ?? UNNAMED
  const all = new Set(blocks.map(({ id }) => id))
  const blockIds = blocks.flatMap((block) =>
    block.type === 'tool_result' && !all.has(block.toolUseId) ? [] : [block.id],
  )
  if (blockIds[0] === undefined) return
  // The state has the ids of blocks, and none of turns.
  const id = MARK + blockIds[0]
  const data = { from: blockIds.at(-1), to: after ?? null, blockIds }
  // The mark comes first, so that a branch never names a block that is not there.
  context.show(threadId, noteBlock({ id, subtype: REWIND, message, data, timestamp: time }))
  for (const blockId of blockIds)
    for (const each of [blockId, toolResultBlockId(blockId)])
      context.notes.setEntry('removedItems', context.itemKey(threadId, each), true)
  context.emit({ type: 'branch:abandoned', branchId: id, blockIds })
}

function resetTotal(total: number | undefined, memory: CodexMemory): void {
  const threadId = memory.state.facts.id ?? UNNAMED
  if (total === undefined) memory.notes.removeEntry('totals', threadId)
  else memory.notes.setEntry('totals', threadId, total)
}

/** Notes a client's request to take turns back. The response shows that it happened. */
export function noteRewind(
  { threadId, requestId, place }: CodexEventOf<'rewind-request'>,
  memory: CodexMemory,
): void {
  if (memory.isMain(threadId)) memory.notes.setEntry('rewinds', requestId, place)
}

/** Takes turns back if the response is that to such a request. */
export function readRewindResponse(
  { requestId, threadId, lastTurnId, isError }: CodexEventOf<'response'>,
  context: CodexContext,
): void {
  const place = context.notes.values.rewinds.get(requestId)
  if (!place || !(isError || (threadId !== undefined && context.isMain(threadId)))) return
  context.notes.removeEntry('rewinds', requestId)
  const key = context.notes.keyOf(requestId, lastTurnId ?? '')
  if (isError || (place.turns !== undefined && context.notes.values.doneRewinds.get(key))) return
  context.notes.setEntry('doneRewinds', key, true)
  if (place.turns !== undefined && hasTakenBack(lastTurnId, context)) return
  rewind(place, undefined, context)
  if (place.countsAgain) context.notes.remember({ lastRevert: 'requested' })
}

/**
 * Whether a file has shown already that turns are taken back: nothing is behind the turn that is left, or the stream is
 * at an earlier place. A stream without a place is at one that turns were taken back to.
 */
function hasTakenBack(lastTurnId: string | undefined, memory: CodexMemory): boolean {
  const { rounds = [], lastItem } = memory.notes.values
  const last = rounds.at(-1)
  if (!last || (lastTurnId !== undefined && lastTurnId === last.turnId)) return true
  if (lastItem !== undefined) return !blocksAfter(last, memory.state).some(({ id }) => id === lastItem)
  if (!memory.notes.values.unnamed.get(MAIN)) return false
  const at = rounds.findIndex(({ turnId }) => turnId !== undefined && turnId === lastTurnId)
  return rounds.slice(at + 1).some(({ after }) => after?.startsWith(MARK))
}

/** Reads the note that turns were taken back. Without the client's request it means the last turn, until tokens show more. */
export function readReverted(threadId: string, time: string | undefined, context: CodexContext): void {
  if (!context.isMain(threadId)) return
  const { lastRevert, rewinds, doneRewinds } = context.notes.values
  if (time !== undefined) {
    if (doneRewinds.get(time)) return
    context.notes.setEntry('doneRewinds', time, true)
  }
  const [requestId, place] = rewinds.entries().at(-1) ?? []
  if (requestId !== undefined) context.notes.removeEntry('rewinds', requestId)
  if (lastRevert === 'requested') return context.notes.remember({ lastRevert: undefined })
  if (!place && hasBegunAfter(time, context)) return
  rewind(place ?? { turns: 1, countsAgain: true }, time, context)
  if (!place) context.notes.remember({ lastRevert: 'unknown' })
}

/** Whether main's last turn is later than the note: a file has shown already what the note means. */
function hasBegunAfter(time: string | undefined, { notes, state }: CodexMemory): boolean {
  const last = notes.values.rounds?.at(-1)
  return last !== undefined && timeInMs(blocksAfter(last, state)[0]?.timestamp) > timeInMs(time)
}

/** Takes back the further turns that a revert without a place has taken back: the thread's tokens before the next reply show them. */
export function completeRevert(
  threadId: string,
  total: number,
  time: string | undefined,
  context: CodexContext,
): void {
  const { lastRevert, rounds = [] } = context.notes.values
  if (lastRevert !== 'unknown' || !context.isMain(threadId)) return
  context.notes.remember({ lastRevert: undefined })
  const current = rounds.at(-1)
  const index = rounds.findIndex((round) => round !== current && (round.total ?? 0) === total)
  const first = rounds[index]
  if (!current || !first || total >= (current.total ?? 0)) return
  const own = new Set(blocksAfter(current, context.state).map(({ id }) => id))
  const blocks = blocksAfter(first, context.state).filter(
    (block) => !own.has(block.id) && !isRewindMark(block),
  )
  abandon(blocks, { first, time }, context)
  context.notes.remember({ rounds: [...rounds.slice(0, index), current] })
  resetTotal(total, context)
}
