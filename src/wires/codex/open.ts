import { omitUndefined } from '../../core/json/fields.ts'
import { greatest } from '../../core/json/lists.ts'
import { type ConversationBlock, isModelText, isPrompt, toolResultBlockId } from '../../core/state/block.ts'
import { type ConversationThread, MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { requestIdOf } from '../kit/requests.ts'
import { tokensOf } from './blocks/usage.ts'
import { type CodexContext, UNNAMED } from './context.ts'
import { numberIn } from './items/unnamed-item.ts'

/**
 * Makes the notes that are needed to go on from a state. The state does not have the ids of turns, so their times
 * show which turns are over.
 */
export function open(state: SessionConversationState, context: CodexContext): void {
  const { session, turn, blocks, subagents } = state
  const isRunning = turn.status === 'running'
  context.notes.remember({ endedUntil: turn.endedAt, isOpened: session.id === undefined ? undefined : true })
  countProcesses(state, context.notes)
  openRounds(state, context.notes)
  const abandoned = (state.branches ?? []).flatMap((branch) => branch.blocks)
  openThread({ threadId: session.id ?? UNNAMED, thread: state, isRunning, abandoned }, context)
  for (const { id } of abandoned)
    for (const blockId of [id, toolResultBlockId(id)])
      context.notes.setEntry('removedItems', context.itemKey(UNNAMED, blockId), true)
  // The lines of `codex exec` have no times.
  if (isRunning && blocks.filter(isOfReview).length % 2 === 1) context.notes.remember({ isInReview: true })
  if (isRunning) noteUntil(MAIN, lastTimeOf(blocks, turn.startedAt) ?? '', context.notes)
  for (const { toolUseId, agentId = toolUseId, status, ...thread } of subagents) {
    openThread({ threadId: agentId, thread, isRunning: !isFinal(status) }, context)
    noteUntil(agentId, lastTimeOf(thread.blocks), context.notes)
  }
}

/** Whether the block is one of the two notes of a review. */
function isOfReview(block: ConversationBlock): boolean {
  return block.type === 'system' && block.subtype === 'review'
}

/**
 * Notes the number of processes of `codex exec`, from the ids of blocks. Each process has one turn, whose tokens come
 * with its end. So a further process has the turn that runs after the tokens of the last process's text.
 */
function countProcesses(state: SessionConversationState, notes: CodexContext['notes']): void {
  const { blocks, session, turn } = state
  const known = greatest(blocks.map(processOf))
  const isExec = (known > 0 || blocks.every(({ type }) => type === 'system')) && session.id !== undefined
  const isOver = turn.status !== 'idle' && turn.status !== 'running'
  const text = blocks.findLast(isModelText)
  const hasTokens = text && processOf(text) === known && replyOf(state) === undefined
  const processes = isExec ? Math.max(1, hasTokens && !isOver ? known + 1 : known) : known
  if (processes > 0) notes.remember({ processes })
  // A process may warn before its turn.
  const hasBegun = known > 1 && blocks.every((block) => processOf(block) < known || block.type === 'system')
  // After an error, the next line is the end of its turn, or of the turn of a process that has begun.
  const isBetween = isOver || blocks.at(-1)?.type === 'error'
  if (isExec && isBetween && !hasBegun) notes.remember({ isBetweenProcesses: true })
}

/** Returns the number of the process of `codex exec` that a block comes from, and 0 for one from another form. */
function processOf(block: ConversationBlock): number {
  const id = block.type === 'subagent' ? block.toolUseId : block.id
  return Number(/^exec:(\d{1,9}):/.exec(id)?.[1] ?? 0)
}

/**
 * Notes a turn for each prompt, and the running turn if its prompt is still to come. The state does not show which
 * prompts steered a turn.
 */
function openRounds({ blocks, turn }: SessionConversationState, notes: CodexContext['notes']): void {
  const prompted = blocks.flatMap((block, at) =>
    isPrompt(block) ? [omitUndefined({ after: blocks[at - 1]?.id, hasPrompt: true })] : [],
  )
  const { status, startedAt } = turn
  const last = blocks.at(-1)
  const isEmpty = status === 'running' && last && (last.timestamp ?? '') < (startedAt ?? '')
  const rounds = isEmpty ? [...prompted, { after: last.id }] : prompted
  if (rounds.length > 0) notes.remember({ rounds })
}

interface OpenThread {
  readonly threadId: string
  readonly thread: ConversationThread
  readonly isRunning: boolean
  /** The blocks that the person took back. They keep the numbers in their ids. */
  readonly abandoned?: readonly ConversationBlock[]
}

function openThread(
  { threadId, thread, isRunning, abandoned = [] }: OpenThread,
  context: CodexContext,
): void {
  const { blocks, usage } = thread
  const key = context.threadKey(threadId)
  const unnamed = greatest([...blocks, ...abandoned].map(({ id }) => numberIn(id) + 1))
  const total = usage.reduce((sum, entry) => sum + tokensOf(entry), 0)
  const reply = isRunning ? replyOf(thread) : undefined
  if (unnamed > 0) context.notes.setEntry('unnamed', key, unnamed)
  if (total > 0) context.notes.setEntry('totals', threadId, total)
  if (reply !== undefined) context.notes.setEntry('replies', key, reply)
  for (const block of blocks) {
    if (isModelText(block) && block.status === 'pending')
      context.notes.setEntry('resumedTexts', context.notes.keyOf(key, block.id), {
        type: 'appended',
        deltas: '',
      })
    if (block.type === 'request') openRequest(threadId, block, context.notes)
  }
}

/** The ids of requests begin again with each connection, so the last one counts. */
function openRequest(
  threadId: string,
  { id: blockId, answer }: Extract<ConversationBlock, { readonly type: 'request' }>,
  notes: CodexContext['notes'],
): void {
  if (answer === undefined) notes.setEntry('requests', requestIdOf(blockId), { threadId, blockId })
  else notes.removeEntry('requests', requestIdOf(blockId))
}

/** Returns the last whole text, if it has no tokens. They may still come. */
function replyOf({ blocks, usage }: ConversationThread): string | undefined {
  const last = blocks.findLast((block) => isModelText(block) && block.status !== 'pending')
  return last === undefined || usage.some(({ messageId }) => messageId === last.id) ? undefined : last.id
}

function noteUntil(key: string, time: string | undefined, notes: CodexContext['notes']): void {
  if (time !== undefined) notes.setEntry('knownUntil', key, time)
}

/** Returns the last of the blocks' times and the given one. */
function lastTimeOf(blocks: readonly ConversationBlock[], time?: string): string | undefined {
  let last = time
  for (const { timestamp } of blocks)
    if (timestamp !== undefined && (last === undefined || timestamp > last)) last = timestamp
  return last
}
