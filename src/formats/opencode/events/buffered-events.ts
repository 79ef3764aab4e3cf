import { bufferedItems } from '../../translation/buffer.ts'
import { sortedByOrder } from '../../translation/order.ts'
import type { OpencodeContext } from '../context.ts'
import type { BusEvent } from './event.ts'
import { conversationOf, NOBODY, settleMain } from './session.ts'

/** Keeps an event of a session of which nothing has told whose it is: who joins late has missed its beginning. */
export function holdEvent(sessionId: string, event: BusEvent, translation: OpencodeContext): void {
  const { held, heldCount } = translation.memory
  const { order = heldCount, last } = held.get(sessionId) ?? {}
  translation.remember({
    held: held.with(sessionId, { sessionId, order, last: { item: event, before: last } }),
    heldCount: heldCount + 1,
  })
}

/** Returns the events of the first session whose place has become known. */
export function releaseHeld(translation: OpencodeContext): readonly BusEvent[] {
  const { memory } = translation
  if (memory.held.isEmpty) return []
  const [held] = sortedByOrder(
    memory.held,
    ({ sessionId }) => conversationOf(sessionId, memory) !== undefined,
  )
  if (!held) return []
  translation.remember({ held: memory.held.without(held.sessionId) })
  return bufferedItems(held.last)
}

/**
 * At the end of the input what is still held is shown as well as it can be: first what the first session tells as main, then each
 * session for itself.
 */
export function endHeld(
  translation: OpencodeContext,
  translateHeld: (translation: OpencodeContext) => void,
): void {
  const held = sortedByOrder(translation.memory.held)
  const first = held.find(({ sessionId }) => sessionId !== NOBODY) ?? held[0]
  if (!first) return
  settleMain(first.sessionId, translation)
  translateHeld(translation)
  for (const { sessionId } of sortedByOrder(translation.memory.held)) {
    const { callIds } = translation.memory
    // Nothing will tell any more: it is a subagent whose call was never met.
    translation.remember({ callIds: callIds.with(sessionId, sessionId) })
  }
  translateHeld(translation)
}
