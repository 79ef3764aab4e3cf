import { createHash } from 'node:crypto'
import type { SessionEvent } from '../../../core/events/event.ts'
import { parseJson } from '../../../core/json/values.ts'
import { LogError } from '../log-error.ts'
import type { LoggedEvent } from '../session-log.ts'
import { type RedisConnection, send } from './connection.ts'

/** The keys of a session. */
interface SessionKeys {
  /**
   * A hash: `seq`, `digest`, `dropped`, `droppedDigest`, `snapshotSeq`, `snapshotDigest`, `generation`, `owner`,
   * `expiresAt` and `leaseMs`.
   */
  readonly meta: string
  /** A stream with one entry for each event: its JSON and its digest. The entry's id is the event's number. */
  readonly events: string
  readonly snapshot: string
}

/** Returns the keys of a session. The braces are a hash tag: a cluster keeps all keys of a session on one node. */
export function keysOf(prefix: string, sessionId: string): SessionKeys {
  const base = `${prefix}{${escaped(sessionId)}}:`
  return { meta: `${base}meta`, events: `${base}events`, snapshot: `${base}snapshot` }
}

/** Returns the pattern of the keys that end with `meta`, for `SCAN`. */
export function metaPattern(prefix: string): string {
  return `${prefix.replace(/[\\*?[\]]/g, '\\$&')}{*}:meta`
}

