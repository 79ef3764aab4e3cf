import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { answer, type Routes } from './routes.ts'

/** By default the first address shows the page, and the token is a random one. */
export interface ServerOptions
  extends Pick<Routes, 'page' | 'content'>,
    Partial<Pick<Routes, 'isPage' | 'token'>> {
  /** The default is any free port. */
  readonly port?: number | undefined
}

export interface RunningServer {
  /** The first address, with the token. */
  readonly url: string
  /** Closes all connections. */
  readonly close: () => Promise<void>
}

/** Serves a page and its content, on this computer alone. Rejects if the port is in use. */
export async function startServer({
  page,
  isPage = (path) => path === '',
  content,
  port = 0,
  token = randomBytes(18).toString('base64url'),
}: ServerOptions): Promise<RunningServer> {
  const routes = { page, isPage, content, token }
  const server = createServer((request, response) => answer(routes, request, response))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${portOf(server)}/${token}/`, close: () => close(server) }
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
