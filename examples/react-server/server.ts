import type { IncomingMessage, ServerResponse } from 'node:http'
import { createSessionStore, type SessionEvent } from 'agentfold'
import { type Cursor, snapshot, stamp } from 'agentfold/sync'

/** The bytes that wait for a slow page. Beyond that the server cuts its connection. The page connects again, and goes on. */
const MAX_WAITING = 8_000_000

const streams = new Set<ServerResponse>()
let session = newLog()

function newLog() {
  const [log, cursor]: [string[], Cursor] = [[], { epoch: crypto.randomUUID(), seq: 0 }]
  return { store: createSessionStore(), log, cursor }
}

/** Begins another log. The pages notice it with its first event, and load the new state. */
export function restart(): void {
  session = newLog()
}

/** Applies an event, and sends it with its number to every page. */
export function publish(event: SessionEvent): void {
  const { cursor, stamped } = stamp(session.cursor, event)
  const message = `id: ${stamped.seq}\ndata: ${JSON.stringify(stamped)}\n\n`
  session.cursor = cursor
  session.store.dispatch(event)
  session.log.push(message)
  for (const stream of streams) {
    stream.write(message)
    if (stream.writableLength > MAX_WAITING) stream.destroy()
  }
}

/** Answers `/snapshot` with the state, and `/events?after=<number>` with all later events. */
export function handle({ url = '/', headers }: IncomingMessage, response: ServerResponse): void {
  const { store, log, cursor } = session
  const [path, query] = url.split('?')
  if (path === '/snapshot')
    return void response.end(JSON.stringify(snapshot({ state: store.flush(), ...cursor })))
  if (path !== '/events') return void response.writeHead(404).end()
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  // A browser that connects again says which event was its last one.
  const after = headers['last-event-id'] ?? new URLSearchParams(query).get('after')
  response.write(log.slice(Number(after)).join(''))
  streams.add(response.on('close', () => streams.delete(response)))
}
