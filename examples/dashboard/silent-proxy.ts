import { connect, createServer, type Socket } from 'node:net'
import { listen } from '../listen.ts'

/** A network before a server. Its connections can break without a sign, as those of a computer that sleeps. */
interface SilentProxy {
  readonly url: string
  /** Its open connections pass nothing on from now on. New ones do. */
  readonly silence: () => void
  readonly close: () => void
}

/** Returns a network before the port of this computer. */
export async function silentProxy(port: number): Promise<SilentProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    // A killed server resets its connections: the browser sees it.
    far.on('close', () => near.destroy())
    near.on('close', () => far.destroy())
  })
  return {
    url: await listen(server),
    silence: () => {
      for (const socket of sockets) socket.unpipe().pause().removeAllListeners('close')
    },
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
