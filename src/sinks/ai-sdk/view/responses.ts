import type { MessageUsage } from '../../../state/session.ts'
import type { ThreadUpdate } from './thread-view.ts'

/** The tokens of each message by its number. */
export type Responses = readonly (MessageUsage[] | undefined)[]

/** Returns the tokens of each message by its number. A response without any block belongs to the message of the response before it, or to the first answer. */
export function responsesOf({ facts, known, changes, spans, index }: ThreadUpdate): Responses {
  if (known.facts.usage === facts.usage && changes.isInPlace) return known.responses
  const byMessage: MessageUsage[][] = []
  let last = spans.findIndex(({ role }) => role === 'assistant')
  for (const entry of facts.usage) {
    const owner = index.messages.get(entry.messageId)?.at(-1)?.messageNumber
    last = owner ?? last
    // An abandoned branch shows its own responses alone.
    if (owner === undefined && !facts.branches) continue
    const own = byMessage[last]
    if (own) own.push(entry)
    else if (last >= 0) byMessage[last] = [entry]
  }
  return byMessage
}
