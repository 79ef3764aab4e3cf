import { heldItems } from '../held.ts'
import { inOrder } from '../order.ts'
import type { BusEvent } from './event.ts'
import type { HeldEvents } from './memory.ts'
import { conversationOf, NOBODY, settleMain } from './session.ts'
import type { Translation } from './translation.ts'

/** Keeps an event of a session of which nothing has told whose it is: who joins late has missed its beginning. */
export function holdEvent(sessionId: string, event: BusEvent, translation: Translation): void {
  const { held, heldCount } = translation.memory
  const { order = heldCount, last } = held.get(sessionId) ?? {}
  translation.remember({
    held: held.with(sessionId, { sessionId, order, last: { item: event, before: last } }),
    heldCount: heldCount + 1,
  })
}

type Translate = (event: BusEvent, translation: Translation) => void

/** Translates the events of sessions whose place has become known. */
export function releaseHeld(translation: Translation, translateEvent: Translate): void {
  if (translation.memory.held.isEmpty) return
  for (const held of inOrder(translation.memory.held))
    if (conversationOf(held.sessionId, translation.memory) !== undefined)
      release(held, translation, translateEvent)
}

/** At the end of the input what is still held is shown as well as it can be: the first session as main. */
export function endHeld(translation: Translation, translateEvent: Translate): void {
  const held = inOrder(translation.memory.held)
  const first = held.find(({ sessionId }) => sessionId !== NOBODY) ?? held[0]
  if (!first) return
  settleMain(first.sessionId, translation)
  releaseHeld(translation, translateEvent)
  for (const { sessionId } of inOrder(translation.memory.held)) {
    const { callIds } = translation.memory
    // Nothing will tell any more: it is a subagent whose call was never met.
    translation.remember({ callIds: callIds.with(sessionId, sessionId) })
  }
  releaseHeld(translation, translateEvent)
}

function release({ sessionId, last }: HeldEvents, translation: Translation, translateEvent: Translate): void {
  translation.remember({ held: translation.memory.held.without(sessionId) })
  for (const event of heldItems(last)) translateEvent(event, translation)
}
