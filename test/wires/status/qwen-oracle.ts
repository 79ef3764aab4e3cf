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

/** Reads the streams and the files of Qwen Code. */
export class QwenOracle implements StatusOracle {
  #main: readonly TurnStatus[] = ['idle']
  readonly #agents = new Map<string, readonly AgentStatus[]>()
  /** The calls of agents by the agents' own ids. */
  readonly #calls = new Map<string, string>()
  readonly #background = new Set<string>()
  readonly #requests = new Map<string, string>()
  readonly #records = new Set<string>()
  readonly #prompted = new Set<string>()
  #hasResponse = false
  /** Nothing but the reply ends a turn of the terminal. */
  #isTerminal = false
  #isCut = false
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
    const { msg, ...own } = raw(message)
    const line = msg === undefined ? own : raw(msg)
    if (line.type === 'agent_meta') return this.#readMeta(line)
    if (line.sessionId === undefined) return this.#readLive(line)
    if (this.#records.has(text(line.uuid))) return
    this.#records.add(text(line.uuid))
    if (line.agentId === undefined) this.#readRecord(line)
    else this.#readChild(line)
  }

  #run(): void {
    this.#main = ['running']
    this.hasAnswered = false
  }

  #begin(id: string): void {
    if (!this.#agents.has(id)) this.#agents.set(id, ['running'])
  }

  #readMeta({ agentId, meta }: Raw): void {
    const { toolUseId } = raw(meta)
    this.#calls.set(text(agentId), text(toolUseId))
    this.#begin(text(toolUseId))
  }

  #readChild({ agentId, type, message }: Raw): void {
    const call = this.#calls.get(text(agentId)) ?? ''
    if (type === 'user' && this.#prompted.has(call)) this.#agents.set(call, ['running'])
    if (type === 'user') this.#prompted.add(call)
    this.#readParts(list(raw(message).parts))
  }

  #readParts(parts: readonly Raw[]): boolean {
    let hasCall = false
    for (const { functionCall, functionResponse } of parts) {
      const { id, name } = raw(functionCall)
      if (functionCall !== undefined) hasCall = true
      if (name === 'agent') this.#begin(text(id))
      const { id: callId, response } = raw(functionResponse)
      const { output, error } = raw(response)
      if (this.#agents.has(text(callId))) this.#readResult(text(callId), text(output), error !== undefined)
    }
    return hasCall
  }

  #readResult(id: string, output: string, isError: boolean): void {
    if (output.startsWith('Background agent launched')) this.#background.add(id)
    else
      this.#agents.set(id, [
        isError || /^(Subagent execution failed\.$|Failed to run subagent:)/.test(text(output))
          ? 'error'
          : 'success',
      ])
  }

  #readRecord(line: Raw): void {
    const { type, subtype, usageMetadata, provenance } = line
    const parts = list(raw(line.message).parts)
    if (type === 'system') return this.#readSystem(line)
    this.#run()
    if (subtype === 'notification') {
      const words = text(parts[0]?.text)
      const [, id = ''] = /<tool-use-id>(.*?)</.exec(words) ?? []
      this.#agents.set(id, [words.includes('<status>completed<') ? 'success' : 'error'])
    } else if (type === 'user' && /^<system-reminder>\n\d+ background/.test(text(parts[0]?.text))) {
      for (const [id, statuses] of this.#agents)
        if (statuses.includes('running')) this.#agents.set(id, ['error'])
    }
    const hasCall = this.#readParts(parts)
    if (type !== 'assistant') return
    const isWhole = usageMetadata !== undefined || provenance === undefined || this.#hasResponse
    this.#hasResponse = false
    if (hasCall) return
    this.hasAnswered = isWhole
    this.#main = [isWhole ? 'finished' : 'interrupted']
  }

  #readSystem({ subtype, systemPayload }: Raw): void {
    if (subtype === 'rewind' && this.hasAnswered) this.#main = ['finished']
    const event = raw(raw(systemPayload).uiEvent)
    if (event.subagent_id !== undefined || !/###|^[0-9a-f]{8,14}$/.test(text(event.prompt_id))) return
    if (event['event.name'] === 'qwen-code.api_response') this.#hasResponse = true
    if (event['event.name'] === 'qwen-code.api_error') this.#main = ['failed']
  }

  #readLive(line: Raw): void {
    const { type, subtype, parent_tool_use_id: parent, request, request_id, response } = line
    if (type === 'control_request' && raw(request).subtype === 'can_use_tool')
      this.#requests.set(text(request_id), text(raw(request).tool_use_id))
    if (type === 'control_response') this.#requests.delete(text(raw(response).request_id))
    if (type === 'system' && subtype === 'init') this.#run()
    if (subtype === 'session_start') this.#isTerminal = true
    if (this.#isTerminal && raw(line.event).type === 'message_stop') this.#endMessage()
    if (type === 'system') this.#readTask(line)
    if (type === 'stream_event' && raw(line.event).type === 'goal_state')
      for (const [id, statuses] of this.#agents)
        if (statuses.includes('running')) this.#agents.set(id, ['error'])
    if (type === 'result') this.#readEnd(line)
    if (type === 'assistant') this.#readReply(line)
    if (type === 'user') this.#readUser(line)
    if (typeof parent === 'string') this.#begin(parent)
  }

  #readTask({ subtype, data }: Raw): void {
    const { tool_use_id, status } = raw(data)
    const id = text(tool_use_id)
    if (subtype === 'task_started') this.#background.add(id)
    if (subtype === 'task_notification') this.#agents.set(id, [status === 'completed' ? 'success' : 'error'])
  }

  #readReply({ message, parent_tool_use_id: parent }: Raw): void {
    const content = list(raw(message).content)
    for (const { type, name, id } of content)
      if (type === 'tool_use' && name === 'agent') this.#begin(text(id))
    if (typeof parent === 'string') return
    this.#run()
    const isLast = raw(raw(message).usage).output_tokens !== 0
    const isText = content.some(({ type }) => type === 'text')
    this.hasAnswered = isLast && isText
    this.#isCut = isText && !isLast
  }

  /** A text without tokens is one that the person stopped. */
  #endMessage(): void {
    if (this.hasAnswered) this.#main = ['finished']
    else if (this.#isCut) this.#main = ['interrupted']
  }

  #readUser({ uuid, message, parent_tool_use_id: parent }: Raw): void {
    const { content } = raw(message)
    for (const { type, tool_use_id, content: output, is_error } of list(content)) {
      if (type !== 'tool_result') continue
      for (const [request, call] of this.#requests) if (call === tool_use_id) this.#requests.delete(request)
      if (this.#agents.has(text(tool_use_id)))
        this.#readResult(text(tool_use_id), text(output), is_error === true)
    }
    if (typeof parent === 'string') return
    if (uuid === undefined && this.#main.includes('running')) return
    this.#run()
  }

  /** An agent that fails ends with such a line too. */
  #readEnd({ is_error, num_turns, error, result }: Raw): void {
    const isOfAgent = [...this.#agents].some(
      ([id, statuses]) => statuses.includes('running') && !this.#background.has(id),
    )
    if (is_error === true && num_turns === 0 && isOfAgent) return
    const words = text(raw(error).message)
    // Before 0.24, a turn that failed succeeds with its error.
    if (is_error !== true) this.#main = [text(result).startsWith('[API Error: ') ? 'failed' : 'finished']
    else this.#main = [/cancel/i.test(words) ? 'interrupted' : 'failed']
    this.hasAnswered = true
  }
}
