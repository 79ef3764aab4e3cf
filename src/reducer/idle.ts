import type { EventOf } from '../events/event.ts'
import { MAIN } from '../state/session.ts'
import type { Batch } from './batch.ts'
import type { Thread } from './thread.ts'

/** Finalises what is pending in the event's own conversation, and in no other. */
export function idle(batch: Batch, event: EventOf<'session:idle'>): undefined {
  const thread = batch.thread(event.conversationId ?? MAIN)
  if (thread) finalisePending(thread, 'complete')
}

/** Subagents' blocks stay as they are: background agents outlive a turn. */
export function finalisePending(thread: Thread, status: 'complete' | 'error'): void {
  const { blocks } = thread
  for (let at = thread.settled; at < blocks.items.length; at += 1) {
    const item = blocks.items[at]
    if (item && item.type !== 'subagent' && item.status === 'pending')
      blocks.edit({ at, item }).status = status
  }
  thread.settled = blocks.items.length
}
