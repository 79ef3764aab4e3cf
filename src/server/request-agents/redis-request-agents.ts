import { omitUndefined } from '../../core/json/fields.ts'
import { asString } from '../../core/json/values.ts'
import type { MatchOptions } from '../../core/lineage/claims.ts'
import type {
  AgentEvent,
  AgentIssue,
  AgentRegistry,
  AgentStartedEvent,
} from '../../core/lineage/registry/agent.ts'
import {
  keyAfter,
  keysOf,
  type ModelMessage,
  type ModelRequest,
  type OpenRequest,
} from '../../gateway/request-agents.ts'
import { answerEvents, requestEvent } from '../../gateway/request-events.ts'
import type { SpawnCallOptions } from '../../gateway/session-claims.ts'
import { type RequestHeaders, requestIds } from '../../programs/request-ids.ts'
import { isTransient, type RedisConnection, send } from '../log/redis/connection.ts'
import { StreamWatch } from '../log/redis/stream-waker.ts'
import { Wake } from '../signals.ts'
import { BEGIN, END, RENEW } from './scripts.ts'
import { type RunScript, SharedRegistry, SNAPSHOT_EVENTS } from './shared-registry.ts'

/** The options of `createRedisRequestAgents`. */
export interface RedisRequestAgentsOptions {
  /** The owner of these requests. Equal requests of two tenants are of two agents. */
  readonly tenant: string
  /** The beginning of all keys in Redis. The default is `agentfold`. */
  readonly prefix?: string
  /** Returns the id of a new agent. The default counts the agents of the tenant: `agent-1`, `agent-2`. */
  readonly newId?: () => string
  /**
   * The open requests of a process that gives no sign of life for that time have failed, in ms. A process gives three
   * signs in it. The default is 30,000.
   */
  readonly leaseMs?: number
  /** A conversation that nobody goes on with is forgotten after that time, in ms. The default is 30 days. */
  readonly keepMs?: number
  /** If claims of several parents match an agent equally well, take the `oldest` (the default) or `none`. The same in each process. */
  readonly onAmbiguous?: MatchOptions['onAmbiguous']
  /** Gets the issues of the events that this process reads, as `stepAgentEvent` returns them: in `registry` and `follow`. */
  readonly onIssue?: (issue: AgentIssue) => void
  /** The registry forgets a tree of agents that are over for longer, in ms; `Infinity` forgets none. The default is a day. */
  readonly treeMs?: number
}

/** The options of `begin`. */
export interface BeginOptions {
  /** The headers of the request. The ids of agents that some programs send win over hashes. */
  readonly headers?: RequestHeaders
  /** Further fields of the agent's `agent:started`, for example its `name` or its `parentAgentId`. */
  readonly facts?: Partial<Omit<AgentStartedEvent, 'type' | 'agentId' | 'at' | 'requestId'>>
  /** The person who sends the request. Equal conversations of two users of a tenant are of two agents. */
  readonly user?: string
}

/** Knows which agent sent a request, and what all agents do. Several processes share it. */
export interface RedisRequestAgents {
  /**
   * Takes the agent of a request, and starts it in the registry. No other request of any process is of this agent
   * before the request is answered or fails.
   */
  begin(request: ModelRequest, options?: BeginOptions): Promise<OpenRequest>
  /**
   * The model has answered with that message: pass the `usage` of the API with it. The next request of the agent
   * repeats it. Returns false if the request counts as failed, and another request has its agent.
   */
  answered(
    open: OpenRequest,
    answer: ModelMessage & { readonly usage?: unknown },
    options?: SpawnCallOptions,
  ): Promise<boolean>
  /** The request failed, so it may come again. Returns false if it counts as failed already. */
  failed(open: OpenRequest): Promise<boolean>
  /** Returns the agents of all processes, as they are now. It is the same registry until something changes. */
  registry(): Promise<AgentRegistry>
  /** Yields the registry, and then each newer one, until the signal aborts. A slow reader gets the newest one. */
  follow(options?: { readonly signal?: AbortSignal }): AsyncIterable<AgentRegistry>
  /** Forgets the tenant. */
  delete(): Promise<void>
}

