export type { RedisConnection } from './connection.ts'
export { createRedisLog, type RedisLogOptions } from './redis-log.ts'
