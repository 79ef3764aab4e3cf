import { IdentityError } from '../core/identity/identity-error.ts'
import { isTooDeep } from '../core/json/depth.ts'
import { omitUndefined, sortedFields } from '../core/json/fields.ts'
import { sha256Hex } from '../core/json/sha256.ts'
import { asObject, isObject } from '../core/json/values.ts'
import { hasWords, MAX_LEVELS, partsOf, wordsOf } from './request-words.ts'

/** A request to a model API, as JSON. */
export interface ModelRequest {
  readonly model?: unknown
  /** The system prompt, where the API has it beside the messages. */
  readonly system?: unknown
  readonly tools?: unknown
  readonly messages: readonly ModelMessage[]
}

/** A message of a model API. It may have more fields. */
export interface ModelMessage {
  readonly role: string
  readonly content?: unknown
  /** The calls of an answer, where the API has them beside the content. */
  readonly tool_calls?: unknown
}

/** A request that waits for its answer. */
export interface OpenRequest {
  /** The agent of the request. */
  readonly agentId: string
  readonly request: ModelRequest
  /** The hash under which a repetition of the request finds the agent. Empty if ids in its headers name the agent. */
  readonly key: string
  /** The person of the request. */
  readonly user?: string
}

/** Knows which agent sent a request. */
export interface RequestAgents {
  /**
   * Takes the agent of a request, at that time in ms since the epoch. No other request is of this agent before the
   * request is answered or fails. Equal conversations of two users are of two agents. Throws an `IdentityError` if the
   * request has no list of messages, or is nested deeper than 1,000 levels.
   */
  begin(request: ModelRequest, options?: { readonly at?: number; readonly user?: string }): OpenRequest
  /** The model has answered with that message. The next request of the agent repeats it. Throws like `begin`. */
  answered(open: OpenRequest, answer: ModelMessage): void
  /** The request failed, so it may come again. */
  failed(open: OpenRequest): void
  /** Forgets the conversations of all other agents, but for their open requests. */
  keepOnly(agentIds: ReadonlySet<string>): void
  /** Returns the agents and the open requests as JSON, for the option `saved`. */
  save(): SavedRequestAgents
}

/** The agents of a gateway as JSON. It has hashes of the conversations, and no text. */
export interface SavedRequestAgents {
  /** The number of agents so far. */
  readonly count: number
  /** The agents that wait for their next request, by the hash of their conversation so far. */
  readonly waiting: readonly (readonly [key: string, agentIds: readonly string[]])[]
  /** The requests that wait for their answers. A version before 0.4 has none. */
  readonly open?: readonly SavedOpenRequest[]
}

/** A request that waits for its answer, as JSON. */
export interface SavedOpenRequest {
  readonly key: string
  readonly agentId: string
  /** The gateway that the request waits in. */
  readonly owner?: string
  /** The time of the request, in ms since the epoch. */
  readonly at?: number
}

/** The options of `createRequestAgents`. */
export interface RequestAgentsOptions {
  /**
   * Returns the id of a new agent. The default counts: `agent-1`, `agent-2`. It is unique among the agents of one
   * object and of those that `saved` continues.
   */
  readonly newId?: () => string
  /** The result of `save`. Its open requests stay open, so no other request gets their agents. */
  readonly saved?: SavedRequestAgents
  /**
   * The name of this gateway. It keeps its name over a restart: open requests that `saved` has of it have failed with
   * it, and may come again.
   */
  readonly owner?: string
  /** Open requests of `saved` that began before that time have failed, in ms since the epoch: their gateway is gone. */
  readonly failedBefore?: number
}

/**
 * Returns an object that finds the agent of each request of a gateway. A request has no id of its agent, but it
 * repeats the conversation. One that repeats an answered conversation is of the agent that got the answer, and one
 * that repeats a failed request is of the same agent. Any other request is of a new agent. The system prompt and the
 * words of the messages count: roles, texts, calls and results. Their spelling does not: a text, or a list with it; the
 * spaces around it; the ids of messages, thinking, reminders, marks of a cache, and fields that are null.
 */
