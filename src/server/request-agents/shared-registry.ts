import { isObject, parseJson } from '../../core/json/values.ts'
import type { MatchOptions } from '../../core/lineage/claims.ts'
import type { AgentEvent, AgentIssue, AgentRegistry } from '../../core/lineage/registry/agent.ts'
import { createAgentRegistry, forgetAgents, stepAgentEvent } from '../../core/lineage/registry/registry.ts'
import { LogError } from '../log/log-error.ts'
import { READ, SAVE } from './scripts.ts'

/** Runs a script of the tenant. */
export type RunScript = (script: string, args: readonly (string | number)[]) => Promise<unknown>

/** A registry is kept anew after that many events, or as many as it has agents. */
export const SNAPSHOT_EVENTS = 1000

/** The options of `createRedisRequestAgents` that concern the registry. */
interface SharedRegistryOptions extends Required<MatchOptions> {
  readonly treeMs: number
  readonly onIssue?: ((issue: AgentIssue) => void) | undefined
}

/** The registry of all processes: each one folds the same events of Redis. */
export class SharedRegistry {
  /** The number of the last event in the registry. */
  seq = 0
  readonly #run: RunScript
  readonly #options: SharedRegistryOptions
  #registry: AgentRegistry
  #epoch = ''
  #reading: Promise<unknown> = Promise.resolve()

  constructor(run: RunScript, options: SharedRegistryOptions) {
    this.#run = run
    this.#options = options
    this.#registry = createAgentRegistry(options)
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
      this.#step({ type: 'clock:advanced', at: Number(time) })
      if (this.seq - Number(saved) >= Math.max(SNAPSHOT_EVENTS, this.#registry.agents.length))
        await this.#run(SAVE, [this.seq, this.#epoch, JSON.stringify(this.#registry)])
      return this.#registry
    }
  }

  #open(seq: number, text: string): void {
    const saved = text === '' ? createAgentRegistry() : parseJson(text)
    if (!isRegistry(saved)) throw damaged()
    this.seq = seq
    this.#registry = { ...saved, onAmbiguous: this.#options.onAmbiguous }
  }

  #step(event: AgentEvent): void {
    const { registry, issues } = stepAgentEvent(this.#registry, event)
    this.#registry = registry
    for (const issue of issues) this.#report(issue)
  }

  /** The events are folded already, so a callback that fails changes nothing. */
  #report(issue: AgentIssue): void {
    const { onIssue } = this.#options
    if (onIssue)
      void Promise.resolve()
        .then(() => onIssue(issue))
        .catch(() => {})
  }

  #fold(seq: number, text: string): void {
    const event = parseJson(text)
    if (!isEvent(event)) throw damaged()
    this.seq = seq
    this.#step(event)
    // At the same events in each process, so all have the same agents.
    const { treeMs } = this.#options
    if (seq % SNAPSHOT_EVENTS === 0 && treeMs !== Number.POSITIVE_INFINITY)
      this.#registry = forgetAgents(this.#registry, { before: event.at - treeMs })
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
