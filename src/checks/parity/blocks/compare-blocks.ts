import { isEqual } from '../../../core/json/equal.ts'
import {
  type BlockOf,
  type ConversationBlock,
  isInterruption,
  isModelText,
  isPending,
  isPrompt,
  messageIdOf,
} from '../../../core/state/block.ts'
import type { FileChange } from '../../../core/state/file-change.ts'
import { type ConversationThread, MAIN, type SessionConversationState } from '../../../core/state/session.ts'
import type { SessionTurn } from '../../../core/state/turn.ts'
import type {
  ContentSummary,
  Coverage,
  ExclusionKind,
  Side,
  UnmatchedBlock,
} from '../../../programs/coverage.ts'
import {
  type ComparisonContext,
  type ConversationPair,
  compareFields,
  exclusionOf,
  isDifferent,
  type Pair,
} from '../comparison.ts'
import { blocksByKey, compareOrder, workKey } from './order.ts'

/** Compares the blocks of a conversation. */
export function compareBlocks(conversation: ConversationPair, context: ComparisonContext): void {
  const live = blocksByKey(conversation.threads.live)
  const stored = blocksByKey(conversation.threads.stored)
  const unforwarded = unforwardedIn(conversation)
  const unmatched = [...stored].flatMap(([key, block]) =>
    live.has(key) ? [] : [{ block, side: 'stored', isUnforwarded: unforwarded.has(block.id) } as const],
  )
  const unfinished = unmatched.filter((each) => kindOf(each, conversation, context) === 'unfinished')
  const unfinishedCalls = new Set(unfinished.map(({ block }) => 'toolUseId' in block && block.toolUseId))
  for (const [key, block] of live) {
    const other = stored.get(key)
    if (other) compareBlock({ live: block, stored: other }, conversation, { ...context, unfinishedCalls })
    else compareUnmatched({ block, side: 'live', isUnforwarded: false }, conversation, context)
  }
  for (const each of unmatched) compareUnmatched(each, conversation, context)
  compareOrder(conversation, { live, stored }, context)
}

/** Summarizes the content that one side has of a conversation. */
export function summarizeContent({
  blocks,
  branches = [],
}: ConversationThread & Pick<SessionConversationState, 'branches'>): ContentSummary {
  return {
    hasBlocks: blocks.some(({ type }) => type !== 'request'),
    hasPrompts: blocks.some(isPrompt),
    hasThinking: blocks.some(({ type }) => type === 'thinking'),
    beginsWithSummary: beginsWithSummary(blocks),
    modelTextIds: new Set(blocks.filter(isModelText).map(({ id }) => id)),
    callIds: new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? block.toolUseId : []))),
    branchIds: new Set(branches.flatMap((branch) => branch.blocks.map(({ id }) => id))),
  }
}

function beginsWithSummary(blocks: readonly ConversationBlock[]): boolean {
  const first = blocks.find(({ type }) => type !== 'system')
  return first?.type === 'user_message' && first.origin === 'summary'
}

/** Returns the ids of stored blocks in the runs of a subagent of which the stream has no text. A later run may be forwarded. */
function unforwardedIn({ id, threads, content }: ConversationPair): ReadonlySet<string> {
  const { live, stored } = content
  const hasOthers = [...live.modelTextIds].some((textId) => !stored.modelTextIds.has(textId))
  if (id === MAIN || hasOthers) return new Set()
  const isForwarded = (block: ConversationBlock) => live.modelTextIds.has(block.id)
  const runs = runsIn(threads.stored).filter((blocks) => !blocks.some(isForwarded))
  return new Set(runs.flat().map((block) => block.id))
}

/** Splits a subagent's blocks into runs: each message to it begins one. */
function runsIn({ blocks }: ConversationThread): readonly (readonly ConversationBlock[])[] {
  const runs: ConversationBlock[][] = [[]]
  for (const block of blocks) {
    if (block.type === 'user_message') runs.push([])
    runs.at(-1)?.push(block)
  }
  return runs
}

