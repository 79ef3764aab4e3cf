import { once } from 'node:events'
import type { Server } from 'node:http'

/** Opens a server for this computer alone, on a free port. Returns its address. */
export async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new TypeError('the server has no port')
  return `http://127.0.0.1:${address.port}/`
}
