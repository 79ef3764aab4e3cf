import type { SessionEvent } from '../../../../src/entries/index.ts'
import { random } from '../../../random.ts'

/** Returns a session in which an event that is lost, doubled or in the wrong place changes the state. */
export function eventsOf(seed: number, count: number): readonly SessionEvent[] {
  const next = random(seed)
  const events: SessionEvent[] = [{ type: 'session:running' }]
  for (let block = 0; events.length < count; block += 1) {
    const id = `block-${block}`
    events.push({
      type: 'block:upsert',
      block: { id, type: 'assistant_text', status: 'pending', content: '' },
    })
    for (let left = Math.floor(next() * 20); left > 0; left -= 1)
      events.push({ type: 'block:delta', blockId: id, delta: `${events.length} ` })
  }
  return events.slice(0, count)
}
