import type { TurnStatus } from '../../../src/core/state/turn.ts'
import {
  type AgentStatus,
  list,
  type ProvenAgents,
  type Raw,
  raw,
  type StatusOracle,
  text,
} from './oracle.ts'

/** Reads the file, the stream and the SDK's connection of Copilot. */
export class CopilotOracle implements StatusOracle {
  #main: readonly TurnStatus[] = ['idle']
  readonly #agents = new Map<string, readonly AgentStatus[]>()
  /** The call of each agent, by the agent's id. */
  readonly #calls = new Map<string, string>()
  /** The agents that go on after their first end, by call. */
  readonly #further = new Set<string>()
  /** The agents whose last reply has no calls. */
  readonly #answered = new Set<string>()
  readonly #requests = new Map<string, string>()
  #session = ''
  readonly #forks = new Set<string>()
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
    const rpc = raw(line.msg ?? line)
    const { sessionId, event } = raw(rpc.params)
    const isRpc = rpc.method === 'session.event'
    if (isRpc && !this.#isOwn(text(sessionId))) return
    this.#readEvent(isRpc ? raw(event) : line)
  }

  #isOwn(sessionId: string): boolean {
    if (this.#session === '' || this.#forks.has(sessionId)) this.#session = sessionId
    return sessionId === this.#session
  }

  #readEvent(given: Raw): void {
    const { type } = given
    const data = raw(given.data)
    // Before 1.0.42, the data of an agent's event names its call.
    const agentId = given.agentId ?? (text(type).startsWith('subagent.') ? undefined : data.parentToolCallId)
    const event = { ...given, agentId }
    const fork = /\(([0-9a-f-]{36})\)/.exec(text(data.message))?.[1]
    if (type === 'session.info' && fork !== undefined) this.#forks.add(fork)
    if (/^(permission|user_input)\.requested$/.test(text(type)))
      this.#requests.set(text(data.requestId), text(agentId))
    if (/^(permission|user_input)\.completed$/.test(text(type))) this.#requests.delete(text(data.requestId))
    if (type === 'assistant.message' || type === 'assistant.tool_call_delta') this.#announce(event)
    if (type === 'tool.execution_complete') this.#endCall(data)
    if (text(type).startsWith('subagent.')) return this.#readAgent(event)
    if (agentId === undefined) this.#readMain(event)
    else this.#readChild(text(this.#calls.get(text(agentId)) ?? agentId), event)
  }

  #readMain(event: Raw): void {
    const data = raw(event.data)
    switch (event.type) {
      case 'user.message':
      case 'assistant.turn_start':
      case 'assistant.message_delta':
      case 'assistant.reasoning_delta':
      case 'assistant.tool_call_delta':
      case 'assistant.message':
        this.#main = ['running']
        this.hasAnswered = event.type === 'assistant.message' && list(data.toolRequests).length === 0
        return
      case 'assistant.turn_end':
        if (this.hasAnswered) this.#end('finished')
        return
      case 'abort':
        this.#requests.clear()
        return this.#end('interrupted')
      case 'assistant.idle':
      case 'session.idle':
        return this.#end(data.aborted === true ? 'interrupted' : 'finished')
      case 'session.error':
        return this.#end('failed')
      case 'session.resume':
      case 'session.shutdown':
      case 'result':
        if (this.hasAnswered) return this.#end('finished')
        return this.#end(event.exitCode === 0 || event.type !== 'result' ? 'interrupted' : 'failed')
    }
  }

  #end(outcome: TurnStatus): void {
    if (this.#main.includes('running')) this.#main = [outcome]
  }

  /** A reply with a call of an agent shows the agent before it starts. */
  #announce({ type, data, agentId }: Raw): void {
    const calls =
      type === 'assistant.message'
        ? list(raw(data).toolRequests)
        : [{ ...raw(data), name: raw(data).toolName }]
    for (const { name, toolCallId } of calls)
      if (name === 'task' && !this.#agents.has(text(toolCallId)))
        this.#agents.set(text(toolCallId), ['pending'])
    if (type !== 'assistant.message') return
    const key = this.#calls.get(text(agentId)) ?? text(agentId)
    if (calls.length === 0) this.#answered.add(key)
    else this.#answered.delete(key)
  }

  #endCall({ toolCallId, success, result }: Raw): void {
    const call = text(toolCallId)
    const status = this.#agents.get(call)
    const isLaunch = success === true && text(raw(result).content).startsWith('Agent started in background')
    if (isLaunch || !status || !(status.includes('pending') || status.includes('running'))) return
    this.#agents.set(call, [success === true ? 'success' : 'error'])
  }

  #readAgent({ type, data, agentId }: Raw): void {
    const { toolCallId, cancelled } = raw(data)
    const call = text(toolCallId)
    if (type === 'subagent.started') {
      this.#calls.set(text(agentId), call)
      this.#agents.set(call, ['running'])
    }
    const isOpen = this.#agents.get(call)?.some((status) => status === 'running' || status === 'pending')
    if ((type !== 'subagent.completed' && type !== 'subagent.failed') || !isOpen) return
    this.#agents.set(call, [type === 'subagent.failed' || cancelled === true ? 'error' : 'success'])
    for (const [id, owner] of this.#requests) if (owner === agentId) this.#requests.delete(id)
  }

  /** A message to an agent that has ended lets it go on. Its next reply without calls is its end. */
  #readChild(call: string, { type }: Raw): void {
    const hasEnded = this.#agents.get(call)?.every((status) => status === 'success' || status === 'error')
    if (type === 'user.message' && hasEnded) {
      this.#further.add(call)
      this.#answered.delete(call)
      this.#agents.set(call, ['running'])
    }
    if (type === 'assistant.turn_end' && this.#further.has(call) && this.#answered.has(call))
      this.#agents.set(call, ['success'])
  }
}
