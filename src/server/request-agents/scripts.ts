/**
 * The parts that the scripts share. KEYS: the open requests, their deadlines, the number of agents, the events, the
 * last event's number, the snapshot. ARGV: the prefix, `keepMs`. The time is the server's, so the clocks of the
 * gateways do not matter.
 */
const SHARED = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function text(number) return string.format('%.0f', number) end
local function emit(agent, rest)
  local event = '{"agentId":' .. cjson.encode(agent) .. ',"at":' .. text(now) .. ',' .. rest
  redis.call('XADD', KEYS[4], text(redis.call('INCR', KEYS[5])) .. '-0', 'event', event)
end
local function wait(key, agent)
  if key == '' then return end
  redis.call('RPUSH', ARGV[1] .. 'waiting:' .. key, agent)
  redis.call('PEXPIRE', ARGV[1] .. 'waiting:' .. key, ARGV[2])
end
local function close(id)
  local known = redis.call('HGET', KEYS[1], id)
  redis.call('HDEL', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
  local entry = known and cjson.decode(known)
  if entry then redis.call('SREM', ARGV[1] .. 'requests:' .. entry[2], id) end
  return entry
end
local function settle()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', text(now), 'LIMIT', 0, 1000)) do
    local entry = close(id)
    if entry then
      wait(entry[1], entry[2])
      emit(entry[2], '"requestId":' .. cjson.encode(id) .. ',"type":"agent:failed","isLost":true}')
    end
  end
end
local function place(field) return tonumber(redis.call('HGET', KEYS[6], field) or 0) end
local function epoch()
  redis.call('HSETNX', KEYS[6], 'epoch', clock[1] .. '.' .. clock[2])
  return redis.call('HGET', KEYS[6], 'epoch')
end
`

/**
 * Takes the agent of a request, and emits its start. ARGV: …, the id of the request, the hash of its answered part, or
 * '' if the agent is known, the hash of the whole, the lease in ms, the agent or the id of a new one or '', the rest of
 * the event. First, requests whose gateway is gone have failed. A call that comes again, because its reply was lost,
 * gets its first reply.
 */
export const BEGIN = `${SHARED}
settle()
local known = redis.call('HGET', KEYS[1], ARGV[3])
if not known then
  local key, agent = ARGV[4], ARGV[7]
  if key ~= '' then
    agent = redis.call('LPOP', ARGV[1] .. 'waiting:' .. key)
    if not agent then
      key = ARGV[5]
      agent = redis.call('LPOP', ARGV[1] .. 'waiting:' .. key)
    end
    if not agent then
      local count = redis.call('INCR', KEYS[3])
      agent = ARGV[7] ~= '' and ARGV[7] or 'agent-' .. text(count)
    end
  end
  known = cjson.encode({ key, agent })
  redis.call('HSET', KEYS[1], ARGV[3], known)
  if key == '' then redis.call('SADD', ARGV[1] .. 'requests:' .. agent, ARGV[3]) end
  emit(agent, ARGV[8])
end
redis.call('ZADD', KEYS[2], text(now + ARGV[6]), ARGV[3])
return { known, tonumber(redis.call('GET', KEYS[5])) - place('seq'), epoch() }`

/**
 * Ends a request, and emits its events. ARGV: …, the id of the request, its hash, its agent, the hash of the answered
 * conversation or '' after a failure, the epoch of its begin, the rest of a start, the rests of the events. KEYS: …, a mark
 * that the request has ended. The answer of a request that counts as failed still counts, unless another request has the
 * agent, or the tenant was deleted.
 */
export const END = `${SHARED}
local key, agent, answered = ARGV[4], ARGV[5], ARGV[6]
local mark = answered == '' and 'failed' or 'answered'
local ended = redis.call('GET', KEYS[7])
if ended then return ended == mark and 1 or 0 end
if not close(ARGV[3]) then
  if answered == '' or redis.call('HGET', KEYS[6], 'epoch') ~= ARGV[7] then return 0 end
  -- The request that has the agent may have lost its gateway.
  settle()
  if key ~= '' and redis.call('LREM', ARGV[1] .. 'waiting:' .. key, 1, agent) == 0 then return 0 end
  if key == '' and redis.call('SCARD', ARGV[1] .. 'requests:' .. agent) > 0 then return 0 end
  -- Another request may have ended since. Then the registry knows this one no more.
  emit(agent, ARGV[8])
end
wait(key ~= '' and answered ~= '' and answered or key, agent)
for at = 9, #ARGV do emit(agent, ARGV[at]) end
redis.call('SET', KEYS[7], mark, 'PX', 60000)
return 1`

/** Keeps requests open, and ends those whose gateway is gone. ARGV: …, the lease in ms, the ids of the requests. */
export const RENEW = `${SHARED}
for at = 4, #ARGV do redis.call('ZADD', KEYS[2], 'XX', text(now + ARGV[3]), ARGV[at]) end
settle()`

/**
 * Returns `events`, the time, the last event's number, the snapshot's, the epoch, and the events after a number with their
 * numbers before them: at most 1,000. A reader of another epoch, or whose next event is gone, gets `snapshot` and the
 * snapshot or ''. After the tenant was deleted, or Redis has lost it, another epoch begins. Events that Redis alone has lost
 * are behind the snapshot. ARGV: …, the number, the reader's epoch or ''.
 */
export const READ = `${SHARED}
settle()
local epoch = epoch()
local last = tonumber(redis.call('GET', KEYS[5]) or 0)
local after, saved = tonumber(ARGV[3]), place('seq')
local function snapshot(at)
  return { 'snapshot', text(now), text(last), text(at), epoch, redis.call('HGET', KEYS[6], 'registry') or '' }
end
if ARGV[4] ~= epoch or after < place('dropped') or after > last then return snapshot(saved) end
local reply = { 'events', text(now), text(last), text(saved), epoch }
for _, entry in ipairs(redis.call('XRANGE', KEYS[4], text(after + 1) .. '-0', '+', 'COUNT', 1000)) do
  reply[#reply + 1] = string.match(entry[1], '^%d+')
  reply[#reply + 1] = entry[2][2]
end
if after < last and #reply == 5 then return snapshot(last) end
return reply`

/**
 * Keeps a registry, and drops the events before the last one that was kept. ARGV: …, the number of its last event, its
 * epoch, the registry.
 */
export const SAVE = `${SHARED}
local at, saved = tonumber(ARGV[3]), place('seq')
if ARGV[4] ~= epoch() or at <= saved or at > tonumber(redis.call('GET', KEYS[5]) or 0) then return end
redis.call('HSET', KEYS[6], 'seq', text(at), 'registry', ARGV[5], 'dropped', text(saved))
redis.call('XTRIM', KEYS[4], 'MINID', text(saved + 1) .. '-0')`