interface BlockContext extends ComparisonContext {
  /** The calls whose result only the files have, because the program was killed before it. */
  readonly unfinishedCalls: ReadonlySet<unknown>
}

function compareBlock(
  pair: Pair<ConversationBlock>,
  { id: conversationId }: ConversationPair,
  { coverage, comparison, unfinishedCalls }: BlockContext,
): void {
  const { live, stored } = pair
  if (isPending(live) && isPending(stored)) {
    if (!isEqual(live, stored)) comparison.exclude('unfinished', 'live')
    return
  }
  const withDiffs = sideWithDiffs(pair)
  if (withDiffs) comparison.exclude('unknown-fact', withDiffs)
  // A result that only one side has makes the call an error on that side alone.
  const isUnfinished = stored.type === 'tool_use' && unfinishedCalls.has(stored.toolUseId)
  const words = stored.type === 'request' ? requestWords(pair) : []
  const unknown = (coverage?.unknownFields?.(pair) ?? []).filter((name) => isDifferent(pair, name))
  comparison.exclude('unknown-fact', 'stored', unknown.length)
  comparison.exclude('request-words', 'live', words.length)
  compareFields(
    { kind: 'block', conversationId, id: stored.id },
    pair,
    {
      ignored: [
        'conversationId',
        ...(withDiffs ? ['changes'] : []),
        ...(isUnfinished ? ['status'] : []),
        ...words,
        ...unknown,
      ],
      optional: optionalFields(stored, coverage),
    },
    comparison,
  )
}

/** Returns the fields of a request that the program words only for the client that it asks. */
function requestWords(pair: Pair<ConversationBlock>): readonly string[] {
  return ['id', 'title', 'data'].filter((name) => isDifferent(pair, name))
}

function optionalFields(
  { type, conversationId }: ConversationBlock,
  coverage: Coverage | undefined,
): readonly string[] {
  const isTimed = coverage?.timesEveryCall === true && (type === 'tool_use' || type === 'tool_result')
  if (isTimed) return ['model']
  // If the stream does not forward the calling agent, only the task reports the call, without its message.
  const ofCall = type === 'subagent' && conversationId !== MAIN ? ['messageId'] : []
  // Nor does the stream say then how the person answered the agent's request.
  const ofRequest = type === 'request' && conversationId !== MAIN ? ['answer', 'denied', 'comment'] : []
  // Earlier versions do not say who ran a command.
  const ofTool = type === 'tool_use' ? ['requestedBy'] : []
  // Only a file states what a compaction keeps.
  const ofNote = type === 'system' ? ['keptBlockIds', 'contextTokens'] : []
  return [
    'timestamp',
    'model',
    'durationMs',
    'code',
    'checkpoint',
    ...ofCall,
    ...ofTool,
    ...ofNote,
    ...ofRequest,
  ]
}

/**
 * Whether the block is the last text of a message that was cut. Such a message has no final tokens. An interruption,
 * an error or the next prompt follows it, or nothing if the turn was interrupted.
 */
function isCut(block: ConversationBlock, thread: Thread): boolean {
  const entry = thread.usage.find(({ messageId }) => messageId === messageIdOf(block))
  return entry !== undefined && !entry.final && isStopped(block, thread)
}

type Thread = ConversationThread & { readonly turn?: SessionTurn }

/** Whether nothing of the model follows the block in its turn, and the turn did not end by itself. */
function isStopped(block: ConversationBlock, { blocks, turn }: Thread): boolean {
  const next = blocks[blocks.indexOf(block) + 1]
  if (!next) return turn?.status === 'interrupted'
  return next.type === 'error' || isPrompt(next) || isInterruption(next)
}

