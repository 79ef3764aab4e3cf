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

const AGENT_TOOLS: ReadonlySet<unknown> = new Set(['spawn_agent', 'team_run_task'])

/** Reads the stream and the files of Cline CLI. */
export class ClineOracle implements StatusOracle {
  #main: readonly TurnStatus[] = ['idle']
  readonly #agents = new Map<string, readonly AgentStatus[]>()
  hasAnswered = false
  readonly isWaiting = false

  get main(): readonly TurnStatus[] {
    return this.#main
  }

  get agents(): ProvenAgents {
    return this.#agents
  }

  read(message: unknown): void {
    const line = raw(message)
    if (Array.isArray(line.messages)) return this.#readFile(line)
    if (line.messages_path !== undefined) return this.#readIndex(text(line.status))
    if (line.type === 'run_result') return this.#end(text(line.finishReason))
    if (line.type === 'hook_event') return this.#readHook(line)
    const team = raw(line.event)
    if (line.type === 'team_event') this.#loosen()
    this.#readEvent(team.type === 'agent_event' ? raw(team.event) : team)
  }

  #readIndex(status: string): void {
    if (status === 'cancelled' && !this.hasAnswered) this.#main = ['interrupted']
    else if (status !== 'running' && this.hasAnswered && this.#main.includes('running'))
      this.#main = ['finished']
  }

  #end(reason: string): void {
    this.#main = [reason === 'error' ? 'failed' : reason === 'aborted' ? 'interrupted' : 'finished']
    this.hasAnswered = true
  }

  /** Hooks of teammates have no parent either, so the first one alone is known to be main's. */
  #readHook({ hookEventName, parentAgentId }: Raw): void {
    if (parentAgentId !== null) return this.#loosen()
    if (this.#main.includes('idle'))
      this.#main = hookEventName === 'agent_start' ? ['running'] : ['idle', 'running']
    if (hookEventName === 'agent_end' || hookEventName === 'agent_error') this.hasAnswered = true
    if (hookEventName === 'agent_start' || hookEventName === 'tool_call') this.hasAnswered = false
  }

  /** An agent may have ended before its call. */
  #loosen(): void {
    for (const [id, statuses] of this.#agents)
      if (statuses.includes('running')) this.#agents.set(id, ['running', 'success', 'error'])
  }

  #readEvent({ type, contentType, toolCallId, toolName, output }: Raw): void {
    if (type === 'content_start' || type === 'content_end') this.#main = ['running']
    if (contentType !== 'tool' || !AGENT_TOOLS.has(toolName)) return
    const id = text(toolCallId)
    if (type === 'content_start') this.#agents.set(id, ['running'])
    if (type === 'content_end') this.#agents.set(id, [statusOf(output)])
  }

  #readFile({ messages, agentId }: Raw): void {
    if (agentId === undefined) this.#main = ['idle']
    for (const message of list(messages)) {
      for (const part of list(message.content)) this.#readPart(part)
      if (agentId === undefined) this.#readMessage(message)
    }
  }

  #readMessage({ role, content, metadata }: Raw): void {
    const parts = list(content)
    const isAnswer = role === 'assistant' && !parts.some(({ type }) => type === 'tool_use')
    const hasFailed = raw(metadata).displayRole === 'error'
    this.#main = [hasFailed ? 'failed' : 'running']
    this.hasAnswered = isAnswer
  }

  #readPart({ type, id, name, tool_use_id, content }: Raw): void {
    if (type === 'tool_use' && AGENT_TOOLS.has(name))
      this.#agents.set(text(id), ['running', 'success', 'error'])
    const callId = text(tool_use_id)
    if (type === 'tool_result' && this.#agents.has(callId))
      this.#agents.set(callId, [statusOf(JSON.parse(text(content)))])
  }
}

function statusOf(output: unknown): AgentStatus {
  const { finishReason, error } = raw(output)
  const hasFailed = error !== undefined || (finishReason !== undefined && finishReason !== 'completed')
  return hasFailed ? 'error' : 'success'
}
