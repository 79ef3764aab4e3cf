import { claudeEntries } from '../../../../src/formats/claude/files/entries.ts'
import { asString, isObject, type JsonObject } from '../../../../src/json/values.ts'
import { messagesIn, type Recording } from '../../recordings.ts'

/** A stored line, with the number of live messages that came before the program wrote it. */
interface StoredLine {
  readonly message: JsonObject
  readonly liveCount: number
}

/** The messages of a session's files, as they were at any cut of the live stream. */
export interface StoredHistory {
  readonly whole: readonly unknown[]
  at(cut: number): readonly unknown[]
}

/** Places each stored line in the live stream: by its uuid, or by its time if the stream does not have the line. */
export function storedHistory({ stream, disk }: Pick<Recording, 'stream' | 'disk'>): StoredHistory {
  const entries = [...claudeEntries(disk)].flatMap((entry) =>
    'message' in entry && isObject(entry.message) ? [entry.message] : [],
  )
  const places = placesOf(messagesIn(stream))
  const times = entries.flatMap((message) => {
    const place = places.get(asString(message.uuid) ?? '')
    return place === undefined ? [] : [{ time: asString(message.timestamp) ?? '', place }]
  })
  const counts = entries.map((message) => {
    const place = places.get(asString(message.uuid) ?? '')
    if (place !== undefined) return place + 1
    const time = asString(message.timestamp) ?? ''
    return Math.max(0, ...times.filter((each) => each.time <= time).map((each) => each.place + 1))
  })
  const nextCount = new Map<string, number>()
  for (const [at, message] of [...entries.entries()].toReversed()) {
    const file = asString(message.agentId) ?? 'main'
    // Versions up to 2.0.14 write an agent's lines directly before the result of its call. A meta file has no time.
    const isInline = message.isSidechain === true && message.agentId === undefined
    if (isInline || message.type === 'agent_meta')
      counts[at] = nextCount.get(file) ?? Number.POSITIVE_INFINITY
    nextCount.set(file, counts[at] ?? 0)
  }
  const lastCount = new Map<string, number>()
  const lines: readonly StoredLine[] = entries.map((message, at) => {
    // The program only appends to a file.
    const file = asString(message.agentId) ?? 'main'
    const liveCount = Math.max(counts[at] ?? 0, lastCount.get(file) ?? 0)
    lastCount.set(file, liveCount)
    return { message, liveCount }
  })
  return {
    whole: entries,
    at: (cut) => lines.filter(({ liveCount }) => liveCount <= cut).map(({ message }) => message),
  }
}

function placesOf(live: readonly unknown[]): ReadonlyMap<string, number> {
  return new Map(
    live.flatMap((message, at) => {
      const uuid = isObject(message) ? asString(message.uuid) : undefined
      return uuid === undefined ? [] : [[uuid, at] as const]
    }),
  )
}