/** Returns the call that the block is, or has the result of. */
function callOf(block: ConversationBlock, { blocks }: ConversationThread): BlockOf<'tool_use'> | undefined {
  if (block.type !== 'tool_use' && block.type !== 'tool_result') return undefined
  const isCall = (each: ConversationBlock) => each.type === 'tool_use' && each.toolUseId === block.toolUseId
  return blocks.find((each): each is BlockOf<'tool_use'> => isCall(each))
}

type Unmatched = Pick<UnmatchedBlock, 'block' | 'side' | 'isUnforwarded'>

function compareUnmatched(
  unmatched: Unmatched,
  conversation: ConversationPair,
  context: ComparisonContext,
): void {
  const { block, side } = unmatched
  const kind = kindOf(unmatched, conversation, context)
  if (kind) return context.comparison.exclude(kind, side)
  context.comparison.differ({
    kind: 'missing-block',
    conversationId: conversation.id,
    id: block.id,
    [side]: block,
  })
}

function kindOf(
  unmatched: Unmatched,
  { id, threads, content, parentIds, agentWork }: ConversationPair,
  { coverage, version }: ComparisonContext,
): ExclusionKind | undefined {
  const { block, side } = unmatched
  if (isSameFailure(block, side === 'live' ? threads.stored : threads.live)) return 'turn-failure'
  const other = side === 'live' ? content.stored : content.live
  const [thread, call] = [threads[side], callOf(block, threads[side])]
  const stop = { isCut: isCut(block, thread), isStopped: isStopped(block, thread) }
  const isOfAgent = (side === 'live' ? agentWork.stored : agentWork.live).has(workKey(block))
  const facts = { isMain: id === MAIN, isOfAgent, version, other, parentIds, ...stop, ...(call && { call }) }
  return exclusionOf({ ...unmatched, ...facts }, coverage)
}

/** Whether one side shows a failure as a text of the model, and the other side as an error with the same words. */
function isSameFailure(block: ConversationBlock, { blocks }: ConversationThread): boolean {
  if (block.type === 'assistant_text')
    return blocks.some((other) => other.type === 'error' && isSameWords(other.message, block.content))
  if (block.type !== 'error') return false
  return blocks.some((other) => other.type === 'assistant_text' && isSameWords(block.message, other.content))
}

/** A protocol may put words of its own before those of an error. */
function isSameWords(message: string, text: string): boolean {
  return text.trim() !== '' && message.endsWith(text.trim())
}

/**
 * Returns the side that alone has the program's diffs of the same changes. The other side counts lines from the
 * call's input, and its counts may differ: it does not know how often a text was replaced.
 */
function sideWithDiffs({ live, stored }: Pair<ConversationBlock>): Side | undefined {
  const pairs = pairsOf(changesOf(live), changesOf(stored))
  if (!pairs?.every(isSameChange)) return undefined
  const side = pairs.map(sideWithDiff).find((each) => each !== undefined)
  return pairs.every((pair) => [undefined, side].includes(sideWithDiff(pair))) ? side : undefined
}

function changesOf(block: ConversationBlock): readonly FileChange[] {
  return ('changes' in block && block.changes) || []
}

function pairsOf(
  live: readonly FileChange[],
  stored: readonly FileChange[],
): readonly Pair<FileChange>[] | undefined {
  if (live.length !== stored.length) return undefined
  return live.flatMap((change, at) => {
    const other = stored[at]
    return other ? [{ live: change, stored: other }] : []
  })
}

/** Whether the changes are equal as far as both sides know them. */
function isSameChange(pair: Pair<FileChange>): boolean {
  const { live, stored } = pair
  if (sideWithDiff(pair) === undefined) return isEqual(live, stored)
  return live.path === stored.path && live.kind === stored.kind && live.from === stored.from
}

function sideWithDiff({ live, stored }: Pair<FileChange>): Side | undefined {
  if ((live.hunks === undefined) === (stored.hunks === undefined)) return undefined
  return live.hunks ? 'live' : 'stored'
}
