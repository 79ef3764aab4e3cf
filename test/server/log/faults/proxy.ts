import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A connection to a server on this computer that can fail. */
export interface TcpProxy {
  readonly url: string
  /** Cuts every connection. New ones are served. */
  readonly cut: () => void
  /** Keeps every connection open, and lets no more bytes through. New ones are served. */
  readonly hold: () => void
  /** Cuts every connection, and serves no new ones until it is called with false. */
  readonly refuse: (isRefusing: boolean) => void
  readonly close: () => Promise<void>
}

export async function startProxy(port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isRefusing = false
  const server = createServer((near) => {
    if (isRefusing) {
      near.destroy()
      return
    }
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    far.pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new TypeError('the proxy has no port')
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const hold = (): void => {
    for (const socket of sockets) socket.unpipe().pause()
  }
  const refuse = (value: boolean): void => {
    isRefusing = value
    cut()
  }
  const close = async (): Promise<void> => {
    cut()
    server.close()
    await once(server, 'close')
  }
  return { url: `redis://127.0.0.1:${address.port}`, cut, hold, refuse, close }
}
