import { expect, it } from 'vitest'
import { createSessionHub, type SessionHub } from '../../../src/entries/hub.ts'
import { createMemoryLog, LogError, type SessionLog } from '../../../src/entries/log.ts'
import { concatenated, open, text } from './readers.ts'

const placeIn = (message: string) => /^id: (.*)$/m.exec(message)?.[1]

/** Asks for more sessions than a hub keeps while nothing happens to them. */
async function askForOthers(hub: SessionHub): Promise<void> {
  for (let each = 0; each < 300; each += 1) await (await open(hub, `other-${each}`)).cancel()
}

/** Returns the log with other methods. */
function withMethods(log: SessionLog, methods: Partial<SessionLog>): SessionLog {
  return new Proxy(log, {
    get: (target, name) => Reflect.get(methods, name) ?? Reflect.get(target, name).bind(target),
  })
}

// The readers of a session that nobody had written yet gave its log another name than its writer.
it('gives a log one name, whoever reads and writes it', async () => {
  const log = createMemoryLog()
  const [hub, other] = [createSessionHub({ log }), createSessionHub({ log })]
  const readers = [await open(hub, 's'), await open(other, 's')]
  for (const reader of readers) await reader.read()
  await askForOthers(hub)
  const next = readers.map((reader) => reader.read())
  await hub.publish('s', [text(1)])
  readers.push(await open(hub, 's'), await open(createSessionHub({ log }), 's'))
  const [third, fourth] = readers.slice(2)
  const places = (await Promise.all([...next, third?.read(), fourth?.read()])).map((each) =>
    placeIn(each ?? ''),
  )
  expect(new Set(places).size).toBe(1)
  for (const reader of readers) await reader.cancel()
})

// The reader had a session of its own, and took the moment between the old events and the new ones for the end.
it('keeps a reader of a session that starts over, however many others there are', async () => {
  const hub = createSessionHub()
  await hub.publish('s', [text(1)])
  const reader = await open(hub, 's')
  await reader.read()
  const next = reader.read()
  await askForOthers(hub)
  const seq = await hub.publish('s', { startsOver: true, events: [text(2)] })
  const message = await next
  expect(message).toMatch(/^event: snapshot/)
  expect(message).toContain(`id: ${seq}:`)
  expect(message).toContain('"blocks":[{"id":"b2"')
  await reader.cancel()
})

// The pages of one server took the start of another server's session for its end, and never connected again.
it('keeps the readers of another hub when a session starts over, and ends them when it is deleted', async () => {
  const log = createMemoryLog()
  const [hub, other] = [createSessionHub({ log }), createSessionHub({ log })]
  await hub.publish('s', [text(1)])
  const reader = await open(other, 's')
  await reader.read()
  for (const at of [2, 3]) {
    const next = concatenated([reader], `"blocks":[{"id":"b${at}"`)
    await hub.publish('s', { startsOver: true, events: [text(at)] })
    expect(String(await next)).not.toContain('event: end')
  }
  const last = reader.read()
  await hub.delete('s')
  expect(await last).toMatch(/^event: end/)
})

// A caller that published again, as after any failed call, doubled its events.
it('has appended nothing when a call rejects because its snapshot cannot be saved', async () => {
  const memory = createMemoryLog()
  let isFull = false
  const saveSnapshot: SessionLog['saveSnapshot'] = async (...call) => {
    if (isFull) throw new LogError('broken', 'the disk is full')
    await memory.saveSnapshot(...call)
  }
  const log = withMethods(memory, { saveSnapshot })
  const hub = createSessionHub({ log })
  const events = Array.from({ length: 2100 }, (_, at) => text(at))
  await hub.publish('s', events.slice(0, 1))
  await hub.publish('s', events.slice(1))
  isFull = true
  await expect(hub.publish('s', [text(2100)])).rejects.toMatchObject({ code: 'broken' })
  isFull = false
  expect(await hub.publish('s', [text(2100)])).toBe(2101)
})

it('resolves once the log has the events, and rejects the next call if the log cannot be read', async () => {
  const memory = createMemoryLog()
  let isCut = false
  const read: SessionLog['read'] = (...call) => {
    if (isCut) throw new LogError('broken', 'no connection')
    return memory.read(...call)
  }
  const hub = createSessionHub({ log: withMethods(memory, { read }) })
  await hub.publish('s', [text(1)])
  isCut = true
  expect(await hub.publish('s', [text(2)])).toBe(2)
  await expect(hub.publish('s', [text(3)])).rejects.toMatchObject({ code: 'broken' })
  isCut = false
  expect(await hub.publish('s', [text(3)])).toBe(3)
})
