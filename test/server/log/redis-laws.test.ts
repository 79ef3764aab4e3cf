import { afterAll, beforeAll, describe, it } from 'vitest'
import { createRedisLog, type RedisConnection } from '../../../src/entries/redis.ts'
import { sessionLogLaws } from '../../../src/entries/testing.ts'
import { connectTo, type RedisServer, skipReason, startRedis } from './faults/redis-server.ts'

describe.skipIf(skipReason)(`a log in Redis ${skipReason ?? ''}`, () => {
  let server: RedisServer
  let client: RedisConnection
  beforeAll(async () => {
    server = await startRedis()
    client = await connectTo(server.url)
  })
  afterAll(async () => {
    client?.destroy()
    await server?.stop()
  })

  it.each(sessionLogLaws)('$name', async ({ name, check }) => {
    const log = createRedisLog(client)
    await check(log, `A/../}${name}`)
    await log.close()
  })
})
