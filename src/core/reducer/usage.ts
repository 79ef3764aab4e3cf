import type { EventOf } from '../events/event.ts'
import { isEqual } from '../json/equal.ts'
import { omitUndefined } from '../json/fields.ts'
import { MAIN, type MessageUsage } from '../state/session.ts'
import type { Batch } from './batch.ts'
import type { Thread } from './thread.ts'

/** Writes a message's tokens into the ledger of its conversation. */
export function reportUsage(batch: Batch, event: EventOf<'usage:reported'>): undefined {
  const { messageId, usage, final, model } = event
  const thread = batch.getOrCreateThread(event.conversationId ?? MAIN)
  report(thread, omitUndefined({ messageId, final, model, ...usage }))
}

/** A later report replaces an earlier one, but a provisional one never replaces a final one. */
function report({ usage }: Thread, entry: MessageUsage): void {
  const found = usage.find(entry.messageId)
  if (!found) usage.append(entry)
  else if ((entry.final || !found.item.final) && !isEqual(found.item, entry))
    usage.replace(found.index, entry)
}
