import { asString } from '../../core/json/values.ts'
import {
  keyAfter,
  keysOf,
  type ModelMessage,
  type ModelRequest,
  type OpenRequest,
} from '../../gateway/request-agents.ts'
import { isTransient, type RedisConnection, send } from '../log/redis/connection.ts'

/** The options of `createRedisRequestAgents`. */
export interface RedisRequestAgentsOptions {
  /** The owner of these requests. Equal requests of two tenants are of two agents. */
  readonly tenant: string
  /** The beginning of all keys in Redis. The default is `agentfold`. */
  readonly prefix?: string
  /** Returns the id of a new agent. The default counts the agents of the tenant: `agent-1`, `agent-2`. */
  readonly newId?: () => string
  /**
   * A request that is open for longer has failed with its gateway, in ms. The default is an hour: it must be longer
   * than any answer takes.
   */
  readonly openMs?: number
  /** A conversation that nobody goes on with is forgotten after that time, in ms. The default is 30 days. */
  readonly keepMs?: number
}

/** Knows which agent sent a request. Several processes share it. */
export interface RedisRequestAgents {
  /** Takes the agent of a request. No other request of any process is of this agent before the request is answered or fails. */
  begin(request: ModelRequest): Promise<OpenRequest>
  /**
   * The model has answered with that message. The next request of the agent repeats it. Returns false if the request
   * was open for too long: it counts as failed.
   */
  answered(open: OpenRequest, answer: ModelMessage): Promise<boolean>
  /** The request failed, so it may come again. Returns false if it counts as failed already. */
  failed(open: OpenRequest): Promise<boolean>
  /** Forgets the tenant. */
  delete(): Promise<void>
}

const HOUR_MS = 3_600_000
const MOST_TRIES = 5

/**
 * KEYS: the open requests, their times, the number of agents. ARGV: the prefix, the id of the request, two hashes,
 * `openMs`, `keepMs`, the id of a new agent or ''. First, requests that are open for too long have failed. A call
 * that comes again, because its reply was lost, gets its first reply.
 */
const BEGIN = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local known = redis.call('HGET', KEYS[1], ARGV[2])
if not known then
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[5], 'LIMIT', 0, 100)) do
    local entry = cjson.decode(redis.call('HGET', KEYS[1], id))
    redis.call('HDEL', KEYS[1], id)
    redis.call('ZREM', KEYS[2], id)
    redis.call('RPUSH', ARGV[1] .. 'waiting:' .. entry[1], entry[2])
    redis.call('PEXPIRE', ARGV[1] .. 'waiting:' .. entry[1], ARGV[6])
  end
  local key = ARGV[3]
  local agent = redis.call('LPOP', ARGV[1] .. 'waiting:' .. key)
  if not agent then
    key = ARGV[4]
    agent = redis.call('LPOP', ARGV[1] .. 'waiting:' .. key)
  end
  if not agent then
    local count = redis.call('INCR', KEYS[3])
    agent = ARGV[7] ~= '' and ARGV[7] or 'agent-' .. count
  end
  known = cjson.encode({ key, agent })
  redis.call('HSET', KEYS[1], ARGV[2], known)
  redis.call('ZADD', KEYS[2], now, ARGV[2])
end
return known`

/**
 * KEYS: the open requests, their times, a mark that the request has ended. ARGV: the prefix, the id of the request,
 * the hash of the conversation or '' after a failure, `keepMs`.
 */
const END = `
if redis.call('EXISTS', KEYS[3]) == 1 then return 1 end
local known = redis.call('HGET', KEYS[1], ARGV[2])
if not known then return 0 end
local entry = cjson.decode(known)
local waiting = ARGV[1] .. 'waiting:' .. (ARGV[3] ~= '' and ARGV[3] or entry[1])
redis.call('HDEL', KEYS[1], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('RPUSH', waiting, entry[2])
redis.call('PEXPIRE', waiting, ARGV[4])
redis.call('SET', KEYS[3], '1', 'PX', 60000)
return 1`

/**
 * Returns what `createRequestAgents` returns, for several processes: each call is one script in Redis, so they agree,
 * and a process that is killed leaves nothing half done. Its open requests fail after `openMs`. Throws a `TypeError`
 * without a tenant. The owner of the client closes it.
 */
export function createRedisRequestAgents(
  client: RedisConnection,
  {
    tenant,
    prefix = 'agentfold',
    newId,
    openMs = HOUR_MS,
    keepMs = 30 * 24 * HOUR_MS,
  }: RedisRequestAgentsOptions,
): RedisRequestAgents {
  if (typeof tenant !== 'string' || tenant === '')
    throw new TypeError('tenant: pass whose requests these are')
  // The braces keep the keys of a tenant on one server of a cluster. No tenant may close them.
  const start = `${prefix}:agents:{${encodeURIComponent(tenant)}}:`
  const [open, times, count] = ['open', 'times', 'count'].map((name) => start + name)
  const ids = new WeakMap<OpenRequest, string>()
  const run = (script: string, keys: readonly unknown[], args: readonly string[]): Promise<unknown> =>
    retried(() => send(client, ['EVAL', script, String(keys.length), ...keys.map(String), ...args]))

  const end = async (request: OpenRequest, key: string): Promise<boolean> => {
    const id = ids.get(request)
    if (id === undefined) throw new TypeError('open: pass what begin returned')
    return (await run(END, [open, times, `${start}ended:${id}`], [start, id, key, String(keepMs)])) === 1
  }
  return {
    async begin(request) {
      const id = crypto.randomUUID()
      const keys = keysOf(request)
      const reply = await run(
        BEGIN,
        [open, times, count],
        [start, id, keys.answered, keys.whole, String(openMs), String(keepMs), newId?.() ?? ''],
      )
      const [key = '', agentId = ''] = JSON.parse(asString(reply) ?? '[]')
      const begun: OpenRequest = { agentId, request, key }
      ids.set(begun, id)
      return begun
    },
    answered: (request, answer) => end(request, keyAfter(request.request, answer)),
    failed: (request) => end(request, ''),
    async delete() {
      const pattern = `${start.replace(/[*?[\]\\]/g, '\\$&')}*`
      let cursor = '0'
      do {
        const reply = await send(client, ['SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000'])
        const [next, keys] = Array.isArray(reply) ? reply : ['0', []]
        cursor = String(next)
        if (Array.isArray(keys) && keys.length > 0) await send(client, ['DEL', ...keys.map(String)])
      } while (cursor !== '0')
    },
  }
}

/** A script whose reply was lost gives it again. */
async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work()
    } catch (error) {
      if (tries === MOST_TRIES || !isTransient(error)) throw error
    }
}
