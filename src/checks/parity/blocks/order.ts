import { textOf } from '../../../core/selectors/text.ts'
import type { ConversationBlock } from '../../../core/state/block.ts'
import type { ConversationThread } from '../../../core/state/session.ts'
import type { Comparison, ComparisonContext, ConversationPair, Pair } from '../comparison.ts'

/**
 * Compares the order of the blocks that both sides have. The place of a result is not compared: a tool may answer
 * while its message still streams, or before a tool that was called earlier. The place of a request is not compared
 * either: a file has it only with its answer.
 */
export function compareOrder(
  { id: conversationId, content }: ConversationPair,
  pair: Pair<BlocksByKey>,
  { coverage, comparison }: ComparisonContext,
): void {
  const isByFinish = coverage?.callsArriveAsTheyFinish(content.live) === true
  const stored = orderIn(pair.stored, pair.live, isByFinish)
  const reported = orderIn(pair.live, pair.stored, isByFinish)
  const live = isByFinish
    ? { ...reported, keys: inCallOrder(reported.keys, stored.keys, pair.live) }
    : reported
  const movedCalls = reported.keys.filter((key, at) => key !== live.keys[at])
  comparison.exclude('tool-use-place', 'live', movedCalls.length)
  const moved = [...live.before].filter(([key, before]) => stored.before.get(key) !== before)
  const isCall = ([key]: readonly [string, unknown]) => pair.live.get(key)?.type === 'tool_use'
  comparison.exclude('tool-use-place', 'live', moved.filter(isCall).length)
  comparison.exclude('tool-result-place', 'live', moved.filter((each) => !isCall(each)).length)
  const from = live.keys.findIndex((key, at) => key !== stored.keys[at])
  if (from < 0) return compareEarlyResults(conversationId, pair, comparison)
  const to = live.keys.findLastIndex((key, at) => key !== stored.keys[at]) + 1
  const idsIn = (blocks: BlocksByKey, keys: readonly string[]) =>
    keys.slice(from, to).flatMap((key) => blocks.get(key)?.id ?? [])
  const ids = { live: idsIn(pair.live, live.keys), stored: idsIn(pair.stored, stored.keys) }
  comparison.differ({ kind: 'order', conversationId, id: ids.live[0] ?? '', ...ids })
}

/** A result may have any place after its call, but none before it. */
function compareEarlyResults(conversationId: string, pair: Pair<BlocksByKey>, comparison: Comparison): void {
  const live = earlyResults(pair.live)
  const stored = earlyResults(pair.stored)
  for (const id of new Set([...live, ...stored]))
    if (live.has(id) !== stored.has(id) && pair.live.has(`block ${id}`) && pair.stored.has(`block ${id}`))
      comparison.differ({
        kind: 'order',
        conversationId,
        id,
        live: live.has(id) ? 'before its call' : 'after its call',
        stored: stored.has(id) ? 'before its call' : 'after its call',
      })
}

function earlyResults(blocks: BlocksByKey): ReadonlySet<string> {
  const answered = new Map<string, string>()
  const early = new Set<string>()
  for (const block of blocks.values()) {
    if (block.type === 'tool_result') answered.set(block.toolUseId, block.id)
    const result = block.type === 'tool_use' ? answered.get(block.toolUseId) : undefined
    if (result !== undefined) early.add(result)
  }
  return early
}

interface Order {
  /** The keys of the blocks that both sides have, without those that may have any place. */
  readonly keys: readonly string[]
  /** By the key of a block that may have any place: the key of the block before it. */
  readonly before: ReadonlyMap<string, string | undefined>
}

/** A call without a message has no message to be sorted in. If calls arrive as they finish, it may have any place. */
function orderIn(blocks: BlocksByKey, others: BlocksByKey, isByFinish: boolean): Order {
  const keys: string[] = []
  const before = new Map<string, string | undefined>()
  for (const [key, block] of blocks) {
    if (!others.has(key)) continue
    const isCall = block.type === 'tool_use' && block.messageId === undefined
    if (block.type === 'tool_result' || block.type === 'request' || (isByFinish && isCall))
      before.set(key, keys.at(-1))
    else keys.push(key)
  }
  return { keys, before }
}

/** Puts the calls of each message into the other side's order. Both sides have the same keys. */
function inCallOrder(
  keys: readonly string[],
  callOrder: readonly string[],
  blocks: BlocksByKey,
): readonly string[] {
  const places = new Map(callOrder.map((key, at) => [key, at]))
  const messageOf = (key: string) => {
    const block = blocks.get(key)
    return block?.type === 'tool_use' || block?.type === 'subagent' ? block.messageId : undefined
  }
  let last: string | undefined
  let group = 0
  const grouped = keys.map((key) => {
    const messageId = messageOf(key)
    if (messageId === undefined || messageId !== last) group += 1
    last = messageId
    return { key, group, place: places.get(key) ?? 0 }
  })
  grouped.sort((left, right) => left.group - right.group || left.place - right.place)
  return grouped.map(({ key }) => key)
}

/** The blocks of a conversation in order, by a key that is the same on both sides. */
type BlocksByKey = ReadonlyMap<string, ConversationBlock>

/**
 * Keys a tool call by its `toolUseId`, as its block id may depend on the blocks before it. Some models use a call id
 * twice, so the key counts repetitions. A request has the key of its call too, because a file does not have the
 * request's own id. A call may need several permissions. A file shows the last one alone, so those are counted from
 * the end.
 */
export function blocksByKey({ blocks }: ConversationThread): BlocksByKey {
  const keys = new Map<string, ConversationBlock>()
  const calls = new Map<string, number>()
  const left = requestCounts(blocks)
  for (const block of blocks) {
    const { toolUseId } = 'toolUseId' in block ? block : {}
    if (block.type === 'tool_use') {
      const time = calls.get(block.toolUseId) ?? 0
      calls.set(block.toolUseId, time + 1)
      keys.set(`call ${time} ${toolUseId}`, block)
    } else if (block.type === 'request' && toolUseId !== undefined) {
      const later = (left.get(toolUseId) ?? 0) - 1
      left.set(toolUseId, later)
      keys.set(`request ${later} ${toolUseId}`, block)
    } else keys.set(`block ${block.id}`, block)
  }
  return keys
}

/** Returns a key of a block that it has in any conversation: its call, or its words. */
export function workKey(block: ConversationBlock): string {
  if ('toolUseId' in block) return `${block.type} ${block.toolUseId}`
  return 'content' in block ? `${block.type} ${textOf(block)}` : `${block.type} ${block.id}`
}

/** Returns the number of requests of each call. */
function requestCounts(blocks: readonly ConversationBlock[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const block of blocks)
    if (block.type === 'request' && block.toolUseId !== undefined)
      counts.set(block.toolUseId, (counts.get(block.toolUseId) ?? 0) + 1)
  return counts
}
