import { once } from 'node:events'
import type { Server } from 'node:net'

/** Opens a server for this computer alone, on a free port or on the given one. Returns its address. */
export async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new TypeError('the server has no port')
  return `http://127.0.0.1:${address.port}/`
}
