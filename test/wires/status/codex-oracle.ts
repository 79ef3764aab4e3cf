import { parseJson } from '../../../src/core/json/values.ts'
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

/** Reads the rollouts, the lines of exec and the messages of the app-server of Codex. */
export class CodexOracle implements StatusOracle {
  #main: readonly TurnStatus[] = ['idle']
  #mainThread: string | undefined
  /** A message has shown the beginning of a turn. */
  #hasTurns = false
  readonly #agents = new Map<string, readonly AgentStatus[]>()
  /** The call that started the agent of a thread. */
  readonly #calls = new Map<string, string>()
  /** The last end of an agent's thread. */
  readonly #ends = new Map<string, AgentStatus>()
  readonly #requests = new Set<string>()
  readonly #forks = new Set<string>()
  #execProcesses = 0
  hasAnswered = false

  /** A session that is read from its beginning, and whose messages show its turns, is idle before the first turn. */
  constructor(messages: readonly unknown[]) {
    const [first] = messages
    const isWhole = /"(session_meta|thread\.started|initialize)"/.test(JSON.stringify(first))
    this.#hasTurns =
      isWhole &&
      messages.some((message) => /"(task_started|turn\.started|turn\/started)"/.test(JSON.stringify(message)))
  }

  get main(): readonly TurnStatus[] {
    return this.#hasTurns ? this.#main : either(this.#main, 'running')
  }

  get agents(): ProvenAgents {
    return this.#agents
  }

  get isWaiting(): boolean {
    return this.#requests.size > 0
  }

  read(message: unknown): void {
    const line = raw(message)
    if (line.payload !== undefined) return this.#readRollout(line, raw(line.payload))
    if (typeof line.type === 'string') return this.#readExec(line)
    const rpc = line.msg === undefined ? line : raw(line.msg)
    const result = raw(rpc.result)
    if (rpc.method === undefined && (result.decision ?? result.answers) !== undefined)
      this.#requests.delete(String(rpc.id))
    if (rpc.method === undefined)
      this.#mainThread ??= raw(result.thread).id === undefined ? undefined : text(raw(result.thread).id)
    else this.#readAppServer(text(rpc.method), rpc, raw(rpc.params))
  }

  #readRollout({ type, thread_id }: Raw, payload: Raw): void {
    const thread = text(thread_id)
    const { item } = payload
    const kind = text(payload.type)
    if (kind === 'task_started') return this.#start(thread)
    if (kind === 'task_complete') return this.#completeTask(thread, payload)
    if (kind === 'turn_aborted') return this.#end(thread, 'interrupted')
    if (kind === 'function_call' && payload.name === 'spawn_agent') this.#announce(text(payload.call_id))
    if (kind === 'function_call_output') {
      const { agent_id: agent, status } = raw(parseJson(text(payload.output)))
      if (typeof agent === 'string') this.#link(agent, text(payload.call_id))
      // The program refuses the call, or its version has no such tool.
      else if (this.#agents.get(text(payload.call_id))?.includes('pending'))
        this.#agents.set(text(payload.call_id), ['error'])
      // The files of two threads may have the result of the wait before the end that it reports.
      this.#readStates(raw(status))
    }
    if (kind === 'item_completed') this.#readItem(raw(item), true)
    // Files of early versions have no turns.
    if (type === 'response_item' && !this.#hasTurns) {
      this.#main = ['idle', 'running', 'finished']
      this.hasAnswered = payload.role === 'assistant'
    }
  }

