import { createHash } from 'node:crypto'
import { type RedisConnection, send } from './connection.ts'

/** A Lua script. Redis runs it whole, and nothing else at the same time. */
interface Script {
  readonly source: string
  readonly sha: string
}

function script(source: string): Script {
  const whole = `local function text(number) return string.format('%.0f', number) end
local function numbers(...)
  local found = redis.call('HMGET', KEYS[1], ...)
  for at = 1, #found do found[at] = tonumber(found[at] or '0') end
  return unpack(found)
end
${source}`
  return { source: whole, sha: createHash('sha1').update(whole).digest('hex') }
}

/**
 * KEYS: meta, events. ARGV: the expected number, the generation or '', the events.
 * A first `XADD` that Redis refuses ends the script before it has written anything, and no later one can fail.
 */
export const APPEND: Script = script(`
local generation, seq = numbers('generation', 'seq')
if ARGV[2] ~= '' and tonumber(ARGV[2]) ~= generation then return {'old-generation', text(generation)} end
if tonumber(ARGV[1]) ~= seq then return {'wrong-seq', text(seq)} end
local time = redis.call('TIME')
for at = 3, #ARGV do
  seq = seq + 1
  redis.call('XADD', KEYS[2], text(seq) .. '-0', 'event', ARGV[at], 'time', time[1] .. string.format('%06d', time[2]))
end
if #ARGV > 2 then redis.call('HSET', KEYS[1], 'seq', text(seq)) end
return {'ok', text(seq)}`)

/**
 * KEYS: meta, events. ARGV: the number before the page, the first number of the page, the length of the page, the time of the event before the
 * page or ''. A server that lost that event, and got another one in its place, has another time there.
 */
export const PAGE: Script = script(`
local seq, dropped = numbers('seq', 'dropped')
local before = tonumber(ARGV[1])
if before < dropped then return {'trimmed', text(dropped)} end
if before > seq then return {'lost-events', text(seq)} end
local time = ARGV[4]
if time ~= '' then
  local entry = redis.call('XRANGE', KEYS[2], ARGV[1], ARGV[1])[1]
  if entry and entry[2][4] ~= time then return {'lost-events', text(seq)} end
end
local page = {'ok', text(seq), time}
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], ARGV[2], '+', 'COUNT', ARGV[3])) do
  page[#page + 1] = entry[1]
  page[#page + 1] = entry[2][2]
  page[3] = entry[2][4]
end
return page`)

/** KEYS: meta, events, snapshot. ARGV: the snapshot's number, the generation or '', the snapshot, the first number to keep or ''. */
export const SAVE_SNAPSHOT: Script = script(`
local generation, seq, saved = numbers('generation', 'seq', 'snapshotSeq')
local at = tonumber(ARGV[1])
if ARGV[2] ~= '' and tonumber(ARGV[2]) ~= generation then return {'old-generation', text(generation)} end
if at > seq then return {'wrong-seq', text(seq)} end
if at < saved then return {'ok', text(saved)} end
redis.call('SET', KEYS[3], ARGV[3])
redis.call('HSET', KEYS[1], 'snapshotSeq', ARGV[1])
if ARGV[4] ~= '' then
  redis.call('XTRIM', KEYS[2], 'MINID', ARGV[4])
  redis.call('HSET', KEYS[1], 'dropped', ARGV[1])
end
return {'ok', ARGV[1]}`)

/**
 * KEYS: meta. ARGV: the owner, the lease's milliseconds. The time is the server's: the clocks of the owners do not matter. A generation is at
 * least the time in milliseconds, so a server that lost the last leases gives none of their generations again. A clock that went back keeps no lease
 * for longer than its time.
 */
export const ACQUIRE: Script = script(`
local generation, expires, lease = numbers('generation', 'expiresAt', 'leaseMs')
local owner = redis.call('HGET', KEYS[1], 'owner')
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local held = owner and expires > now
if held and owner ~= ARGV[1] then
  if expires > now + lease then redis.call('HSET', KEYS[1], 'expiresAt', text(now + lease)) end
  return {'held', text(generation)}
end
if not held then generation = math.max(generation + 1, now) end
redis.call('HSET', KEYS[1], 'generation', text(generation), 'owner', ARGV[1], 'expiresAt', text(now + tonumber(ARGV[2])), 'leaseMs', ARGV[2])
return {'ok', text(generation)}`)

/** KEYS: meta. ARGV: the generation. */
export const RELEASE: Script = script(`
local generation = numbers('generation')
if tonumber(ARGV[1]) == generation then
  redis.call('HDEL', KEYS[1], 'owner', 'expiresAt')
end
return {'ok', text(generation)}`)

/** The reply of a script: how it ended, a number, and the entries of a page. */
interface ScriptReply {
  readonly status: string | undefined
  readonly value: number
  readonly rest: readonly string[]
}

/** Runs a script by its hash. A server that does not have it, for example after a restart, gets the source. */
export async function runScript(
  client: RedisConnection,
  { source, sha }: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<ScriptReply> {
  const operands = [String(keys.length), ...keys, ...args.map(String)]
  let reply: unknown
  try {
    reply = await send(client, ['EVALSHA', sha, ...operands])
  } catch (error) {
    if (!String(error).includes('NOSCRIPT ')) throw error
    reply = await send(client, ['EVAL', source, ...operands])
  }
  const [status, value, ...rest] = [reply].flat().map(String)
  return { status, value: Number(value), rest }
}
