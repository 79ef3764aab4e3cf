import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSyncState, missing, receive, stamp } from '../../../src/entries/sync.ts'
import { idle } from '../../core/reducer/example.ts'
import { json, log } from '../../core/reducer/laws/logs.ts'
import { runs } from '../../depth.ts'
import { deepFreeze } from '../../objects.ts'
import { deliver, epoch, eventNumbers, hostile, limit, nth, numbers, stampAll } from './transport.ts'

const MAX = Number.MAX_SAFE_INTEGER

describe('stamp', () => {
  it('numbers a log from 1 without gaps', () => {
    fc.assert(
      fc.property(log, epoch, (events, name) => {
        const stamped = stampAll(events, name)
        expect(stamped).toEqual(events.map((event, at) => ({ epoch: name, seq: at + 1, event })))
      }),
    )
  })

  it('continues from any place, and returns the next cursor', () => {
    const cursor = deepFreeze({ epoch: 'e1', seq: 41 })
    const event = idle()
    const { cursor: next, stamped } = stamp(cursor, event)
    expect([next, stamped]).toEqual([
      { epoch: 'e1', seq: 42 },
      { epoch: 'e1', seq: 42, event },
    ])
    expect(stamped.event).toBe(event)
  })

  it('numbers up to the greatest safe integer', () => {
    expect(stamp({ epoch: 'e1', seq: MAX - 1 }, idle()).stamped.seq).toBe(MAX)
    expect(() => stamp({ epoch: 'e1', seq: MAX }, idle())).toThrow(RangeError)
  })

  it.each([-1, 0.5, NaN, Infinity, 2 ** 60])('refuses the number %d', (seq) => {
    expect(() => stamp({ epoch: 'e1', seq }, idle())).toThrow(RangeError)
  })

  it('refuses a log without a name', () => {
    expect(() => stamp(JSON.parse('{"seq":0}'), idle())).toThrow(TypeError)
  })
})

describe('a new receiver', () => {
  it('starts at an unknown log, or at a place', () => {
    expect(createSyncState()).toEqual({ seq: 0, buffered: [], latest: 0, limit: 1000 })
    expect(createSyncState()).not.toHaveProperty('epoch')
    expect(createSyncState({ epoch: 'e1', seq: 7, limit: 2 })).toEqual({
      epoch: 'e1',
      seq: 7,
      buffered: [],
      latest: 7,
      limit: 2,
    })
  })

  it.each([-1, 0.5, NaN, Infinity])('refuses %d as a place and as a limit', (number) => {
    expect(() => createSyncState({ epoch: 'e1', seq: number })).toThrow(RangeError)
    expect(() => createSyncState({ limit: number })).toThrow(RangeError)
  })

  it.each(['{"epoch":null}', '{"epoch":1}'])('refuses %s as options, because it names no log', (options) => {
    expect(() => createSyncState(JSON.parse(options))).toThrow(TypeError)
  })

  // Without the name, the first events of a restarted server were taken for duplicates.
  it('refuses a number without the name of its log', () => {
    expect(() => createSyncState({ seq: 5 })).toThrow(TypeError)
    expect(createSyncState({ seq: 0 })).toEqual(createSyncState())
  })
})

describe('a duplicate', () => {
  const { sync } = deliver(createSyncState({ limit: 2 }), [1, 2, 4, 6, 8].map(nth))

  it.each([
    ['of a returned event', 1, []],
    ['of the last returned event', 2, []],
    ['of a buffered event', 4, []],
    ['of an event that did not fit into the buffer', 8, [{ code: 'too-early', epoch: 'e1', seq: 8 }]],
  ])('%s changes nothing', (_, seq, issues) => {
    const received = receive(sync, nth(seq))
    expect(received).toEqual({ sync, events: [], issues })
    expect(received.sync).toBe(sync)
  })

  it('is recognized by its number, not by its content', () => {
    const other = { epoch: 'e1', seq: 4, event: idle() }
    const { events } = deliver(sync, [other, nth(3)])
    expect(eventNumbers(events)).toEqual([3, 4])
  })
})

