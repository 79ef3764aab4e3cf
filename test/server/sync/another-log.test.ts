import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSyncState, receive } from '../../../src/entries/sync.ts'
import { delta, idle } from '../../core/reducer/example.ts'
import { log } from '../../core/reducer/laws/logs.ts'
import { badTransport, deliver, eventNumbers, interleaved, limit, nth, stampAll } from './transport.ts'

describe('another log', () => {
  it('is reported for each of its events, and changes nothing, although the numbers are the same', () => {
    fc.assert(
      fc.property(badTransport, log, limit, ({ arrivals }, events, most) => {
        const { sync } = deliver(createSyncState({ epoch: 'e1', limit: most }), arrivals)
        for (const stamped of stampAll(events, 'e2')) {
          const received = receive(sync, stamped)
          expect(received).toEqual({
            sync,
            events: [],
            issues: [{ code: 'different-log', epoch: 'e2', seq: stamped.seq }],
          })
          expect(received.sync).toBe(sync)
        }
      }),
    )
  })

  it('does not disturb the first log, however they are mixed', () => {
    fc.assert(
      fc.property(badTransport, log, limit, fc.infiniteStream(fc.boolean()), (bad, others, most, chance) => {
        const start = createSyncState({ epoch: 'e1', limit: most })
        const mixed = interleaved(bad.arrivals, stampAll(others, '__proto__'), chance)
        const [pure, disturbed] = [deliver(start, bad.arrivals), deliver(start, mixed)]
        expect(disturbed.events).toEqual(pure.events)
        expect(disturbed.sync).toEqual(pure.sync)
        expect(disturbed.issues.filter(({ code }) => code === 'different-log')).toHaveLength(others.length)
      }),
    )
  })

  it('of a restarted server is never a duplicate, and works from its snapshot on', () => {
    const { sync } = deliver(createSyncState(), stampAll([idle(), idle(), idle()], 'before'))
    const restarted = stampAll([idle(), delta('b', '2'), delta('b', '3')], 'after')
    expect(deliver(sync, restarted).issues.map(({ code }) => code)).toEqual([
      'different-log',
      'different-log',
      'different-log',
    ])
    const fresh = deliver(createSyncState({ epoch: 'after', seq: 1 }), restarted)
    expect(eventNumbers(fresh.events)).toEqual([2, 3])
    expect(fresh.issues).toEqual([])
  })

  it('is reported by a receiver whose only event did not fit into its buffer', () => {
    const { sync } = receive(createSyncState({ limit: 0 }), nth(9))
    expect(receive(sync, { ...nth(1), epoch: 'e2' }).issues).toMatchObject([{ code: 'different-log' }])
  })

  it.each(['', '__proto__', 'constructor'])('may have the name %j', (name) => {
    const { sync, events } = deliver(createSyncState(), stampAll([idle()], name))
    expect([sync.epoch, events.length]).toEqual([name, 1])
    expect(receive(sync, nth(1)).issues).toMatchObject([{ code: 'different-log' }])
    expect(JSON.parse(JSON.stringify(sync))).toEqual(sync)
  })
})
