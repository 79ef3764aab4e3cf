import type { KeyedBlocks } from './blocks.ts'
import type { Context } from './comparison.ts'
import type { Pair } from './difference.ts'

/**
 * Compares the order of the blocks that both sides have. A tool may answer while its message is still being written, or
 * before another that was called earlier, so where a result stands says nothing.
 */
export function compareOrder(conversationId: string, pair: Pair<KeyedBlocks>, { comparison }: Context): void {
  const live = orderIn(pair.live, pair.stored)
  const stored = orderIn(pair.stored, pair.live)
  const moved = [...live.before].filter(([key, before]) => stored.before.get(key) !== before)
  comparison.project('tool-result-place', 'live', moved.length)
  const from = live.keys.findIndex((key, at) => key !== stored.keys[at])
  if (from < 0) return
  const to = live.keys.findLastIndex((key, at) => key !== stored.keys[at]) + 1
  const idsIn = (blocks: KeyedBlocks, keys: readonly string[]) =>
    keys.slice(from, to).flatMap((key) => blocks.get(key)?.id ?? [])
  const ids = { live: idsIn(pair.live, live.keys), stored: idsIn(pair.stored, stored.keys) }
  comparison.differ({ kind: 'order', conversationId, id: ids.live[0] ?? '', ...ids })
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
