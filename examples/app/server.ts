import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { SessionEvent } from 'agentfold'
import type { Snapshot, StampedEvent } from 'agentfold/sync'
import { bundlePage } from './bundle.ts'
import type { Transport } from './event-stream.ts'
import { answer } from './routes.ts'
import { SessionLog } from './session-log.ts'

export type { Transport } from './event-stream.ts'

export interface AppOptions {
  /** The events of the session. The page shows each one as soon as it arrives. */
  readonly events?: Iterable<SessionEvent> | AsyncIterable<SessionEvent>
  /** The default is any free port. */
  readonly port?: number
  /** The default accepts requests from this computer alone. */
  readonly host?: string
  /** The default sends each event once and in order. */
  readonly transport?: Transport
  readonly heartbeatMs?: number
  /** Called when a reader connects. */
  readonly onReader?: () => void
}

export interface RunningApp {
  readonly url: string
  /** The name of this server's log. */
  readonly epoch: string
  readonly stamped: readonly StampedEvent[]
  readonly append: (event: SessionEvent) => void
  readonly snapshot: () => Snapshot
  /** Resolves after the last of `events`. Rejects if they cannot be read. */
  readonly ended: Promise<void>
  /** Closes all connections. */
  readonly close: () => Promise<void>
}

/** Serves a page that shows a running session. Rejects if the port is in use. */
export async function startApp({
  events = [],
  port = 0,
  host = '127.0.0.1',
  transport = (stamped, write) => write(stamped),
  heartbeatMs = 15_000,
  onReader = () => {},
}: AppOptions = {}): Promise<RunningApp> {
  const log = new SessionLog()
  const routes = { log, page: await bundlePage(), transport, heartbeatMs, onReader }
  const server = createServer((request, response) => answer(routes, request, response))
  server.listen(port, host)
  await once(server, 'listening')
  const closing = new AbortController()
  const ended = appendAll(events, log, closing.signal)
  // A caller that does not await `ended` must not crash from an unhandled rejection.
  ended.catch(() => {})
  return {
    url: urlOf(server),
    epoch: log.epoch,
    stamped: log.stamped,
    append: (event) => log.append(event),
    snapshot: () => log.snapshot(),
    ended,
    close: async () => {
      closing.abort()
      await close(server)
    },
  }
}

async function appendAll(
  events: Required<AppOptions>['events'],
  log: SessionLog,
  closing: AbortSignal,
): Promise<void> {
  for await (const event of events) {
    if (closing.aborted) return
    log.append(event)
  }
}

function urlOf(server: Server): string {
  const address = server.address()
  if (typeof address !== 'object' || address === null)
    throw new TypeError('the server does not listen on a port')
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host}:${address.port}/`
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
