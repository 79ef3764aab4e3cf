import { hashCanonical } from 'agentfold/identity'
import type { Message, ModelRequest, ModelResponse } from './messages.ts'

/** The agent of a request, until the request is answered or fails. */
export interface Turn {
  readonly agentId: string
  /** The hash under which a repetition of the request finds the agent. */
  readonly key: string
}

/**
 * Finds the agent of each request. A request with an answered conversation is of the agent that got the answer. A request that failed
 * may come again. Any other request begins a conversation of a new agent.
 */
export class Conversations {
  /** The agents that wait for their next request, by the hash of the conversation so far. Twins have one hash. */
  readonly #waiting = new Map<string, readonly string[]>()
  #count = 0

  /** Takes the agent of a request. No other request is of this agent before the request is answered or fails. */
  begin(asked: ModelRequest): Turn {
    const whole = keyOf(asked, asked.messages)
    for (const key of [keyOf(asked, answeredPart(asked.messages)), whole]) {
      const [agentId, ...twins] = this.#waiting.get(key) ?? []
      if (agentId === undefined) continue
      this.#set(key, twins)
      return { agentId, key }
    }
    this.#count += 1
    return { agentId: `agent-${this.#count}`, key: whole }
  }

  answered({ agentId }: Turn, asked: ModelRequest, { content }: ModelResponse): void {
    this.#add(keyOf(asked, [...asked.messages, { role: 'assistant', content }]), agentId)
  }

  failed({ agentId, key }: Turn): void {
    this.#add(key, agentId)
  }

  /** Drops the conversations of all other agents. */
  keepOnly(agentIds: ReadonlySet<string>): void {
    for (const [key, waiting] of this.#waiting)
      this.#set(
        key,
        waiting.filter((id) => agentIds.has(id)),
      )
  }

  #add(key: string, agentId: string): void {
    this.#set(key, [...(this.#waiting.get(key) ?? []), agentId])
  }

  #set(key: string, waiting: readonly string[]): void {
    if (waiting.length > 0) this.#waiting.set(key, waiting)
    else this.#waiting.delete(key)
  }
}

/** Returns the messages up to the model's last answer. */
function answeredPart(messages: readonly Message[]): readonly Message[] {
  return messages.slice(0, messages.map(({ role }) => role).lastIndexOf('assistant') + 1)
}

/** Clients move the marks of their cache from message to message, so those do not count. */
function keyOf({ system }: ModelRequest, messages: readonly Message[]): string {
  const text = JSON.stringify({ system, messages }, (name, value) =>
    name === 'cache_control' ? undefined : value,
  )
  return hashCanonical(JSON.parse(text))
}
