import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSyncState, missing, receive, stamp } from '../../src/sync/index.ts'
import { deepFreeze } from '../objects.ts'
import { idle } from '../reducer/example.ts'
import { json, log } from '../reducer/logs.ts'
import { deliver, epoch, handedOn, hostile, limit, nth, numbers, stampAll } from './transport.ts'

const MAX = Number.MAX_SAFE_INTEGER

describe('stamp', () => {
  it('numbers a log from 1 without a gap', () => {
    fc.assert(
      fc.property(log, epoch, (events, name) => {
        const stamped = stampAll(events, name)
        expect(stamped).toEqual(events.map((event, at) => ({ epoch: name, seq: at + 1, event })))
      }),
    )
  })

  it('goes on from any place, and says the next one', () => {
    const cursor = deepFreeze({ epoch: 'e1', seq: 41 })
    const event = idle()
    const { cursor: next, stamped } = stamp(cursor, event)
    expect([next, stamped]).toEqual([
      { epoch: 'e1', seq: 42 },
      { epoch: 'e1', seq: 42, event },
    ])
    expect(stamped.event).toBe(event)
  })

  it('numbers as far as numbers can be told apart', () => {
    expect(stamp({ epoch: 'e1', seq: MAX - 1 }, idle()).stamped.seq).toBe(MAX)
    expect(() => stamp({ epoch: 'e1', seq: MAX }, idle())).toThrow(RangeError)
  })

  it.each([-1, 0.5, NaN, Infinity, 2 ** 60])('refuses %d, which is no place', (seq) => {
    expect(() => stamp({ epoch: 'e1', seq }, idle())).toThrow(RangeError)
  })

  it('refuses a log without a name', () => {
    expect(() => stamp(JSON.parse('{"seq":0}'), idle())).toThrow(TypeError)
  })
})

describe('a new receiver', () => {
  it('knows nothing, or a place', () => {
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

  it.each(['{"epoch":null}', '{"epoch":1}'])('refuses %s, which names no log', (options) => {
    expect(() => createSyncState(JSON.parse(options))).toThrow(TypeError)
  })

  // Without the name, all that a restarted server sends up to that number would have passed for duplicates.
  it('refuses a number whose log is not known', () => {
    expect(() => createSyncState({ seq: 5 })).toThrow(TypeError)
    expect(createSyncState({ seq: 0 })).toEqual(createSyncState())
  })
})

describe('a duplicate', () => {
  const { sync } = deliver(createSyncState({ limit: 2 }), [1, 2, 4, 6, 8].map(nth))

  it.each([
    ['that was handed on', 1, []],
    ['that was the last one handed on', 2, []],
    ['that is held', 4, []],
    ['that was not held because it came too early', 8, [{ code: 'too-early', epoch: 'e1', seq: 8 }]],
  ])('%s changes nothing', (_, seq, issues) => {
    const received = receive(sync, nth(seq))
    expect(received).toEqual({ sync, events: [], issues })
    expect(received.sync).toBe(sync)
  })

  it('is the same event by its number, whatever it says now', () => {
    const other = { epoch: 'e1', seq: 4, event: idle() }
    const { events } = deliver(sync, [other, nth(3)])
    expect(handedOn(events)).toEqual([3, 4])
  })
})

describe('an event that comes too early', () => {
  it('drives out the one that is furthest ahead, since the nearest are wanted first', () => {
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

  it('is asked for again where nothing at all is held', () => {
    const { sync, events, issues } = deliver(createSyncState({ limit: 0 }), [1, 3, 2].map(nth))
    expect(handedOn(events)).toEqual([1, 2])
    expect(issues).toEqual([{ code: 'too-early', epoch: 'e1', seq: 3 }])
    expect(missing(sync)).toEqual([{ from: 3, to: 3 }])
  })

  it('is held a thousandfold unless told otherwise', () => {
    const { sync, issues } = deliver(createSyncState(), numbers(2, 1002).map(nth))
    expect(sync.buffered).toHaveLength(1000)
    expect(issues).toEqual([{ code: 'too-early', epoch: 'e1', seq: 1002 }])
    expect(handedOn(receive(sync, nth(1)).events)).toEqual(numbers(1, 1001))
  })
})

describe('what is no stamped event', () => {
  const { sync } = deliver(createSyncState({ limit: 2 }), [1, 3].map(nth))
  const event = idle()

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a list', [nth(2)]],
    ['a text', JSON.stringify(nth(2))],
    ['no log', { seq: 2, event }],
    ['a log that is no text', { epoch: 1, seq: 2, event }],
    ['no number', { epoch: 'e1', event }],
    ['the number 0, which is before the first event', { epoch: 'e1', seq: 0, event }],
    ['a negative number', { epoch: 'e1', seq: -1, event }],
    ['a fraction', { epoch: 'e1', seq: 1.5, event }],
    ['a text as its number', { epoch: 'e1', seq: '2', event }],
    ['no real number', { epoch: 'e1', seq: NaN, event }],
    ['an infinite number', { epoch: 'e1', seq: Infinity, event }],
    ['a number that has no neighbours', { epoch: 'e1', seq: MAX + 1, event }],
  ])('is an issue and nothing else: %s', (_, value) => {
    const received = receive(sync, hostile(value))
    expect(received).toEqual({ sync, events: [], issues: [{ code: 'malformed-stamp' }] })
    expect(received.sync).toBe(sync)
  })

  it('neither throws nor grows the receiver, whatever JSON it is', () => {
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
      { numRuns: 500 },
    )
  })

  it('is not looked for in the event: a value that is none is handed on, for the reducer to refuse', () => {
    const stamped = hostile({ epoch: 'e1', seq: 2, event: null })
    expect(receive(sync, stamped).events).toEqual([null, nth(3).event])
  })

  it('may throw on its own where it is no JSON: the receiver is as it was', () => {
    const before = JSON.stringify(sync)
    const stamped = hostile({
      epoch: 'e1',
      get seq() {
        throw new Error('mine')
      },
    })
    expect(() => receive(sync, stamped)).toThrow('mine')
    expect(JSON.stringify(sync)).toBe(before)
  })
})

describe('numbers as great as they can be', () => {
  it('are handed on like any other', () => {
    const sync = createSyncState({ epoch: 'e1', seq: MAX - 3, limit: 5 })
    const { sync: after, events } = deliver(sync, [MAX, MAX - 1, MAX - 2, MAX].map(nth))
    expect(handedOn(events)).toEqual([MAX - 2, MAX - 1, MAX])
    expect(missing(after)).toEqual([])
    expect(receive(after, nth(MAX)).sync).toBe(after)
  })

  it('do not keep a receiver from following the log when one comes by mistake', () => {
    const { sync, events } = deliver(createSyncState({ limit: 2 }), [1, MAX, 3, 2, 5, 4].map(nth))
    expect(handedOn(events)).toEqual([1, 2, 3, 4, 5])
    expect(missing(sync)).toEqual([{ from: 6, to: MAX - 1 }])
  })
})
