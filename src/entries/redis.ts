export type { RedisConnection } from '../server/log/redis/connection.ts'
export { createRedisLog, type RedisLogOptions } from '../server/log/redis/redis-log.ts'
export {
  type BeginOptions,
  createRedisRequestAgents,
  type RedisRequestAgents,
  type RedisRequestAgentsOptions,
} from '../server/request-agents/redis-request-agents.ts'
