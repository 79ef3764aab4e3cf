import type { StampedEvent } from 'agentfold'
import { random } from '../../random.ts'
import type { Transport } from '../server.ts'

/** Sends every event up to three times, some of them later than those that follow. */
export function unruly(seed: number): Transport {
  const next = random(seed)
  const late = new Map<(stamped: StampedEvent) => void, StampedEvent[]>()
  return (stamped, write) => {
    const held = late.get(write) ?? []
    late.set(write, held)
    if (next() < 0.3) held.push(stamped)
    else write(stamped)
    if (next() < 0.2) write(stamped)
    // What is held comes in another order than it was sent in, and what comes last is never held for good.
    while (held.length > 0 && (held.length > 5 || next() < 0.3))
      for (const each of held.splice(Math.floor(next() * held.length), 1)) write(each)
  }
}

/** Breaks each connection at its next delta, once it has brought so many events. */
export function cutting(after: number): Transport {
  const counts = new Map<(stamped: StampedEvent) => void, number>()
  return (stamped, write, cut) => {
    const count = (counts.get(write) ?? 0) + 1
    counts.set(write, count)
    if (count > after && stamped.event.type === 'block:delta') cut()
    else write(stamped)
  }
}