const LEASE_MS = 30_000
const DAY_MS = 86_400_000
const MOST_TRIES = 5
const RETRY_WITHIN_MS = 1000
const BLOCK_MS = 5000

/**
 * Returns what `createRequestAgents` returns, for several processes, with their registry. Each call is one script in
 * Redis, so they agree. A process that is killed leaves nothing half done: another one reports its open requests as
 * failed after `leaseMs`. Throws a `TypeError` without a tenant, and a `RangeError` for a
 * wrong time. The owner of the client closes it.
 */
export function createRedisRequestAgents(
  client: RedisConnection,
  {
    tenant,
    prefix = 'agentfold',
    newId,
    leaseMs = LEASE_MS,
    keepMs = 30 * DAY_MS,
    treeMs = DAY_MS,
    onAmbiguous = 'oldest',
    onIssue,
  }: RedisRequestAgentsOptions,
): RedisRequestAgents {
  if (typeof tenant !== 'string' || tenant === '')
    throw new TypeError('tenant: pass whose requests these are')
  for (const [name, ms] of Object.entries({ leaseMs, keepMs, treeMs })) {
    const isTime = name === 'treeMs' ? ms >= 0 : ms > 0 && Number.isFinite(ms)
    if (!isTime) throw new RangeError(`${name}: pass a time in ms`)
  }
  // The braces keep the keys of a tenant on one server of a cluster. No tenant may close them.
  const start = `${prefix}:agents:{${encodeURIComponent(tenant)}}:`
  const keys = ['open', 'deadlines', 'count', 'events', 'seq', 'snapshot'].map((name) => start + name)
  const events = `${start}events`
  const run = (script: string, args: readonly (string | number)[], ...more: readonly string[]) => {
    const all = [...keys, ...more]
    const operands = [start, keepMs, ...args].map(String)
    return retried(() => send(client, ['EVAL', script, String(all.length), ...all, ...operands]))
  }
  const shared = new SharedRegistry(run, { treeMs, onAmbiguous, onIssue })
  const leases = new Leases(run, leaseMs)
  const watch = new StreamWatch(client, BLOCK_MS)
  const begun = new WeakMap<OpenRequest, Begun>()

  const begunOf = (open: OpenRequest) => {
    const known = begun.get(open)
    if (known === undefined) throw new TypeError('open: pass what begin returned')
    return known
  }
  const end = async (
    open: OpenRequest,
    answeredKey: string,
    ended: readonly AgentEvent[],
  ): Promise<boolean> => {
    const { id, userHash, epoch } = begunOf(open)
    leases.leave(id)
    const started = omitUndefined({
      type: 'agent:started' as const,
      agentId: '',
      at: 0,
      requestId: id,
      userHash,
    })
    const args = [id, open.key, open.agentId, answeredKey, epoch, restOf(started), ...ended.map(restOf)]
    return (await run(END, args, `${start}ended:${id}`)) === 1
  }
  return {
    async begin(request, { headers, facts, user } = {}) {
      const id = crypto.randomUUID()
      const known = headers && requestIds(headers)?.agentId
      const { answered, whole } = keysOf(request, user)
      const hashes =
        known === undefined ? [answered, whole, leaseMs, newId?.() ?? ''] : ['', whole, leaseMs, known]
      const event = requestEvent('', request, { at: 0, user, ...(headers && { headers }) })
      const started = { ...event, ...facts, requestId: id }
      const reply = await run(BEGIN, [id, ...hashes, restOf(started)])
      const [entry, unsaved, epoch] = [reply].flat()
      const [key = '', agentId = ''] = JSON.parse(asString(entry) ?? '[]')
      const open: OpenRequest = omitUndefined({ agentId, request, key, user })
      begun.set(open, { id, userHash: started.userHash, epoch: asString(epoch) ?? '' })
      leases.enter(id)
      // Without a reader, the events would grow for ever. One that fails shows it in the next call.
      if (Number(unsaved) >= 2 * SNAPSHOT_EVENTS) shared.read().catch(() => {})
      return open
    },
    answered: async (open, answer, options) => {
      const events = answerEvents('', answer, { ...options, at: 0, requestId: begunOf(open).id })
      return end(open, keyAfter(open, answer), events.map(withoutLaterText(open.request)))
    },
    failed: (open) =>
      end(open, '', [{ type: 'agent:failed', agentId: '', at: 0, requestId: begunOf(open).id }]),
    registry: () => shared.read(),
    async *follow({ signal = new AbortController().signal } = {}) {
      let shown: AgentRegistry | undefined
      watch.enter()
      try {
        while (!signal.aborted) {
          const registry = await shared.read()
          if (registry !== shown) yield registry
          shown = registry
          const { changed, stop } = watch.listen(events, shared.seq)
          const wake = new Wake()
          // Somebody has to see that a process is gone, although nothing changes.
          const waited = wake.next({ ms: leaseMs / 3, signal })
          try {
            await Promise.race([waited, changed.then(() => wake.wake())])
          } finally {
            wake.wake()
            stop()
          }
        }
      } finally {
        watch.leave()
      }
    },
    async delete() {
      // Together, so that no event of another process meets the half of them.
      await send(client, ['DEL', ...keys])
      const pattern = `${start.replace(/[*?[\]\\]/g, '\\$&')}*`
      let cursor = '0'
      do {
        const reply = await send(client, ['SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000'])
        const [next, found] = Array.isArray(reply) ? reply : ['0', []]
        cursor = String(next)
        if (Array.isArray(found) && found.length > 0) await send(client, ['DEL', ...found.map(String)])
      } while (cursor !== '0')
    },
  }
}

