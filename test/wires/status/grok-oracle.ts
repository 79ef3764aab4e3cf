import type { TurnStatus } from '../../../src/core/state/turn.ts'
import {
  type AgentStatus,
  either,
  type ProvenAgents,
  type Raw,
  raw,
  type StatusOracle,
  text,
} from './oracle.ts'

const ENDS: Readonly<Record<string, TurnStatus>> = {
  cancelled: 'interrupted',
  interrupted: 'interrupted',
  error: 'failed',
}

const WORK = /^(?:agent_message_chunk|agent_thought_chunk|user_message_chunk|tool_call|text|thought|usage)/

const REQUESTS: ReadonlySet<unknown> = new Set(['session/request_permission', '_x.ai/ask_user_question'])

/** Reads the updates of Grok Build: those of its files, of the log of a connection, and of `streaming-json`. */
export class GrokOracle implements StatusOracle {
  #main: readonly TurnStatus[] = ['idle']
  #root: string | undefined
  #load: unknown
  readonly #agents = new Map<string, readonly AgentStatus[]>()
  readonly #prompts = new Set<unknown>()
  readonly #requests = new Set<unknown>()
  hasAnswered = false

  get main(): readonly TurnStatus[] {
    return this.#main
  }

  get agents(): ProvenAgents {
    return this.#agents
  }

  get isWaiting(): boolean {
    return this.#requests.size > 0
  }

  read(message: unknown): void {
    const line = raw(message)
    const { dir, msg = line } = line
    const { method, id, params, error, result, type } = raw(msg)
    const { update = {}, sessionId } = raw(params)
    if (typeof type === 'string') return this.#readUpdate(text(type), line)
    if (method === 'session/prompt') this.#begin(id, text(sessionId))
    else if (method === 'session/load') this.#load = id
    else if (REQUESTS.has(method)) this.#requests.add(id)
    else if (dir === 'out') this.#requests.delete(id)
    else if (method === undefined) this.#readResponse(id, raw(result), error !== undefined)
    const kind = text(raw(update).sessionUpdate)
    if (kind === '') return
    if (kind.startsWith('subagent_')) this.#loosen()
    if (WORK.test(kind)) this.#root ??= text(sessionId)
    if (kind.startsWith('tool_call')) this.#readCall(raw(update))
    if (sessionId === this.#root) this.#readUpdate(kind, raw(update))
  }

  #begin(id: unknown, sessionId: string): void {
    this.#root ??= sessionId
    this.#prompts.add(id)
    this.#main = ['running']
    this.hasAnswered = false
  }

  #readResponse(id: unknown, { stopReason }: Raw, isError: boolean): void {
    if (id === this.#load) {
      this.#load = undefined
      this.#main = either(this.#main, 'finished', 'interrupted')
    }
    if (this.#prompts.delete(id)) this.#end(isError ? 'failed' : (ENDS[text(stopReason)] ?? 'finished'))
    // A further prompt that the person has sent meanwhile begins its turn.
    if (stopReason !== undefined && this.#prompts.size > 0) this.#main = ['running']
  }

  #readUpdate(kind: string, update: Raw): void {
    const reason = text(update.stopReason ?? update.stop_reason)
    if (this.#load !== undefined)
      this.#main = either(this.#main, 'idle', 'running', 'finished', 'interrupted')
    else if (kind === 'end' || kind === 'turn_completed') this.#end(ENDS[reason] ?? 'finished')
    else if (kind === 'error') this.#end('failed')
    else if (WORK.test(kind)) this.#work(kind, update)
    if (kind.startsWith('tool_call') && 'type' in update) this.#readCall(update)
  }

  /** An update of a call may come after its turn. */
  #work(kind: string, { status }: Raw): void {
    if (kind === 'tool_call_update' && typeof status === 'string') return
    const isRest = kind === 'tool_call_update' && this.hasAnswered
    // Further parts of a message of the person may come, so it shows with the next update.
    const isOpen = kind === 'user_message_chunk' || isRest
    this.#main = isOpen ? either(this.#main, 'running') : ['running']
    if (!isOpen) this.hasAnswered = false
  }

  /** The program waits for its agents, or tells their ends apart. */
  #end(status: TurnStatus): void {
    this.#main = [status]
    this.hasAnswered = true
    this.#requests.clear()
    this.#loosen()
  }

  #loosen(): void {
    for (const [id, statuses] of this.#agents)
      if (statuses.includes('running')) this.#agents.set(id, ['running', 'success', 'error'])
  }

  #readCall({ toolCallId, title, rawInput, rawOutput, content, status }: Raw): void {
    const id = text(toolCallId)
    if (title === 'spawn_subagent' && !this.#agents.has(id) && raw(rawInput).prompt !== undefined)
      this.#agents.set(id, ['running'])
    if (!this.#agents.has(id)) return
    const isLaunch = /tarted in background/.test(JSON.stringify([rawOutput, content]))
    if (status === 'failed') this.#agents.set(id, ['error'])
    if (status === 'completed' && !isLaunch) this.#agents.set(id, ['success'])
  }
}
