import type { StampedEvent } from 'agentfold/sync'
import type { Transport } from '../../../src/cli/serve/server.ts'
import { random } from '../../../test/random.ts'

type Write = (stamped: StampedEvent) => void

/** The faults of a transport, over all its connections. */
export interface Unruliness {
  /** The number of repeated events. */
  repeats: number
  /** The number of events that arrived after a later one. */
  delays: number
}

/** Sends each event once or twice, and delays some of them. */
export function unruly(seed: number): { readonly transport: Transport; readonly done: Readonly<Unruliness> } {
  const next = random(seed)
  const done = { repeats: 0, delays: 0 }
  const connections = new Map<Write, Write>()
  const transport: Transport = (stamped, write) => {
    const send = connections.get(write) ?? counting(write, done)
    connections.set(write, send)
    // A timer delays the event. If the next event had to release it, the last one would never arrive.
    if (next() < 0.3) setTimeout(send, 20 * next(), stamped)
    else send(stamped)
    if (next() < 0.2) send(stamped)
  }
  return { transport, done }
}

function counting(write: Write, done: Unruliness): Write {
  const sent = new Set<number>()
  let latest = 0
  return (stamped) => {
    const { seq } = stamped
    if (sent.has(seq)) done.repeats += 1
    else if (seq < latest) done.delays += 1
    sent.add(seq)
    latest = Math.max(latest, seq)
    write(stamped)
  }
}

/** Breaks each connection at the first delta after that many events. */
export function cutting(after: number): {
  readonly transport: Transport
  readonly done: { readonly cuts: number }
} {
  const done = { cuts: 0 }
  const counts = new Map<Write, number>()
  const transport: Transport = (stamped, write, cut) => {
    const count = (counts.get(write) ?? 0) + 1
    counts.set(write, count)
    if (count <= after || stamped.event.type !== 'block:delta') write(stamped)
    else {
      done.cuts += 1
      cut()
    }
  }
  return { transport, done }
}
