import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { createSessionHub } from '../../../src/entries/hub.ts'
import { createMemoryLog } from '../../../src/entries/log.ts'
import { nodeHandler } from '../../../src/entries/node.ts'
import { open, text } from './readers.ts'
import { Page } from './wire.ts'

afterEach(() => {
  vi.useRealTimers()
})

// A timer that all hubs of a process shared never came if a test with timers of its own ended before it.
it('does not wait for the timers of another hub', async () => {
  vi.useFakeTimers()
  const [first, second] = [createSessionHub(), createSessionHub()]
  for (const hub of [first, second]) await hub.publish('s', [text(0)])
  for (let at = 0; at < 200; at += 1) void (await open(first, 's')).read()
  vi.useRealTimers()
  expect(await (await open(second, 's')).read()).toMatch(/^event: snapshot/)
})

// A reader that takes nothing held its snapshot and its place in the log for ever.
it('ends the stream of a reader that takes nothing, and says why', async () => {
  vi.useFakeTimers()
  const hub = createSessionHub({ stallMs: 1000 })
  await hub.publish('s', [text(0)])
  const [stalled, late, silent] = [await open(hub, 's'), await open(hub, 's'), await open(hub, 's')]
  await stalled.read()
  for (let time = 0; time < 3; time += 1) {
    await vi.advanceTimersByTimeAsync(900)
    if (time === 0) expect(await late.read()).toMatch(/^event: snapshot/)
  }
  for (const reader of [stalled, late, silent])
    await expect(reader.read()).rejects.toThrow('the reader of a session took nothing for 1000 ms')
})

it('keeps a reader that waits for the next event, and one that takes its time', async () => {
  vi.useFakeTimers()
  const hub = createSessionHub({ stallMs: 1000, heartbeatMs: 100_000 })
  await hub.publish('s', [text(0)])
  const reader = await open(hub, 's')
  await reader.read()
  for (let at = 1; at < 4; at += 1) {
    await vi.advanceTimersByTimeAsync(900)
    const next = reader.read()
    await vi.advanceTimersByTimeAsync(50_000)
    await hub.publish('s', [text(at)])
    expect(await next).toContain(`"b${at}"`)
  }
  await reader.cancel()
  // Its own timer would be there for 1000 ms.
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0), { timeout: 300 })
})

it('gives a page that was asleep the whole session when it reads again', async () => {
  vi.useFakeTimers()
  const log = createMemoryLog()
  const hub = createSessionHub({ log, stallMs: 1000 })
  await hub.publish('s', [text(0)])
  const page = new Page(() => hub)
  await vi.advanceTimersByTimeAsync(100)
  page.slowDown()
  for (let at = 1; at < 4; at += 1) {
    await hub.publish('s', [text(at)])
    await vi.advanceTimersByTimeAsync(5000)
  }
  page.speedUp()
  await vi.advanceTimersByTimeAsync(5000)
  expect(page.state.blocks).toHaveLength(4)
  expect(page.connection.status).toBe('live')
  page.connection.close()
})

it('closes the connection of such a reader over HTTP', async () => {
  const hub = createSessionHub({ stallMs: 300 })
  await hub.publish('s', [text(0, 'x'.repeat(40_000_000))])
  const errors: string[] = []
  const handler = nodeHandler(hub, { onError: (error) => errors.push(String(error)) })
  const server = createServer(handler).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1').pause()
  onTestFinished(() => void socket.destroy())
  socket.write('GET /s HTTP/1.1\r\nHost: hub.example\r\n\r\n')
  await expect.poll(() => errors).toEqual([expect.stringContaining('took nothing for 300 ms')])
  const count = async () => new Promise((resolve) => server.getConnections((_, open) => resolve(open)))
  await expect.poll(count).toBe(0)
})
