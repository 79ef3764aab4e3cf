import { isSameList } from '../../../selectors/memoize.ts'
import type { MessageUsage } from '../../../state/session.ts'
import type { TurnView } from './turn-view.ts'

/** The tokens of the responses, by the message that shows them. */
export interface Responses {
  readonly usage: readonly MessageUsage[]
  readonly messageIds: readonly ReadonlySet<string>[]
  readonly byTurn: readonly (readonly MessageUsage[])[]
}

const NONE: readonly MessageUsage[] = []

/**
 * Returns the tokens of each message. A response without any block belongs to the message of the response before it, or to the first answer.
 * The result stays the same object as long as neither the tokens nor the responses change.
 */
export function responsesOf(
  usage: readonly MessageUsage[],
  turns: readonly Pick<TurnView, 'prompt' | 'index'>[],
  { known, hasStrays }: { readonly known: Responses | undefined; readonly hasStrays: boolean },
): Responses {
  const messageIds = turns.map(({ index }) => index.messageIds)
  if (known?.usage === usage && isSameList(known.messageIds, messageIds)) return known
  const owners = new Map(messageIds.flatMap((ids, turn) => [...ids].map((id) => [id, turn] as const)))
  const byTurn: MessageUsage[][] = turns.map(() => [])
  let last = turns.findIndex(({ prompt }) => !prompt)
  for (const entry of usage) {
    const owner = owners.get(entry.messageId)
    last = owner ?? last
    if (owner !== undefined || hasStrays) byTurn[last]?.push(entry)
  }
  return {
    usage,
    messageIds,
    byTurn: byTurn.map((entries) => (entries.length > 0 ? entries : NONE)),
  }
}
