import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { Connection } from '../../../../src/node/session-index/postgres/connection.ts'

const message = (type: string, body: Buffer = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const ready = message('Z', Buffer.from('I'))
const loggedIn = Buffer.concat([message('R', Buffer.alloc(4)), ready])
const noRows = Buffer.concat([message('I'), ready])
const shutDown = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mbye\0\0'))

let server: Server | undefined
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server?.close()
})

/** Starts a server that lets everybody in, and gives the n-th connection its answer to each statement. */
async function serverThat(answers: (connection: number) => Buffer): Promise<string> {
  server = createServer((socket) => {
    const connection = sockets.push(socket)
    socket.once('data', () => {
      socket.write(loggedIn)
      socket.on('data', (sent) => {
        if (sent[0] !== 'X'.charCodeAt(0)) socket.write(answers(connection))
      })
    })
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return `postgres://ann@127.0.0.1:${typeof address === 'object' ? address?.port : ''}/team`
}

// A login is over in time, and then a command waited for ever.
it('names a server that is silent after the login, and closes', async () => {
  const connection = new Connection(`${await serverThat(() => Buffer.alloc(0))}?query_timeout=50`)
  const unreachable = { code: 'unreachable', message: expect.stringContaining('Query read timeout') }
  await expect(connection.query('select 1')).rejects.toMatchObject(unreachable)
  await expect(connection.transaction((query) => query('select 1'))).rejects.toMatchObject(unreachable)
  await connection.close()
})

it('keeps a new connection when the old one reports its end late', async () => {
  const connection = new Connection(await serverThat((count) => (count === 1 ? shutDown : noRows)))
  await expect(connection.query('select 1')).rejects.toMatchObject({ code: 'unreachable' })
  expect(await connection.query('select 1')).toEqual([])
  sockets[0]?.destroy()
  for (let at = 0; at < 5; at += 1) expect(await connection.query('select 1')).toEqual([])
  expect(sockets).toHaveLength(2)
  await connection.close()
})
