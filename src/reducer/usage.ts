import type { EventOf } from '../events/event.ts'
import { isEqual } from '../json/equal.ts'
import { fieldCount } from '../json/field-count.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { MAIN, type MessageUsage } from '../state/session.ts'
import type { Batch } from './batch.ts'
import type { Thread } from './thread.ts'

/** Writes a message's tokens into the ledger of its conversation. */
export function reportUsage(batch: Batch, event: EventOf<'usage:reported'>): undefined {
  const thread = batch.getOrCreateThread(event.conversationId ?? MAIN)
  report(thread, entryOf(event))
}

/** In V8, an object has room for the fields of its literal. Later ones need a list of their own, so the literal has the commonest counts. */
function entryOf({ messageId, final, model, usage }: EventOf<'usage:reported'>): MessageUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage
  const hasCommonCounts =
    inputTokens !== undefined &&
    outputTokens !== undefined &&
    cacheReadTokens !== undefined &&
    cacheWriteTokens !== undefined
  return model !== undefined && hasCommonCounts && fieldCount(usage) === 4
    ? { messageId, final, model, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }
    : omitUndefined({ messageId, final, model, ...usage })
}

/** A later report replaces an earlier one, but a provisional one never replaces a final one. */
function report({ usage }: Thread, entry: MessageUsage): void {
  const found = usage.find(entry.messageId)
  if (!found) usage.append(entry)
  else if ((entry.final || !found.item.final) && !isEqual(found.item, entry))
    usage.replace(found.index, entry)
}
