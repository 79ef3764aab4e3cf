import { isEqual } from '../json/equal.ts'
import { pickDefined } from '../json/fields.ts'
import { contextSize, MAIN, type MessageUsage, TOKEN_COUNTS, type TokenUsage } from '../state/session.ts'
import type { OwnedList, PlacedItem } from './owned-list.ts'
import type { Thread } from './thread.ts'

/**
 * Adds a message's tokens to the ledger of its conversation. A later report replaces an earlier one, but a provisional
 * one never replaces a final one. The result of an agent's run may state the tokens of a message that has an entry
 * too. Then that entry alone stays, with the more exact figures, whichever of both came first.
 */
export function addUsage({ id, usage }: Pick<Thread, 'id' | 'usage'>, entry: MessageUsage): void {
  if (entry.fromResult) return addResult(usage, entry)
  putEntry(usage, entry)
  if (id !== MAIN) joinResults(usage, entry.messageId)
}

function addResult(usage: OwnedList<MessageUsage>, result: MessageUsage): void {
  const message = messageOfResult(result, usage.items)
  if (message) return completeMessage(usage, usage.find(message.messageId), result)
  putEntry(usage, result)
}

function putEntry(usage: OwnedList<MessageUsage>, entry: MessageUsage): void {
  const found = usage.find(entry.messageId)
  if (!found) usage.append(entry)
  else if ((entry.final || !found.item.final) && !isEqual(found.item, entry))
    usage.replace(found.index, entry)
}

/** Removes the entries of results that state the tokens of this message. */
function joinResults(usage: OwnedList<MessageUsage>, messageId: string): void {
  const message = usage.find(messageId)?.item
  if (!message || message.fromResult) return
  for (const { item: result } of usage.inGroup(groupOfResult, FROM_RESULT)) {
    if (!isSameMessage(message, result)) continue
    completeMessage(usage, usage.find(messageId), result)
    const place = usage.find(result.messageId)
    if (place) usage.remove(place.index)
  }
}

function completeMessage(
  usage: OwnedList<MessageUsage>,
  message: PlacedItem<MessageUsage> | undefined,
  result: MessageUsage,
): void {
  if (!message || message.item.final || outputOf(result) < outputOf(message.item)) return
  // The message has the parts of a sum.
  if (result.unsplitTokens !== undefined) return
  const { final } = result
  usage.replace(message.index, { ...message.item, ...pickDefined(result, TOKEN_COUNTS), final })
}

const FROM_RESULT = 'result'

function groupOfResult({ fromResult }: MessageUsage): string | undefined {
  return fromResult && FROM_RESULT
}

/**
 * Returns the entry of the message whose tokens a result states: the one with the same input, or with the same sum. A
 * provisional sum may lack a part of the message's tokens.
 */
export function messageOfResult(
  result: ResultTokens,
  usage: readonly MessageUsage[],
): MessageUsage | undefined {
  return usage.findLast((entry) => entry.fromResult === undefined && isSameMessage(entry, result))
}

type ResultTokens = TokenUsage & Pick<MessageUsage, 'final'>

function isSameMessage(message: TokenUsage, result: ResultTokens): boolean {
  const [known, stated] = [contextSize(message), contextSize(result)]
  if (result.unsplitTokens !== undefined) return result.final ? known === stated : known >= stated
  return known - outputOf(message) === stated - outputOf(result)
}

function outputOf({ outputTokens = 0 }: TokenUsage): number {
  return outputTokens
}
