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
local function settle()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', text(now), 'LIMIT', 0, 1000)) do
    local known = redis.call('HGET', KEYS[1], id)
    redis.call('HDEL', KEYS[1], id)
    redis.call('ZREM', KEYS[2], id)
    if known then
      local entry = cjson.decode(known)
      wait(entry[1], entry[2])
      emit(entry[2], '"type":"agent:failed"}')
    end
  end
end
local function place(field) return tonumber(redis.call('HGET', KEYS[6], field) or 0) end
`

/**
 * Takes the agent of a request, and emits its start. ARGV: …, the id of the request, two hashes, or '' if the agent is
 * known, the lease in ms, the agent or the id of a new one or '', the rest of the event. First, requests whose gateway
 * is gone have failed. A call that comes again, because its reply was lost, gets its first reply.
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
  emit(agent, ARGV[8])
end
redis.call('ZADD', KEYS[2], text(now + ARGV[6]), ARGV[3])
return { known, tonumber(redis.call('GET', KEYS[5])) - place('seq') }`

/**
 * Ends a request, and emits its events. ARGV: …, the id of the request, its hash, its agent, the hash of the answered
 * conversation or '' after a failure, the rests of the events. KEYS: …, a mark that the request has ended. The answer
 * of a request that counts as failed still counts, unless another request has the agent.
 */
export const END = `${SHARED}
if redis.call('EXISTS', KEYS[7]) == 1 then return 1 end
local isOpen = redis.call('HDEL', KEYS[1], ARGV[3]) == 1
redis.call('ZREM', KEYS[2], ARGV[3])
local key, agent, answered = ARGV[4], ARGV[5], ARGV[6]
if not isOpen then
  if answered == '' then return 0 end
  if key ~= '' and redis.call('LREM', ARGV[1] .. 'waiting:' .. key, 1, agent) == 0 then return 0 end
end
wait(key ~= '' and answered ~= '' and answered or key, agent)
for at = 7, #ARGV do emit(agent, ARGV[at]) end
redis.call('SET', KEYS[7], '1', 'PX', 60000)
return 1`

/** Keeps requests open, and ends those whose gateway is gone. ARGV: …, the lease in ms, the ids of the requests. */
export const RENEW = `${SHARED}
for at = 4, #ARGV do redis.call('ZADD', KEYS[2], 'XX', text(now + ARGV[3]), ARGV[at]) end
settle()`

/**
 * Returns `events`, the time, the last event's number, the snapshot's, and the events after a number: at most 1,000. A
 * reader whose next event is gone, or who knows more than Redis, gets `snapshot` and the snapshot or ''. ARGV: …, the
 * number.
 */
export const READ = `${SHARED}
settle()
local last = tonumber(redis.call('GET', KEYS[5]) or 0)
local after, saved = tonumber(ARGV[3]), place('seq')
if after < place('dropped') or after > last then
  return { 'snapshot', text(now), text(last), text(saved), redis.call('HGET', KEYS[6], 'registry') or '' }
end
local reply = { 'events', text(now), text(last), text(saved) }
for _, entry in ipairs(redis.call('XRANGE', KEYS[4], text(after + 1) .. '-0', '+', 'COUNT', 1000)) do
  reply[#reply + 1] = entry[2][2]
end
return reply`

/** Keeps a registry, and drops the events before the last one that was kept. ARGV: …, the number of its last event, the registry. */
export const SAVE = `${SHARED}
local at, saved = tonumber(ARGV[3]), place('seq')
if at <= saved or at > tonumber(redis.call('GET', KEYS[5]) or 0) then return end
redis.call('HSET', KEYS[6], 'seq', text(at), 'registry', ARGV[4], 'dropped', text(saved))
redis.call('XTRIM', KEYS[4], 'MINID', text(saved + 1) .. '-0')`
