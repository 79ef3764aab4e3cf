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

const OUTCOMES: Readonly<Record<string, TurnStatus>> = { cancelled: 'interrupted', failed: 'failed' }

/** Reads the files, the server's events and the lines of Kimi Code. */
export class KimiOracle implements StatusOracle {
  #main: readonly TurnStatus[] = ['idle']
  readonly #agents = new Map<string, readonly AgentStatus[]>()
  /** The key of each agent: its call, or the agent itself if the call starts several. */
  readonly #keys = new Map<string, string>()
  readonly #requests = new Set<string>()
  readonly #prompts = new Set<string>()
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

  read(value: unknown): void {
    const { msg, ...message } = raw(value)
    const line = msg === undefined ? message : raw(msg)
    if (line.role !== undefined) return this.#readLine(line)
    const event = raw(line.payload).type === undefined ? line : raw(line.payload)
    const fields = event.type === 'context.append_loop_event' ? raw(event.event) : event
    this.#readEvent(text(fields.type), text(event.agentId) || 'main', fields)
  }

  #readEvent(type: string, agentId: string, fields: Raw): void {
    switch (type) {
      case 'turn.prompt':
      case 'turn.started':
        return this.#begin(agentId, text(fields.promptId))
      case 'step.begin':
      case 'turn.step.started':
        // A late reader has missed the prompt. Some versions write no line for the start of an agent.
        if (agentId === 'main') this.hasAnswered = false
        if (agentId === 'main') return this.#main.includes('idle') ? this.#run() : undefined
        return this.#start(agentId)
      // Up to 0.35 nothing else says that the turn is over.
      case 'step.end':
      case 'turn.step.completed':
        if (agentId === 'main') this.hasAnswered = fields.finishReason === 'end_turn'
        return
      case 'turn.ended':
        if (agentId === 'main') this.#main = [OUTCOMES[text(fields.reason)] ?? 'finished']
        return
      case 'tool.call':
      case 'tool.call.started':
        return this.#readCall(text(fields.toolCallId), text(fields.name), raw(fields.args))
      case 'tool.result':
        return this.#readResult(text(fields.toolCallId), raw(fields.result ?? fields))
      case 'subagent.spawned':
        return this.#spawn(text(fields.subagentId), text(fields.parentToolCallId), fields)
      case 'subagent.completed':
        return this.#end(text(fields.subagentId), 'success')
      case 'subagent.failed':
      case 'subagent.cancelled':
        return this.#end(text(fields.subagentId), 'error')
      default:
        return this.#readRequest(type, fields)
    }
  }

  #readRequest(type: string, { id, approval_id, question_id }: Raw): void {
    const request = text(id) || text(approval_id) || text(question_id)
    if (/^(?:interaction\.request|permission\.approval\.requested|event\..*\.requested)$/.test(type))
      this.#requests.add(request)
    if (/^(?:interaction\.resolved|.*\.approval\.resolved|event\.question\.answered)$/.test(type))
      this.#requests.delete(request)
  }

  /** A prompt while the turn runs is that of the next process: the program was killed, and its agents with it. */
  #begin(agentId: string, promptId: string): void {
    if (agentId !== 'main') {
      const key = this.#keys.get(agentId)
      if (key !== undefined) this.#agents.set(key, ['running'])
      return
    }
    if (this.#main.includes('running') && !this.#prompts.has(promptId))
      for (const [key, statuses] of this.#agents)
        if (statuses.includes('running') || statuses.includes('pending')) this.#agents.set(key, ['error'])
    this.#prompts.add(promptId)
    this.#run()
  }

  #run(): void {
    this.#main = ['running']
    this.hasAnswered = false
  }

  #readCall(callId: string, name: string, { resume }: Raw): void {
    if (name === 'Agent' && text(resume) === '' && !this.#agents.has(callId))
      this.#agents.set(callId, ['pending'])
  }

  #spawn(agentId: string, callId: string, { swarmIndex }: Raw): void {
    const known = this.#keys.get(agentId)
    const key = known ?? (swarmIndex === undefined ? callId : agentId)
    this.#keys.set(agentId, key)
    this.#agents.set(key, ['running'])
  }

  /** An agent that works without a line for its start has one of the announced calls. */
  #start(agentId: string): void {
    if (this.#keys.has(agentId)) return
    for (const [key, statuses] of this.#agents)
      if (statuses.includes('pending')) this.#agents.set(key, ['pending', 'running'])
  }

  #end(agentId: string, status: AgentStatus): void {
    const key = this.#keys.get(agentId)
    if (key !== undefined) this.#agents.set(key, [status])
  }

  #readResult(callId: string, { output, isError }: Raw): void {
    const words =
      typeof output === 'string'
        ? output
        : list(output)
            .map((part) => text(part.text))
            .join('')
    const isFinal = this.#agents.get(callId)?.every((status) => status === 'success' || status === 'error')
    if (!this.#agents.has(callId) || isFinal) return
    const [, status] = /^status: (\w+)$/m.exec(words) ?? []
    if (status === 'running') this.#agents.set(callId, ['running'])
    else this.#agents.set(callId, [isError === true || status !== 'completed' ? 'error' : 'success'])
  }

  /** The lines have no prompts. A message without calls answers the turn, which the last line ends. */
  #readLine({ role, type, tool_calls, tool_call_id, content }: Raw): void {
    if (role === 'meta' && type === 'session.resume_hint') {
      this.#main = ['finished']
      for (const [key, statuses] of this.#agents)
        if (statuses.includes('running')) this.#agents.set(key, ['success'])
      return
    }
    if (role === 'meta' && type !== 'system.version') return
    this.#run()
    if (role === 'tool') return this.#readResult(text(tool_call_id), { output: content })
    for (const call of list(tool_calls)) {
      const named = raw(call.function)
      const input: unknown = JSON.parse(text(named.arguments) || '{}')
      const isNew =
        named.name === 'Agent' && text(raw(input).resume) === '' && !this.#agents.has(text(call.id))
      if (isNew) this.#agents.set(text(call.id), ['running'])
    }
    this.hasAnswered = role === 'assistant' && list(tool_calls).length === 0
  }
}
