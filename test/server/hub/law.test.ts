import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSessionHub, type SessionHub } from '../../../src/entries/hub.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { createMemoryLog, type SessionLog } from '../../../src/entries/log.ts'
import { snapshot } from '../../../src/entries/sync.ts'
import { runs } from '../../depth.ts'
import { Page } from './wire.ts'

const initial = createInitialConversationState()

type Step =
  | { readonly type: 'publish'; readonly count: number }
  | { readonly type: 'page'; readonly page: number; readonly change: 'cut' | 'slowDown' | 'speedUp' }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'restart' | 'startOver' | 'trim' | 'join' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant('publish'), count: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('page'),
      page: fc.nat(3),
      change: fc.constantFrom('cut', 'slowDown', 'speedUp'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('wait'), ms: fc.constantFrom(1, 300, 1000) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('restart', 'startOver', 'trim', 'join') }) },
)

/** A server that may restart, with its pages. */
class World {
  readonly pages: Page[] = []
  expected = initial
  #hub: SessionHub
  readonly #log: SessionLog | undefined
  /** The number of all events so far, so that no two are equal. */
  #count = 0

  constructor(log: SessionLog | undefined) {
    this.#log = log
    this.#hub = this.#start()
  }

  #start(): SessionHub {
    return createSessionHub(this.#log ? { log: this.#log } : {})
  }

  async take(step: Step): Promise<void> {
    if (step.type === 'publish') await this.#publish(step.count)
    else if (step.type === 'page') this.pages[step.page]?.[step.change]()
    else if (step.type === 'wait') await vi.advanceTimersByTimeAsync(step.ms)
    else if (step.type === 'join') this.pages.push(new Page(() => this.#hub))
    else if (step.type === 'trim') await this.#trim()
    else if (step.type === 'startOver') {
      this.expected = initial
      await this.#hub.publish('s', { events: [], startsOver: true })
    } else {
      this.#hub = this.#start()
      if (!this.#log) this.expected = initial
      for (const page of this.pages) page.cut()
    }
  }

  async #publish(count: number): Promise<void> {
    const events = Array.from({ length: count }, () => this.#nextEvent())
    await this.#hub.publish('s', events)
    this.expected = reduceSessionEvents(this.expected, events)
  }

  #nextEvent(): SessionEvent {
    this.#count += 1
    const content = String(this.#count)
    return {
      type: 'block:upsert',
      block: { id: content, type: 'assistant_text', status: 'complete', content },
    }
  }

  /** Another process saves a snapshot, and drops the events. */
  async #trim(): Promise<void> {
    const saved = await this.#log?.loadSnapshot('s')
    let seq = saved?.seq ?? 0
    for await (const logged of this.#log?.read('s', seq) ?? []) seq = logged.seq
    if (saved)
      await this.#log?.saveSnapshot('s', snapshot({ ...saved, seq, state: this.expected }), { trim: true })
  }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it.each([
  ['a log', () => createMemoryLog()],
  ['no log', () => undefined],
])('every page gets the state of the hub with %s, whatever happens on the way', async (_, log) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const world = new World(log())
      for (const each of [{ type: 'join' } as const, ...steps]) await world.take(each)
      for (const page of world.pages) page.speedUp()
      await vi.advanceTimersByTimeAsync(10_000)
      for (const page of world.pages) {
        expect(page.connection.status).toBe('live')
        expect(page.state).toEqual(world.expected)
        page.connection.close()
      }
    }),
    { numRuns: runs(200) },
  )
})
