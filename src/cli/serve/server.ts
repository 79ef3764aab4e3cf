import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { SessionEvent } from '../../events/event.ts'
import type { StampedEvent } from '../../sync/sequence.ts'
import type { Snapshot } from '../../sync/snapshot.ts'
import type { Transport } from './event-stream.ts'
import { answer } from './routes.ts'
import { ServedLog } from './served-log.ts'

export type { Transport } from './event-stream.ts'

export interface ServerOptions {
  /** The HTML of the page. */
  readonly page: string
  /** The session. The default is an empty one. */
  readonly log?: ServedLog
  /** The default is any free port. */
  readonly port?: number | undefined
  /** The default is a random one. */
  readonly token?: string
  /** The default sends each event once and in order. */
  readonly transport?: Transport
  readonly heartbeatMs?: number
  /** Called when a reader connects. */
  readonly onReader?: () => void
}

export interface RunningServer {
  /** The address of the page, with the token. */
  readonly url: string
  /** The name of the log. */
  readonly epoch: string
  readonly stamped: readonly StampedEvent[]
  readonly append: (event: SessionEvent) => void
  readonly snapshot: () => Snapshot
  /** Closes all connections. */
  readonly close: () => Promise<void>
}

/** Serves a page that shows a session, on this computer alone. Rejects if the port is in use. */
export async function startServer({
  page,
  log = new ServedLog(),
  port = 0,
  token = randomBytes(18).toString('base64url'),
  transport = (stamped, write) => write(stamped),
  heartbeatMs = 15_000,
  onReader = () => {},
}: ServerOptions): Promise<RunningServer> {
  const routes = { log, page, token, transport, heartbeatMs, onReader }
  const server = createServer((request, response) => answer(routes, request, response))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${portOf(server)}/${token}/`,
    get epoch() {
      return log.epoch
    },
    get stamped() {
      return log.stamped
    },
    append: (event) => log.append([event]),
    snapshot: () => log.snapshot(),
    close: () => close(server),
  }
}

function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null)
    throw new TypeError('the server does not listen on a port')
  return address.port
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