  /** Versions without items write no error. Their failed turns have no last text, and some others have none either. */
  #completeTask(thread: string, { error, last_agent_message }: Raw): void {
    this.#end(thread, error ? 'failed' : 'finished')
    if (thread === '' && !error && last_agent_message === null) this.#main = ['finished', 'failed']
  }

  #readExec(line: Raw): void {
    if (line.type === 'thread.started') this.#beginProcess()
    if (line.type === 'turn.started') this.#start('')
    const isEnd = line.type === 'turn.completed' || line.type === 'turn.failed'
    if (isEnd) this.#end('', line.type === 'turn.failed' ? 'failed' : 'finished')
    const item = raw(line.item)
    const id = `exec:${this.#execProcesses}:${text(item.id)}`
    this.#readItem({ ...item, id }, line.type === 'item.completed')
    // A message to an agent begins a run. The stream has no messages of the agent.
    if (
      item.tool === 'send_input' &&
      line.type === 'item.completed' &&
      Array.isArray(item.receiver_thread_ids)
    )
      for (const thread of item.receiver_thread_ids) this.#start(text(thread))
    for (const [call, statuses] of this.#agents)
      if (isEnd && statuses.includes('running')) this.#agents.set(call, ['error'])
  }

  /** A process that has not reported its end was stopped. */
  #beginProcess(): void {
    this.#execProcesses += 1
    if (!this.#main.includes('running')) return
    this.#end('', 'interrupted')
    for (const [call, statuses] of this.#agents)
      if (statuses.includes('running')) this.#agents.set(call, ['error'])
  }

  #readAppServer(method: string, rpc: Raw, params: Raw): void {
    const thread = text(params.threadId)
    const turn = raw(params.turn)
    if (method === 'thread/started') this.#mainThread ??= text(raw(params.thread).id)
    if (/requestApproval$|requestUserInput$/.test(method)) this.#requests.add(String(rpc.id))
    if (method === 'serverRequest/resolved') this.#requests.delete(String(params.requestId))
    // A fork of main is main, but for a temporary one.
    const started = raw(params.thread)
    const isFork = started.ephemeral !== true && this.#isMainThread(text(started.forkedFromId))
    if (method === 'thread/started' && isFork) this.#forks.add(text(started.id))
    const isMain = thread !== '' && (this.#mainThread === undefined || this.#isMainThread(thread))
    if (isMain && thread !== '' && method.startsWith('turn/')) this.#mainThread ??= thread
    const place = isMain ? '' : thread
    if (method === 'turn/started') this.#start(place)
    if (method === 'turn/completed') {
      const { status } = turn
      this.#end(place, status === 'failed' ? 'failed' : status === 'interrupted' ? 'interrupted' : 'finished')
    }
    // Version 0.104 may report the prompt before the start of its turn.
    if (isMain && raw(params.item).type === 'userMessage' && !this.#main.includes('running')) this.#start('')
    if (method === 'item/started') this.#readItem(raw(params.item), false)
    if (method === 'item/completed') this.#readItem(raw(params.item), true)
  }

  #isMainThread(thread: string): boolean {
    return thread !== '' && (thread === this.#mainThread || this.#forks.has(thread))
  }

  /** Reads an item of any form. */
  #readItem(item: Raw, isCompleted: boolean): void {
    const [id, tool] = [text(item.id), text(item.tool).toLowerCase().replace('_', '')]
    const receivers = [item.receiver_thread_ids, item.receiverThreadIds].find(Array.isArray) ?? []
    if (tool === 'spawnagent') {
      this.#announce(id)
      for (const thread of receivers) this.#link(text(thread), id)
    }
    const agent = text(item.agent_thread_id) || text(item.agentThreadId)
    if (item.kind === 'started' && agent !== '') this.#link(agent, id)
    if (tool !== 'wait' && tool !== 'closeagent') return
    if (!isCompleted) return
    this.#readStates(raw(item.agents_states ?? item.agentsStates))
  }

  #readStates(states: Raw): void {
    for (const [thread, state] of Object.entries(states)) {
      const status = text(raw(state).status) || Object.keys(raw(state))[0]
      if (status === 'completed') this.#endAgent(thread, 'success')
      if (status === 'errored') this.#endAgent(thread, 'error')
    }
  }

  #announce(call: string): void {
    if (!this.#agents.has(call)) this.#agents.set(call, ['pending'])
  }

  #link(thread: string, call: string): void {
    if (this.#calls.has(thread)) return
    this.#calls.set(thread, call)
    this.#agents.set(call, [this.#ends.get(thread) ?? 'running'])
  }

  #endAgent(thread: string, status: AgentStatus): void {
    const call = this.#calls.get(thread)
    this.#ends.set(thread, status)
    if (call !== undefined) this.#agents.set(call, [status])
  }

  #start(thread: string): void {
    if (thread !== '') {
      const call = this.#calls.get(thread)
      this.#ends.delete(thread)
      if (call !== undefined) this.#agents.set(call, ['running'])
      return
    }
    this.#hasTurns = true
    this.#main = ['running']
    this.hasAnswered = false
  }

  #end(thread: string, outcome: 'finished' | 'interrupted' | 'failed'): void {
    if (thread !== '') return this.#endAgent(thread, outcome === 'finished' ? 'success' : 'error')
    this.#hasTurns = true
    this.#main = [outcome]
    this.hasAnswered = true
    this.#requests.clear()
  }
}
