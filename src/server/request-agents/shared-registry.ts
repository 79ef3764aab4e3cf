import { isObject, parseJson } from '../../core/json/values.ts'
import type { AgentEvent, AgentRegistry } from '../../core/lineage/registry/agent.ts'
import { createAgentRegistry, forgetAgents, reduceAgentEvent } from '../../core/lineage/registry/registry.ts'
import { LogError } from '../log/log-error.ts'
import { READ, SAVE } from './scripts.ts'

/** Runs a script of the tenant. */
export type RunScript = (script: string, args: readonly (string | number)[]) => Promise<unknown>

/** A registry is kept anew after that many events, or as many as it has agents. */
export const SNAPSHOT_EVENTS = 1000

/** The registry of all processes: each one folds the same events of Redis. */
export class SharedRegistry {
  /** The number of the last event in the registry. */
  seq = 0
  readonly #run: RunScript
  readonly #treeMs: number
  #registry = createAgentRegistry()
  #epoch = ''
  #reading: Promise<unknown> = Promise.resolve()

  constructor(run: RunScript, treeMs: number) {
    this.#run = run
    this.#treeMs = treeMs
  }

  /** Returns the registry with all events that Redis has now. */
  read(): Promise<AgentRegistry> {
    // Two readings at once would fold events twice.
    const next = this.#reading.then(() => this.#read())
    this.#reading = next.catch(() => {})
    return next
  }

  async #read(): Promise<AgentRegistry> {
    for (;;) {
      const reply = await this.#run(READ, [this.seq, this.#epoch])
      const [kind, time, last, saved, epoch, ...texts] = [reply].flat().map(String)
      this.#epoch = epoch ?? ''
      if (kind === 'snapshot') this.#open(Number(saved), texts[0] ?? '')
      else for (let at = 0; at < texts.length; at += 2) this.#fold(Number(texts[at]), texts[at + 1] ?? '')
      if (this.seq < Number(last)) continue
      // A claim may wait for an event that comes with the next part.
      this.#registry = reduceAgentEvent(this.#registry, { type: 'clock:advanced', at: Number(time) })
      if (this.seq - Number(saved) >= Math.max(SNAPSHOT_EVENTS, this.#registry.agents.length))
        await this.#run(SAVE, [this.seq, this.#epoch, JSON.stringify(this.#registry)])
      return this.#registry
    }
  }

  #open(seq: number, text: string): void {
    const saved = text === '' ? createAgentRegistry() : parseJson(text)
    if (!isRegistry(saved)) throw damaged()
    this.seq = seq
    this.#registry = saved
  }

  #fold(seq: number, text: string): void {
    const event = parseJson(text)
    if (!isEvent(event)) throw damaged()
    this.seq = seq
    this.#registry = reduceAgentEvent(this.#registry, event)
    // At the same events in each process, so all have the same agents.
    if (seq % SNAPSHOT_EVENTS === 0 && this.#treeMs !== Number.POSITIVE_INFINITY)
      this.#registry = forgetAgents(this.#registry, { before: event.at - this.#treeMs })
  }
}

/** Only the scripts write these keys. */
function isRegistry(value: unknown): value is AgentRegistry {
  if (!isObject(value)) return false
  return [value.agents, value.claims, value.expiredClaims].every(
    (list) => Array.isArray(list) && list.every(isObject),
  )
}

function isEvent(value: unknown): value is AgentEvent & { readonly at: number } {
  return isObject(value) && typeof value.type === 'string' && typeof value.at === 'number'
}

function damaged(): LogError {
  return new LogError('broken', 'the agents of the tenant in Redis are damaged: delete() removes them')
}
