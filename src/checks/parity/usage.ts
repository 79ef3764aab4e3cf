import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { messageIdOf } from '../../core/state/block.ts'
import type { ConversationThread, MessageUsage } from '../../core/state/session.ts'
import type { Side } from '../../programs/coverage.ts'
import { type ComparisonContext, type ConversationPair, compareFields } from './comparison.ts'

/** Compares the tokens of a conversation's messages, as far as both sides know the final figures. */
export function compareUsage(
  { id: conversationId, threads }: ConversationPair,
  { comparison, coverage }: ComparisonContext,
): void {
  const isSilent = coverage?.streamMayLackTokens === true && threads.live.usage.length === 0
  const pair = { live: byMessage(threads.live), stored: byMessage(threads.stored) }
  const seen = { live: messageIds(threads.live), stored: messageIds(threads.stored) }
  for (const id of new Set([...pair.live.keys(), ...pair.stored.keys()])) {
    const live = pair.live.get(id)
    const stored = pair.stored.get(id)
    const provisional = firstSide(live?.final === false, stored?.final === false)
    const lacking = firstSide(live === undefined, stored === undefined)
    if (isEqual(live, stored)) continue
    if (provisional) comparison.exclude('provisional-usage', provisional)
    else if (
      lacking &&
      (isSilent || !seen[lacking].has(id) || (lacking === 'live' && coverage?.lacksTokensOfStopped))
    )
      comparison.exclude('unseen-usage', lacking === 'live' ? 'stored' : 'live')
    else if (live && stored)
      compareFields(
        { kind: 'usage', conversationId, id },
        { live, stored },
        { optional: ['model'] },
        comparison,
      )
    else comparison.differ({ kind: 'missing-usage', conversationId, id, ...omitUndefined({ live, stored }) })
  }
}

function byMessage({ usage }: ConversationThread): ReadonlyMap<string, MessageUsage> {
  return new Map(usage.map((entry) => [entry.messageId, entry]))
}

function firstSide(isLive: boolean, isStored: boolean): Side | undefined {
  if (isLive) return 'live'
  return isStored ? 'stored' : undefined
}

function messageIds({ blocks }: ConversationThread): ReadonlySet<string> {
  return new Set(blocks.flatMap((block) => messageIdOf(block) || []))
}
