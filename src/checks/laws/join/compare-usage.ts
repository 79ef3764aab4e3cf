import { compositeKey } from '../../../core/json/lists.ts'
import type { MessageUsage } from '../../../core/state/session.ts'
import type { Join, JoinedThread, PartFault } from './join.ts'

/** Final tokens stay, and the stream's final tokens are there if the messages from the cut on name their message. */
export function compareUsage(
  { id, joined, history, alive }: JoinedThread,
  { live, cut }: Join,
): readonly PartFault[] {
  const partOf = ({ messageId }: MessageUsage) => `the tokens of message ${messageId} of ${id}`
  const entries = new Map(joined.usage.map((entry) => [entry.messageId, entry]))
  const kept = history.usage.flatMap((expected): readonly PartFault[] => {
    const actual = entries.get(expected.messageId)
    return actual && !losesTokens(actual, expected)
      ? []
      : [{ code: 'lost', part: partOf(expected), actual, expected }]
  })
  const final = alive.usage.flatMap((expected): readonly PartFault[] => {
    const { finalAt = -1, namedAt = -1 } = live.usage.get(compositeKey(id, expected.messageId)) ?? {}
    const actual = entries.get(expected.messageId)
    if (finalAt < cut || namedAt < cut || actual?.final) return []
    return [{ code: 'incomplete', part: partOf(expected), actual, expected }]
  })
  return [...kept, ...final]
}

function losesTokens(actual: MessageUsage, expected: MessageUsage): boolean {
  if (expected.final && !actual.final) return true
  return Object.entries(expected).some(([name, value]) => {
    if (typeof value !== 'number') return false
    const now: unknown = Reflect.get(actual, name)
    return expected.final ? now !== value : now === undefined
  })
}
