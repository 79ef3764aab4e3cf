import { asString, isObject, type JsonObject } from '../../../../src/core/json/values.ts'
import type { JoinedSession } from '../../../../src/entries/testing.ts'
import { messagesOf } from '../../messages-in.ts'
import { messagesIn, type Recording } from '../../recordings.ts'

/** Returns both sides of a recording, and the files as they were at any cut of the stream. */
export function joinedSession({ stream, disk }: Pick<Recording, 'stream' | 'disk'>): Required<
  Omit<JoinedSession, 'cuts'>
> & {
  readonly live: readonly unknown[]
} {
  const live = messagesIn(stream)
  const history = messagesOf('claude-sdk', disk).filter(isObject)
  const counts = liveCounts(history, live)
  return { live, history, historyAt: (cut) => history.filter((_, at) => (counts[at] ?? 0) <= cut) }
}

/** Returns for each stored line the number of live messages that came before the program wrote it. */
function liveCounts(history: readonly JsonObject[], live: readonly unknown[]): readonly number[] {
  const own = ownCounts(history, live)
  const next = new Map<string, number>()
  for (const [at, message] of [...history.entries()].toReversed()) {
    // Versions up to 2.0.14 write an agent's lines directly before the result of its call. A meta file has no time.
    const isInline = message.isSidechain === true && message.agentId === undefined
    if (isInline || message.type === 'agent_meta')
      own[at] = next.get(fileOf(message)) ?? Number.POSITIVE_INFINITY
    next.set(fileOf(message), own[at] ?? 0)
  }
  const last = new Map<string, number>()
  return history.map((message, at) => {
    // The program only appends to a file.
    const count = Math.max(own[at] ?? 0, last.get(fileOf(message)) ?? 0)
    last.set(fileOf(message), count)
    return count
  })
}

/** Places a line by its uuid, or by its time if the stream does not have the line. */
function ownCounts(history: readonly JsonObject[], live: readonly unknown[]): number[] {
  const places = new Map(live.map((message, at) => [isObject(message) ? message.uuid : undefined, at]))
  const placeOf = ({ uuid }: JsonObject) => (uuid === undefined ? undefined : places.get(uuid))
  const times = history.flatMap((message) => {
    const place = placeOf(message)
    return place === undefined ? [] : [{ time: timeOf(message), count: place + 1 }]
  })
  return history.map((message) => {
    const place = placeOf(message)
    if (place !== undefined) return place + 1
    const earlier = times.filter(({ time }) => time <= timeOf(message))
    return Math.max(0, ...earlier.map(({ count }) => count))
  })
}

function fileOf({ agentId }: JsonObject): string {
  return asString(agentId) ?? 'main'
}

function timeOf({ timestamp }: JsonObject): string {
  return asString(timestamp) ?? ''
}