/** Returns the id of the session that has the key, or undefined for another key. */
export function sessionIdOf(prefix: string, metaKey: string): string | undefined {
  const [start, end] = [`${prefix}{`, '}:meta']
  if (!metaKey.startsWith(start) || !metaKey.endsWith(end)) return undefined
  const text = metaKey.slice(start.length, -end.length)
  return text.replace(/%(25|7d|d[89a-f][0-9a-f]{2})/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

/** A closing brace ends a hash tag, and two halves of characters look the same in UTF-8. */
function escaped(sessionId: string): string {
  return sessionId.replace(/[%}]|\p{Surrogate}/gu, (unit) => `%${unit.charCodeAt(0).toString(16)}`)
}

/** The end of the events that a reader has. */
export interface Place {
  readonly seq: number
  /** The digest of the event of that number, or undefined if the reader does not know it. */
  readonly digest: string | undefined
}

/** The place of a page in its session. */
interface PagePlace {
  readonly key: string
  readonly afterSeq: number
  /** The number of the session's last event. */
  readonly last: number
}

/**
 * Returns the events of a page, which repeats ids, JSON and digests. Throws a `LogError` (`broken`) if an event is
 * missing or damaged, for example because another program deleted it.
 */
export function eventsOf(
  fields: readonly string[],
  { key, afterSeq, last }: PagePlace,
): readonly LoggedEvent[] {
  const events: LoggedEvent[] = []
  for (let at = 0; at < fields.length; at += 3) {
    const seq = afterSeq + events.length + 1
    const [id, text = '', digest = ''] = fields.slice(at, at + 3)
    const event = parseJson(text)
    if (id !== `${seq}-0` || event === undefined) throw broken(key, seq)
    events.push({ seq, event: event as SessionEvent, digest })
  }
  if (events.length === 0 && afterSeq < last) throw broken(key, afterSeq + 1)
  return events
}

function broken(key: string, seq: number): LogError {
  return new LogError('broken', `event ${seq} is missing or damaged: ${key}`)
}

/** A Lua script. Redis runs it whole, and nothing else at the same time. */
interface Script {
  readonly source: string
  readonly sha: string
}

/** The length of a digest in characters: a chance of one in 2^64 is less than that of a broken memory. */
const DIGEST_LENGTH = 16
/** The entries that are read at once, because a few of them may be as long as a page. */
const READ_LENGTH = 8

function script(source: string): Script {
  const whole = `local function text(number) return string.format('%.0f', number) end
local function number(value)
  if not value then return 0 end
  return string.match(value, '^%d+%.?%d*$') and #value < 40 and tonumber(value)
end
local function digestAt(at, dropped)
  if at == dropped then return redis.call('HGET', KEYS[1], 'droppedDigest') or '' end
  local entry = redis.call('XRANGE', KEYS[2], text(at), text(at))[1]
  return entry and entry[2][4] or ''
end
local function isOther(digest, found) return digest ~= '' and found ~= '' and digest ~= found end
${source}`
  return { source: whole, sha: createHash('sha1').update(whole).digest('hex') }
}

/** Returns the beginning of a script that reads numbers of the meta key. A missing one is 0, and a damaged one ends the script. */
function numbers(...names: readonly string[]): string {
  return `local meta = redis.call('HMGET', KEYS[1], '${names.join("', '")}')
${names.map((name, at) => `local ${name} = number(meta[${at + 1}])\nif not ${name} then return {'broken', '0', '${name}'} end`).join('\n')}`
}

/**
 * KEYS: meta, events. ARGV: the expected number, the generation or '', the digest of that number or '', the events. A
 * first `XADD` that Redis refuses ends the script before it has written anything, and no later one can fail. The
 * digest of an event hashes the digest before it, so it stands for all events up to this one.
 */
export const APPEND: Script = script(`
${numbers('generation', 'seq', 'dropped')}
if ARGV[2] ~= '' and tonumber(ARGV[2]) ~= generation then return {'old-generation', text(generation)} end
if tonumber(ARGV[1]) ~= seq then return {'wrong-seq', text(seq)} end
local digest = redis.call('HGET', KEYS[1], 'digest') or ''
if isOther(digest, digestAt(seq, dropped)) then return {'broken', '0', 'digest'} end
if isOther(ARGV[3], digest) then return {'lost-events', text(seq)} end
local first = seq == 0 and redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
if first and first[2][1] == 'deleted' then redis.call('DEL', KEYS[2]) end
for at = 4, #ARGV do
  seq = seq + 1
  digest = string.sub(redis.sha1hex(digest .. redis.sha1hex(ARGV[at])), 1, ${DIGEST_LENGTH})
  redis.call('XADD', KEYS[2], text(seq) .. '-0', 'event', ARGV[at], 'digest', digest)
end
if #ARGV > 3 then redis.call('HSET', KEYS[1], 'seq', text(seq), 'digest', digest) end
return {'ok', text(seq)}`)

/** KEYS: meta, events. ARGV: the number before the page, its digest or '', the most events of the page, and the bytes that end it. */
export const PAGE: Script = script(`
${numbers('seq', 'dropped')}
local before = tonumber(ARGV[1])
if before < dropped then return {'trimmed', text(dropped)} end
if before > seq or isOther(ARGV[2], digestAt(before, dropped)) then return {'lost-events', text(seq)} end
local page, length, bytes = {'ok', text(seq)}, 0, 0
while length < tonumber(ARGV[3]) and bytes < tonumber(ARGV[4]) do
  local entries = redis.call('XRANGE', KEYS[2], text(before + length + 1), text(seq), 'COUNT', ${READ_LENGTH})
  for _, entry in ipairs(entries) do
    page[#page + 1] = entry[1]
    page[#page + 1] = entry[2][2]
    page[#page + 1] = entry[2][4] or ''
    bytes = bytes + #entry[2][2]
  end
  length = length + #entries
  if #entries < ${READ_LENGTH} then break end
end
return page`)

/**
 * KEYS: meta, events, snapshot. ARGV: the snapshot's number, its digest or '', the generation or '', the snapshot, '1'
 * to drop its events.
 */
export const SAVE_SNAPSHOT: Script = script(`
${numbers('generation', 'seq', 'snapshotSeq', 'dropped')}
local at = tonumber(ARGV[1])
if ARGV[3] ~= '' and tonumber(ARGV[3]) ~= generation then return {'old-generation', text(generation)} end
if at > seq then return {'wrong-seq', text(seq)} end
local digest = digestAt(at, dropped)
if isOther(ARGV[2], digest) then return {'lost-events', text(seq)} end
if at < snapshotSeq then return {'ok', text(snapshotSeq)} end
redis.call('SET', KEYS[3], ARGV[4])
redis.call('HSET', KEYS[1], 'snapshotSeq', ARGV[1], 'snapshotDigest', digest)
if ARGV[5] ~= '' then
  redis.call('XTRIM', KEYS[2], 'MINID', text(at + 1))
  redis.call('HSET', KEYS[1], 'dropped', ARGV[1], 'droppedDigest', digest)
end
return {'ok', ARGV[1]}`)

/** KEYS: meta, events, snapshot. A snapshot of other events than the stream has is none. */
export const LOAD_SNAPSHOT: Script = script(`
${numbers('seq', 'snapshotSeq', 'dropped')}
local snapshot = redis.call('GET', KEYS[3])
local digest = redis.call('HGET', KEYS[1], 'snapshotDigest') or ''
if not snapshot or snapshotSeq > seq or isOther(digest, digestAt(snapshotSeq, dropped)) then return {'none', '0'} end
return {'ok', text(snapshotSeq), snapshot}`)

/**
 * KEYS: meta. ARGV: the owner, the lease's milliseconds. The time is the server's: the clocks of the owners do not
 * matter. A generation is at least the time in milliseconds, so a server that lost the last leases gives none of
 * their generations again. A clock that went back keeps no lease for longer than its time.
 */
export const ACQUIRE: Script = script(`
${numbers('generation', 'expiresAt', 'leaseMs')}
local owner = redis.call('HGET', KEYS[1], 'owner')
local lease = math.min(tonumber(ARGV[2]), 2 ^ 52)
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local held = owner and expiresAt > now
if held and owner ~= ARGV[1] then
  if expiresAt > now + leaseMs then redis.call('HSET', KEYS[1], 'expiresAt', text(now + leaseMs)) end
  return {'held', text(generation)}
end
if not held then generation = math.max(generation + 1, now) end
redis.call('HSET', KEYS[1], 'generation', text(generation), 'owner', ARGV[1], 'expiresAt', text(now + lease), 'leaseMs', text(lease))
return {'ok', text(generation)}`)

/** KEYS: meta. ARGV: the generation. */
export const RELEASE: Script = script(`
${numbers('generation')}
if tonumber(ARGV[1]) == generation then
  redis.call('HDEL', KEYS[1], 'owner', 'expiresAt')
end
return {'ok', text(generation)}`)

/**
 * KEYS: meta, events, snapshot. Nothing wakes those who wait for the next entry of a stream that is gone. So the
 * stream has that entry for a second, in which they read that there are no events. The stream itself says its last
 * number, so that a damaged session goes too.
 */
export const DELETE: Script = script(`
local info = redis.pcall('XINFO', 'STREAM', KEYS[2])
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
for at = 1, #info, 2 do
  local seq = info[at] == 'last-generated-id' and tonumber(string.match(info[at + 1], '^%d+'))
  if seq and seq > 0 then
    redis.call('XADD', KEYS[2], text(seq + 1) .. '-0', 'deleted', '')
    redis.call('PEXPIRE', KEYS[2], 1000)
  end
end
return {'ok', '0'}`)

/** The reply of a script: how it ended, a number, and the entries of a page or a snapshot. */
interface ScriptReply {
  readonly status: string | undefined
  readonly value: number
  readonly rest: readonly string[]
}

/**
 * Runs a script by its hash. A server that does not have it, for example after a restart, gets the source. Throws a
 * `LogError` (`broken`) if a key is damaged. Then a field is no number, the key has another type, or the stream has events
 * that the numbers do not know.
 */
export async function runScript(
  client: RedisConnection,
  { source, sha }: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<ScriptReply> {
  const operands = [String(keys.length), ...keys, ...args.map(String)]
  const reply = await send(client, ['EVALSHA', sha, ...operands])
    .catch((error: unknown) => {
      if (!String(error).includes('NOSCRIPT ')) throw error
      return send(client, ['EVAL', source, ...operands])
    })
    .catch((error: unknown) => {
      if (!DAMAGED.test(String(error))) throw error
      throw new LogError('broken', `a key is damaged: ${keys.join(', ')} (${error})`)
    })
  const [status, value, ...rest] = [reply].flat().map(String)
  if (status === 'broken') throw new LogError('broken', `${rest.join()} is missing or damaged: ${keys[0]}`)
  return { status, value: Number(value), rest }
}

/** The replies of Redis for a key of another type, and for an event whose number is there. */
const DAMAGED = /WRONGTYPE|equal or smaller/
