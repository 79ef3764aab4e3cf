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
  /** What happens in the session: each event is shown as soon as it comes. */
  readonly events?: Iterable<SessionEvent> | AsyncIterable<SessionEvent>
  /** Any that is free, unless told otherwise. */
  readonly port?: number
  /** This machine alone, unless told otherwise. */
  readonly host?: string
  /** Each event once and in order, unless told otherwise. */
  readonly transport?: Transport
  readonly heartbeatMs?: number
  /** Is called when somebody begins to follow the events. */
  readonly onReader?: () => void
}

export interface RunningApp {
  readonly url: string
  /** The name of this server's log. */
  readonly epoch: string
  readonly stamped: readonly StampedEvent[]
  readonly append: (event: SessionEvent) => void
  readonly snapshot: () => Snapshot
  /** When all `events` have come; rejected if they could not be read. */
  readonly ended: Promise<void>
  /** Cuts all connections. */
  readonly close: () => Promise<void>
}

/** Serves a page that shows a session as it goes on. Rejects if the port is taken. */
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
  const ended = take(events, log, closing.signal)
  // Who does not ask how it ended is not to die of it.
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

async function take(
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
  if (typeof address !== 'object' || address === null) throw new TypeError('the server listens nowhere')
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host}:${address.port}/`
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