describe('an early event', () => {
  it('replaces the buffered event with the greatest number if the buffer is full', () => {
    const { sync, issues } = deliver(createSyncState({ limit: 2 }), [9, 5, 7, 3].map(nth))
    expect(sync.buffered.map(({ seq }) => seq)).toEqual([3, 5])
    expect(issues).toEqual([
      { code: 'too-early', epoch: 'e1', seq: 9 },
      { code: 'too-early', epoch: 'e1', seq: 7 },
    ])
    expect(missing(sync)).toEqual([
      { from: 1, to: 2 },
      { from: 4, to: 4 },
      { from: 6, to: 9 },
    ])
  })

  it('is missing if the limit is 0', () => {
    const { sync, events, issues } = deliver(createSyncState({ limit: 0 }), [1, 3, 2].map(nth))
    expect(eventNumbers(events)).toEqual([1, 2])
    expect(issues).toEqual([{ code: 'too-early', epoch: 'e1', seq: 3 }])
    expect(missing(sync)).toEqual([{ from: 3, to: 3 }])
  })

  it('is buffered up to the default limit of 1000', () => {
    const { sync, issues } = deliver(createSyncState(), numbers(2, 1002).map(nth))
    expect(sync.buffered).toHaveLength(1000)
    expect(issues).toEqual([{ code: 'too-early', epoch: 'e1', seq: 1002 }])
    expect(eventNumbers(receive(sync, nth(1)).events)).toEqual(numbers(1, 1001))
  })
})

describe('a value that is not a stamped event', () => {
  const { sync } = deliver(createSyncState({ limit: 2 }), [1, 3].map(nth))
  const event = idle()

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a list', [nth(2)]],
    ['a text', JSON.stringify(nth(2))],
    ['an object without a log', { seq: 2, event }],
    ['a log that is not a text', { epoch: 1, seq: 2, event }],
    ['an object without a number', { epoch: 'e1', event }],
    ['the number 0, which is before the first event', { epoch: 'e1', seq: 0, event }],
    ['a negative number', { epoch: 'e1', seq: -1, event }],
    ['a fraction', { epoch: 'e1', seq: 1.5, event }],
    ['a text as its number', { epoch: 'e1', seq: '2', event }],
    ['NaN', { epoch: 'e1', seq: NaN, event }],
    ['an infinite number', { epoch: 'e1', seq: Infinity, event }],
    ['a number above the safe integers', { epoch: 'e1', seq: MAX + 1, event }],
  ])('is an issue and changes nothing: %s', (_, value) => {
    const received = receive(sync, hostile(value))
    expect(received).toEqual({ sync, events: [], issues: [{ code: 'malformed-stamp' }] })
    expect(received.sync).toBe(sync)
  })

  it('neither throws nor grows the receiver if it is JSON', () => {
    const seq = fc.oneof(fc.nat({ max: 9 }), fc.maxSafeInteger(), fc.double(), json)
    const stampLike = fc.record({ epoch: fc.oneof(epoch, json), seq, event: json }, { requiredKeys: [] })
    fc.assert(
      fc.property(fc.array(fc.oneof(stampLike, json), { maxLength: 30 }), limit, (values, most) => {
        for (const { sync } of deliver(createSyncState({ limit: most }), values.map(hostile)).steps) {
          expect(sync.buffered.length).toBeLessThanOrEqual(most)
          expect(missing(sync).length).toBeLessThanOrEqual(most + 1)
          expect(Number.isSafeInteger(sync.seq)).toBe(true)
          expect(Number.isSafeInteger(sync.latest)).toBe(true)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  it('does not include the event in it: an invalid event is returned, and the reducer refuses it', () => {
    const stamped = hostile({ epoch: 'e1', seq: 2, event: null })
    expect(receive(sync, stamped).events).toEqual([null, nth(3).event])
  })

  it('may throw from its own getter, and the receiver stays unchanged', () => {
    const before = JSON.stringify(sync)
    const stamped = hostile({
      epoch: 'e1',
      get seq() {
        throw new Error('getter')
      },
    })
    expect(() => receive(sync, stamped)).toThrow('getter')
    expect(JSON.stringify(sync)).toBe(before)
  })
})

describe('the greatest numbers', () => {
  it('are returned in order', () => {
    const sync = createSyncState({ epoch: 'e1', seq: MAX - 3, limit: 5 })
    const { sync: after, events } = deliver(sync, [MAX, MAX - 1, MAX - 2, MAX].map(nth))
    expect(eventNumbers(events)).toEqual([MAX - 2, MAX - 1, MAX])
    expect(missing(after)).toEqual([])
    expect(receive(after, nth(MAX)).sync).toBe(after)
  })

  it('do not stop a receiver if one arrives by mistake', () => {
    const { sync, events } = deliver(createSyncState({ limit: 2 }), [1, MAX, 3, 2, 5, 4].map(nth))
    expect(eventNumbers(events)).toEqual([1, 2, 3, 4, 5])
    expect(missing(sync)).toEqual([{ from: 6, to: MAX - 1 }])
  })
})
