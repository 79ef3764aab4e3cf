import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSessionHub } from '../../../src/entries/hub.ts'
import { hubPage } from './hub-page.ts'

/** A page's window and document, as far as a connection uses them. */
function stubPage() {
  const events = new EventTarget()
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events))
  vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events))
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
  return {
    fire: (name: string) => events.dispatchEvent(new Event(name)),
    show: () => document.dispatchEvent(new Event('visibilitychange')),
  }
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function sleepingPage() {
  vi.useFakeTimers()
  const page = stubPage()
  const server = createSessionHub()
  await server.publish('s', [{ type: 'session:running' }])
  const { hub, requests, freeze } = hubPage(() => server)
  const session = hub.session('s')
  await vi.advanceTimersByTimeAsync(10)
  expect(session.status).toBe('live')
  freeze()
  await server.publish('s', [{ type: 'session:idle', outcome: 'finished' }])
  onTestFinished(() => hub.close())
  const turn = () => session.store.flush().turn.status
  return { ...page, session, requests, turn }
}

describe('a page that wakes', () => {
  // Reproduced in a browser: a tab that had slept said `live` for 38 seconds and showed an old state.
  it.each([
    ['is shown again after more than a heartbeat', 16_000, 'show'],
    ['comes from the cache of the browser', 16_000, 'pageshow'],
    ['is online again', 2500, 'online'],
  ] as const)('and %s says lost, and is right within 2 s', async (_, slept, event) => {
    const { fire, show, session, turn } = await sleepingPage()
    // A page that sleeps runs no timers.
    vi.setSystemTime(Date.now() + slept)
    expect([session.status, turn()]).toEqual(['live', 'running'])
    if (event === 'show') show()
    else fire(event)
    expect(session.status).toBe('lost')
    await vi.advanceTimersByTimeAsync(2000)
    expect([session.status, turn()]).toEqual(['live', 'finished'])
  })

  // In a browser it said `live` for some frames, with the old state and the buttons of a request that was answered.
  it('says live only when it has the events that it missed', async () => {
    const { fire, session, turn } = await sleepingPage()
    vi.setSystemTime(Date.now() + 16_000)
    const seen: unknown[] = []
    session.subscribe(() => seen.push([session.status, session.store.getState().turn.status]))
    fire('online')
    await vi.advanceTimersByTimeAsync(2000)
    expect(seen).toEqual([
      ['lost', 'running'],
      ['live', 'finished'],
    ])
    expect(turn()).toBe('finished')
  })

  it('asks nothing if the connection gave a sign of life just before', async () => {
    const { show, session, requests } = await sleepingPage()
    vi.setSystemTime(Date.now() + 2000)
    show()
    await vi.advanceTimersByTimeAsync(100)
    expect([session.status, requests.length]).toEqual(['live', 1])
  })

  it('does not wait for the next try of a connection that it has lost', async () => {
    vi.useFakeTimers()
    const { fire } = stubPage()
    let isUp = true
    const server = createSessionHub()
    await server.publish('s', [{ type: 'session:running' }])
    const { hub, cut } = hubPage(() => ({
      fetch: (request) => (isUp ? server.fetch(request) : Promise.reject(new TypeError('offline'))),
    }))
    const session = hub.session('s')
    await vi.advanceTimersByTimeAsync(10)
    isUp = false
    cut()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(session.status).toBe('lost')
    isUp = true
    fire('online')
    await vi.advanceTimersByTimeAsync(50)
    expect(session.status).toBe('live')
  })
})
