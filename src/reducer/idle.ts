import type { EventOf } from '../events/event.ts'
import { MAIN } from '../state/session.ts'
import type { Batch, Thread } from './batch.ts'

/** Finalises what is pending in the event's own conversation, and in no other. */
export function idle(batch: Batch, event: EventOf<'session:idle'>): undefined {
  const thread = batch.thread(event.conversationId ?? MAIN)
  if (thread) finalisePending(thread, 'complete')
}

/** Subagents' blocks stay as they are: background agents outlive a turn. */
export function finalisePending({ blocks }: Thread, status: 'complete' | 'error'): void {
  for (const [at, item] of blocks.items.entries())
    if (item.type !== 'subagent' && item.status === 'pending') blocks.edit({ at, item }).status = status
}
