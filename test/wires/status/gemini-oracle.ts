import type { TurnStatus } from '../../../src/core/state/turn.ts'
import {
  type AgentStatus,
  either,
  list,
  type ProvenAgents,
  type Raw,
  raw,
  type StatusOracle,
  text,
} from './oracle.ts'

/** Reads the stream and the chats of Gemini CLI. */
export class GeminiOracle implements StatusOracle {
  #main: readonly TurnStatus[] = ['idle']
  readonly #agents = new Map<string, readonly AgentStatus[]>()
  readonly #prompts = new Set<unknown>()
  readonly #children = new Set<unknown>()
  #hasContent = false
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
    for (const each of list(line.messages)) this.#readMessage(each)
    if (line.id !== undefined) this.#readMessage(line)
    else if (line.$rewindTo !== undefined) this.#main = this.hasAnswered ? ['finished'] : this.#main
    else if (line.$set !== undefined || line.sessionId !== undefined) this.#readOperation(line)
    else this.#readStream(line)
  }

  /** A history is the first one that is known, or it may end a turn that it lacks. */
  #readOperation({ $set, sessionId, agentId }: Raw): void {
    const { messages } = raw($set)
    if (agentId !== undefined) return
    if (sessionId !== undefined && this.#main.includes('running') && !this.hasAnswered)
      this.#main = either(this.#main, 'interrupted')
    if (!Array.isArray(messages)) return
    if (!this.#hasContent) for (const each of list(messages)) this.#readMessage(each)
    else if (this.#main.includes('running')) this.#main = either(this.#main, 'interrupted')
  }

  #readMessage(line: Raw): void {
    const { agentId, type, content } = line
    const words =
      typeof content === 'string'
        ? content
        : list(content)
            .map((part) => text(part.text))
            .join('')
    if (agentId !== undefined) return this.#readChild(line)
    if (type === 'user' && words !== '' && !words.startsWith('<')) this.#start(line.id)
    if (type === 'gemini') this.#readReply(line, words)
    if (type === 'info' && words === 'Request cancelled.') this.#main = ['interrupted']
    if (type === 'error' && this.#main.includes('running')) this.#main = ['failed']
    // Results go to the model. A refused call has no line but these.
    if (type === 'user' && words === '') this.#goOn()
  }

  /** Nothing tells a text with calls from an answer, before the calls have ended: it ends the turn, and they go on with it. */
  #readReply({ toolCalls }: Raw, words: string): void {
    const calls = list(toolCalls)
    this.#hasContent = true
    this.hasAnswered = words !== '' && calls.length === 0
    this.#main = [this.hasAnswered ? 'finished' : 'running']
    for (const { id, name, status, resultDisplay } of calls) {
      const { state } = raw(resultDisplay)
      const hasFailed = status !== 'success' || state === 'error'
      if (name === 'invoke_agent') this.#agents.set(text(id), [hasFailed ? 'error' : 'success'])
    }
  }

  #goOn(): void {
    this.#main = ['running']
    this.hasAnswered = false
  }

  #readChild({ type, agentId }: Raw): void {
    if (!this.#children.has(agentId)) this.#goOn()
    this.#children.add(agentId)
    if (type === 'gemini' && !this.#main.includes('finished')) this.hasAnswered = false
  }

  #start(id: unknown): void {
    if (this.#prompts.has(id)) return
    this.#prompts.add(id)
    this.#hasContent = true
    this.#main = ['running']
    this.hasAnswered = false
  }

  #readStream(line: Raw): void {
    const id = text(line.tool_id)
    switch (line.type) {
      case 'init':
        if (this.#main.includes('running')) this.#main = ['interrupted']
        for (const [agent, statuses] of this.#agents)
          if (statuses.includes('running')) this.#agents.set(agent, ['error'])
        return
      case 'message':
        this.#main = ['running']
        return
      case 'tool_use':
        this.#main = ['running']
        if (line.tool_name === 'invoke_agent') this.#agents.set(id, ['running'])
        return
      case 'tool_result':
        if (this.#agents.has(id)) this.#agents.set(id, [line.status === 'success' ? 'success' : 'error'])
        return
      case 'result':
        this.#main = [line.status === 'success' ? 'finished' : 'failed']
        this.hasAnswered = true
        return
    }
  }
}
