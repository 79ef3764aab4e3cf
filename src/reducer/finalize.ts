import type { EventOf } from '../events/event.ts'
import { MAIN } from '../state/session.ts'
import type { Batch } from './batch.ts'
import type { Thread } from './thread.ts'
import { endTurn } from './turn.ts'

/** Finalizes the pending blocks of the event's own conversation, and of no other. It ends the turn if that is main. */
export function finalizeConversation(batch: Batch, event: EventOf<'session:idle'>): undefined {
  const { conversationId = MAIN } = event
  const thread = batch.thread(conversationId)
  if (thread) finalizePending(thread, 'complete')
  if (conversationId === MAIN) endTurn(batch, event)
}

/** Subagents' blocks keep their status, because a background agent outlives a turn. */
export function finalizePending(thread: Thread, status: 'complete' | 'error'): void {
  const { blocks } = thread
  for (let index = thread.finalizedUpTo; index < blocks.items.length; index += 1) {
    const item = blocks.items[index]
    if (item && item.type !== 'subagent' && item.status === 'pending')
      blocks.edit({ index, item }).status = status
  }
  thread.finalizedUpTo = blocks.items.length
}