export function createRequestAgents({
  newId,
  saved,
  owner,
  failedBefore = Number.NEGATIVE_INFINITY,
}: RequestAgentsOptions = {}): RequestAgents {
  let count = saved?.count ?? 0
  const waiting = new WaitingAgents()
  for (const [key, agentIds] of saved?.waiting ?? [])
    for (const agentId of agentIds) waiting.add(key, agentId)
  const others: SavedOpenRequest[] = []
  for (const open of saved?.open ?? []) {
    const isOwn = owner !== undefined && open.owner === owner
    if (isOwn || (open.at ?? Number.POSITIVE_INFINITY) < failedBefore) waiting.add(open.key, open.agentId)
    else others.push(open)
  }
  const requests = new Map<OpenRequest, SavedOpenRequest>()
  const end = (open: OpenRequest, key: string) => {
    requests.delete(open)
    waiting.add(key, open.agentId)
  }
  return {
    begin(request, { at, user } = {}) {
      const { answered, whole } = keysOf(request, user)
      let key = answered
      let agentId = waiting.take(key)
      if (agentId === undefined) {
        key = whole
        agentId = waiting.take(key)
      }
      if (agentId === undefined) {
        count += 1
        agentId = newId?.() ?? `agent-${count}`
      }
      const open = omitUndefined({ agentId, request, key, user })
      requests.set(open, omitUndefined({ key, agentId, owner, at }))
      return open
    },
    answered: (open, answer) => end(open, keyAfter(open, answer)),
    failed: (open) => end(open, open.key),
    keepOnly: (agentIds) => waiting.keepOnly(agentIds),
    save: () => ({ count, waiting: waiting.entries(), open: [...others, ...requests.values()] }),
  }
}

/**
 * The agents that wait for their next request, by the hash of the conversation so far. Twins have one hash: the first
 * one goes on first.
 */
class WaitingAgents {
  readonly #agents = new Map<string, readonly string[]>()

  entries(): SavedRequestAgents['waiting'] {
    return [...this.#agents]
  }

  add(key: string, agentId: string): void {
    this.#set(key, [...(this.#agents.get(key) ?? []), agentId])
  }

  take(key: string): string | undefined {
    const [agentId, ...twins] = this.#agents.get(key) ?? []
    this.#set(key, twins)
    return agentId
  }

  keepOnly(agentIds: ReadonlySet<string>): void {
    for (const [key, waiting] of this.#agents)
      this.#set(
        key,
        waiting.filter((id) => agentIds.has(id)),
      )
  }

  #set(key: string, waiting: readonly string[]): void {
    if (waiting.length > 0) this.#agents.set(key, waiting)
    else this.#agents.delete(key)
  }
}

/** The hashes under which a request finds its agent: that of the answered conversation, and that of the same request. */
export function keysOf(
  request: ModelRequest,
  user: string | undefined,
): { readonly answered: string; readonly whole: string } {
  checkMessages(request)
  const { system, messages } = request
  checkDepth(system, ['request', 'system'])
  checkDepth(messages, ['request', 'messages'])
  return { answered: keyOf(request, answeredPart(messages), user), whole: keyOf(request, messages, user) }
}

/** The hash under which the next request of the agent finds it. */
export function keyAfter({ request, user }: OpenRequest, answer: ModelMessage): string {
  checkDepth(answer, ['answer'])
  return keyOf(request, [...request.messages, answer], user)
}

/** The body of another API, such as Responses, has no messages. */
export function checkMessages(request: ModelRequest): void {
  const { messages } = asObject(request)
  if (!Array.isArray(messages)) throw new IdentityError('not-a-list', ['request', 'messages'])
  const at = messages.findIndex((message) => !isObject(message))
  if (at >= 0) throw new IdentityError('not-a-message', ['request', 'messages', at])
}

function checkDepth(value: unknown, path: readonly string[]): void {
  if (isTooDeep(value, MAX_LEVELS)) throw new IdentityError('too-deep', path, 'at most 1,000 levels')
}

/** Returns the messages up to the model's last answer. */
function answeredPart(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role === 'assistant') + 1)
}

/** A request may hold anything, such as a text that was cut within a letter. So nothing is refused, as `hashCanonical` would. */
function keyOf(
  { system }: ModelRequest,
  messages: readonly ModelMessage[],
  user: string | undefined,
): string {
  const words = { system: partsOf(system), messages: messages.map(wordsOf).filter(hasWords), user }
  const text = JSON.stringify(words, (name, value: unknown) =>
    name === 'cache_control' || value === null ? undefined : sortedFields(value),
  )
  return sha256Hex(text)
}