/** The facts of an open request that this process keeps. */
interface Begun {
  readonly id: string
  readonly userHash: string | undefined
  /** The time of the tenant in Redis: another one begins after it was deleted. */
  readonly epoch: string
}

/** Keeps the open requests of this process open. */
class Leases {
  readonly #run: RunScript
  readonly #leaseMs: number
  readonly #open = new Set<string>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(run: RunScript, leaseMs: number) {
    this.#run = run
    this.#leaseMs = leaseMs
  }

  enter(id: string): void {
    this.#open.add(id)
    this.#timer ??= setInterval(() => this.#renew(), this.#leaseMs / 3).unref()
  }

  leave(id: string): void {
    this.#open.delete(id)
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** A sign that fails is one of three: the next one comes soon, and calls of the gateway show the error. */
  #renew(): void {
    this.#run(RENEW, [this.#leaseMs, ...this.#open]).catch(() => {})
  }
}

/** Only the first answer of a conversation identifies its agent, so Redis keeps no text of the later ones. */
function withoutLaterText({ messages }: ModelRequest): (event: AgentEvent) => AgentEvent {
  const isLater = messages.some(({ role }) => role === 'assistant')
  return (event) => {
    if (!isLater || event.type !== 'agent:completed') return event
    const { responseText: _, ...rest } = event
    return rest
  }
}

/** The script knows the agent and the time. Returns the rest of the event's JSON. */
function restOf(event: AgentEvent): string {
  return JSON.stringify({ ...event, agentId: undefined, at: undefined }).slice(1)
}

/** A script whose reply was lost gives it again. Whoever has waited longer meets a silent Redis, and waits for it once. */
async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
  const began = Date.now()
  for (let tries = 1; ; tries += 1)
    try {
      return await work()
    } catch (error) {
      const isLate = Date.now() - began > RETRY_WITHIN_MS
      if (tries === MOST_TRIES || isLate || !isTransient(error)) throw error
    }
}
