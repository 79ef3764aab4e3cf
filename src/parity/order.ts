import type { Comparison, Context, Conversation } from './comparison.ts'
import type { Pair } from './difference.ts'
import type { KeyedBlocks } from './keyed.ts'

/**
 * Compares the order of the blocks that both sides have. A tool may answer while its message is still being written, or
 * before another that was called earlier, so where a result stands says nothing.
 */
export function compareOrder(
  { id: conversationId, carried }: Conversation,
  pair: Pair<KeyedBlocks>,
  { program, comparison }: Context,
): void {
  const isRun = program === 'opencode' && !carried.live.hasPrompts
  const stored = orderIn(pair.stored, pair.live)
  const asTold = orderIn(pair.live, pair.stored)
  const live = isRun ? { ...asTold, keys: asCalled(asTold.keys, stored.keys, pair.live) } : asTold
  const finished = asTold.keys.filter((key, at) => key !== live.keys[at])
  comparison.project('tool-use-place', 'live', finished.length)
  const moved = [...live.before].filter(([key, before]) => stored.before.get(key) !== before)
  comparison.project('tool-result-place', 'live', moved.length)
  const from = live.keys.findIndex((key, at) => key !== stored.keys[at])
  if (from < 0) return compareEarly(conversationId, pair, comparison)
  const to = live.keys.findLastIndex((key, at) => key !== stored.keys[at]) + 1
  const idsIn = (blocks: KeyedBlocks, keys: readonly string[]) =>
    keys.slice(from, to).flatMap((key) => blocks.get(key)?.id ?? [])
  const ids = { live: idsIn(pair.live, live.keys), stored: idsIn(pair.stored, stored.keys) }
  comparison.differ({ kind: 'order', conversationId, id: ids.live[0] ?? '', ...ids })
}

/** A result may stand anywhere after its call, but not before it. */
function compareEarly(conversationId: string, pair: Pair<KeyedBlocks>, comparison: Comparison): void {
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

function earlyResults(blocks: KeyedBlocks): ReadonlySet<string> {
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
  /** The blocks that the other side has too, without results. */
  readonly keys: readonly string[]
  /** By result: the block that it comes after. */
  readonly before: ReadonlyMap<string, string | undefined>
}

function orderIn(blocks: KeyedBlocks, others: KeyedBlocks): Order {
  const keys: string[] = []
  const before = new Map<string, string | undefined>()
  for (const [key, { type }] of blocks) {
    if (!others.has(key)) continue
    if (type === 'tool_result') before.set(key, keys.at(-1))
    else keys.push(key)
  }
  return { keys, before }
}

/** `opencode run` tells of calls when they have finished: those of one message are put in the order of their calls. */
function asCalled(
  keys: readonly string[],
  called: readonly string[],
  blocks: KeyedBlocks,
): readonly string[] {
  const places = new Map(called.map((key, at) => [key, at]))
  const messageOf = (key: string) => {
    const block = blocks.get(key)
    return block?.type === 'tool_use' || block?.type === 'subagent' ? block.messageId : undefined
  }
  const byPlace = (left: string, right: string) => (places.get(left) ?? 0) - (places.get(right) ?? 0)
  const ordered: string[] = []
  for (let from = 0, to = 0; from < keys.length; from = to) {
    const messageId = messageOf(keys[from] ?? '')
    do to += 1
    while (messageId !== undefined && to < keys.length && messageOf(keys[to] ?? '') === messageId)
    for (const key of keys.slice(from, to).sort(byPlace)) ordered.push(key)
  }
  return ordered
}
