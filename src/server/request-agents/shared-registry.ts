import { isObject, parseJson } from '../../core/json/values.ts'
import type { AgentEvent, AgentRegistry } from '../../core/lineage/registry/agent.ts'
import { createAgentRegistry, forgetAgents, reduceAgentEvent } from '../../core/lineage/registry/registry.ts'
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
      const reply = await this.#run(READ, [this.seq])
      const [kind, time, last, saved, ...texts] = [reply].flat().map(String)
      if (kind === 'snapshot') this.#open(Number(saved), texts[0] ?? '')
      else for (const text of texts) this.#fold(text)
      this.#registry = reduceAgentEvent(this.#registry, { type: 'clock:advanced', at: Number(time) })
      if (this.seq < Number(last)) continue
      if (this.seq - Number(saved) >= Math.max(SNAPSHOT_EVENTS, this.#registry.agents.length))
        await this.#save(Number(time))
      return this.#registry
    }
  }

  #open(seq: number, text: string): void {
    const saved = parseJson(text)
    this.seq = seq
    this.#registry = isRegistry(saved) ? saved : createAgentRegistry()
  }

  #fold(text: string): void {
    const event = parseJson(text)
    this.seq += 1
    if (isEvent(event)) this.#registry = reduceAgentEvent(this.#registry, event)
  }

  async #save(now: number): Promise<void> {
    this.#registry = forgetAgents(this.#registry, { before: now - this.#treeMs })
    await this.#run(SAVE, [this.seq, JSON.stringify(this.#registry)])
  }
}

/** Only the scripts write these keys. */
function isRegistry(value: unknown): value is AgentRegistry {
  return isObject(value) && Array.isArray(value.agents)
}

function isEvent(value: unknown): value is AgentEvent {
  return isObject(value) && typeof value.type === 'string'
}
