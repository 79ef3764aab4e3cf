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

const OUTCOMES: Readonly<Record<string, TurnStatus>> = { cancelled: 'interrupted', refusal: 'failed' }

/** Reads the log of a connection. */
export class AcpOracle implements StatusOracle {
  #main: readonly TurnStatus[] = ['idle']
  /** The last update of the turn is an error in words. */
  #endsWithError = false
  readonly #prompts = new Set<string>()
  #isAnsweredEarly = false
  #load: string | undefined
  readonly #agents = new Map<string, readonly AgentStatus[]>()
  /** The call that started the agent of a thread of Codex. */
  readonly #calls = new Map<string, string>()
  readonly #requests = new Set<string>()
  readonly #tasks = new Set<string>()
  /** The calls of a replay that have no result so far. */
  readonly #openCalls = new Set<string>()
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
    const { dir, msg } = raw(message)
    const { method, id, params, result, error } = raw(msg)
    if (method === 'session/prompt') this.#start(String(id))
    else if (method === 'session/load') this.#beginLoad(String(id))
    else if (method === 'session/request_permission') this.#requests.add(String(id))
    else if (method === 'session/update') this.#readUpdate(raw(raw(params).update))
    else if (method === undefined && dir === 'out') this.#requests.delete(String(id))
    else if (method === undefined) this.#end(String(id), raw(result), error !== undefined)
  }

  /** A replay shows turns that are over. */
  #beginLoad(id: string): void {
    this.#load = id
    this.hasAnswered = true
  }

  #start(id: string): void {
    this.#endsWithError = false
    this.#prompts.add(id)
    this.#main = ['running']
    this.hasAnswered = false
  }

  #end(id: string, { stopReason }: Raw, isError: boolean): void {
    if (this.#load === id) {
      this.#load = undefined
      // A call without a result shows that the program was killed.
      this.#main = this.#openCalls.size > 0 ? ['finished', 'interrupted'] : ['finished']
    }
    const [first] = this.#prompts
    if (!this.#prompts.delete(id)) return
    // Cline answers a prompt that waits at once, and reports no end of its turn.
    if (id !== first) {
      this.#isAnsweredEarly = true
      return
    }
    const outcome = OUTCOMES[text(stopReason)] ?? 'finished'
    const end = isError || (outcome === 'finished' && this.#endsWithError) ? 'failed' : outcome
    // A further prompt that the person has sent meanwhile is not answered.
    this.#main = this.#isAnsweredEarly ? ['running', end] : [this.#prompts.size > 0 ? 'running' : end]
    this.#isAnsweredEarly = false
    this.#requests.clear()
    this.hasAnswered = true
    // Nothing reports the end of an agent in the background after the answer.
    for (const [call, statuses] of this.#agents)
      if (statuses.includes('running')) this.#agents.set(call, ['running', 'success'])
  }

  #readUpdate(update: Raw): void {
    const kind = text(update.sessionUpdate)
    // Copilot ends a turn that has failed like any other. Its last text is the error.
    const words = text(raw(update.content).text)
    if (kind === 'agent_message_chunk') this.#endsWithError = /^Error: \d{3} /.test(words)
    else if (kind.startsWith('tool_call') || kind === 'agent_thought_chunk') this.#endsWithError = false
    if (this.#load !== undefined)
      this.#main = either(this.#main, 'idle', 'running', 'finished', 'interrupted')
    if (kind === 'subagent_update') this.#readChild(text(update.sessionId), text(raw(update.state).state))
    if (kind.startsWith('tool_call')) this.#readCall(update)
  }

  #readChild(id: string, state: string): void {
    if (!this.#agents.has(id)) this.#agents.set(id, ['running'])
    if (state === 'idle') this.#agents.set(id, ['success'])
  }

  #readCall(update: Raw): void {
    const { claudeCode } = raw(update._meta)
    // Kimi Code puts the number of the turn before the model's id, and changes it in a replay.
    const id = text(update.toolCallId).replace(/^\d+:/, '')
    const [title, input] = [text(update.title), raw(update.rawInput)]
    if (this.#load !== undefined) this.#openCalls.add(id)
    if (update.status === 'completed' || update.status === 'failed') this.#openCalls.delete(id)
    const parent = text(raw(claudeCode).parentToolUseId)
    // In a child session, the session stands for the call.
    if (this.#tasks.has(parent)) this.#agents.set(parent, ['running'])
    const isTask = title === 'task' || input.subagent_type !== undefined
    if (update.name === 'Agent' || title === 'spawnAgent' || isTask) this.#tasks.add(id)
    if (input.agentsStates !== undefined) return this.#readCollab(id, title, input)
    if (!this.#tasks.has(id)) return
    const isOver = this.#agents.get(id)?.some((status) => status === 'success' || status === 'error')
    if (this.#load !== undefined && isOver) return
    if (input.prompt !== undefined) this.#agents.set(id, ['running'])
    else if (!this.#agents.has(id)) this.#agents.set(id, ['pending'])
    // Qwen Code completes the call of an agent that has failed.
    const hasFailed = raw(update.rawOutput).status === 'failed'
    if (update.status === 'completed')
      this.#agents.set(id, [hasFailed ? 'error' : isLaunch(update) ? 'running' : 'success'])
    if (update.status === 'failed') this.#agents.set(id, ['error'])
  }

  #readCollab(id: string, title: string, { receiverThreadIds, agentsStates }: Raw): void {
    const threads = Array.isArray(receiverThreadIds) ? receiverThreadIds.map(text) : []
    if (this.#tasks.has(id)) {
      this.#agents.set(id, [threads.length === 0 ? 'pending' : 'running'])
      for (const thread of threads) this.#calls.set(thread, id)
    }
    if (title === 'spawnAgent') return
    for (const [thread, state] of Object.entries(raw(agentsStates))) {
      const call = this.#calls.get(thread)
      if (call !== undefined && raw(state).status === 'completed') this.#agents.set(call, ['success'])
    }
  }
}

/** Whether the result of Kimi Code says that the agent works in the background. */
function isLaunch({ rawOutput, content }: Raw): boolean {
  return JSON.stringify([rawOutput, content]).includes('\\nstatus: running\\nagent_id: ')
}
