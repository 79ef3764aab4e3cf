import type { TurnOutcome, TurnStatus } from '../../../src/core/state/turn.ts'
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

/** Reads the streams, the connections and the files of Pi and Oh My Pi. */
export class PiOracle implements StatusOracle {
  main: readonly TurnStatus[] = ['idle']
  readonly #agents = new Map<string, readonly AgentStatus[]>()
  /** The ids of the messages that have come whole. */
  readonly #read = new Set<string>()
  readonly #requests = new Map<string, string>()
  #outcome: TurnOutcome = 'finished'
  #started = ''
  hasAnswered = false

  get agents(): ProvenAgents {
    return this.#agents
  }

  get isWaiting(): boolean {
    return this.#requests.size > 0
  }

  read(message: unknown): void {
    const line = raw(raw(message).msg ?? message)
    // The file of an agent.
    if (line.agentId !== undefined) return
    switch (line.type) {
      case 'message':
      case 'message_end':
        this.#readMessage(raw(line.message))
        // No entry of a file ends a turn, so the answer does.
        return line.type === 'message' ? this.#end() : undefined
      case 'message_start':
        return this.#readStart(raw(line.message))
      case 'tool_execution_start':
        if (line.parentToolCallId === undefined) this.#started = text(line.toolCallId)
        return this.#mayRun()
      case 'message_update':
        return this.#mayRun()
      case 'tool_execution_update':
        this.#mayRun()
        return this.#readRuns(text(line.toolCallId), raw(raw(line.partialResult).details), false)
      case 'tool_execution_end':
        this.#mayRun()
        return this.#readResult({ ...raw(line.result), toolCallId: line.toolCallId, isError: line.isError })
      case 'agent_settled':
        return this.#end()
      case 'agent_end':
        return this.#readRunEnd(line)
      case 'auto_retry_start':
        this.hasAnswered = false
        return
      case 'auto_retry_end':
        return line.success === false ? this.#end() : undefined
      case 'extension_ui_request':
        if (/^(select|confirm|input|editor)$/.test(text(line.method)))
          this.#requests.set(text(line.id), this.#started)
        return
      case 'extension_ui_response':
        this.#requests.delete(text(line.id))
    }
  }

  /** A reader that joined late has missed the prompt. */
  #mayRun(): void {
    if (this.main.includes('idle')) this.main = either(this.main, 'running')
  }

  #readStart({ role, timestamp }: Raw): void {
    if (role !== 'assistant' || this.#read.has(`${role} ${timestamp}`)) return
    this.main = ['running']
    this.hasAnswered = false
  }

  #readMessage(message: Raw): void {
    const { role, timestamp, content, stopReason } = message
    const key = `${role} ${timestamp}`
    if (role === 'toolResult') {
      this.#mayRun()
      return this.#readResult(message)
    }
    if (this.#read.has(key) || (role !== 'user' && role !== 'assistant')) return
    this.#read.add(key)
    this.main = ['running']
    this.hasAnswered = role === 'assistant' && stopReason !== 'toolUse'
    if (role === 'user') return
    this.#outcome = OUTCOMES[text(stopReason)] ?? 'finished'
    for (const part of list(content)) if (part.type === 'toolCall') this.#readCall(part)
  }

  /** A call with one task is its agent. Those of a list have the id of the call, and a number. */
  #readCall({ id, name, arguments: input }: Raw): void {
    const { agent, task, tasks, chain } = raw(input)
    if (name !== 'subagent' && name !== 'task') return
    if (agent !== undefined && task !== undefined) this.#agents.set(text(id), ['running'])
    for (const [at] of list(tasks ?? list(chain).slice(0, 1)).entries())
      this.#agents.set(`${text(id)}/${at + 1}`, ['pending'])
  }

  #readResult(message: Raw): void {
    const call = text(message.toolCallId)
    for (const [id, started] of this.#requests) if (started === call) this.#requests.delete(id)
    this.#readRuns(call, raw(message.details), true)
    const isLaunch = raw(message.details).asyncId !== undefined
    if (this.#agents.get(call)?.includes('running') && !isLaunch) this.#agents.set(call, ['success', 'error'])
    for (const { text: words } of list(message.content)) this.#readNews(text(words))
  }

  #readNews(words: string): void {
    for (const [, id, status] of words.matchAll(/<task-result id="([^"]*)"[^>]*status="([^"]*)"/g))
      for (const key of this.#agents.keys())
        if (this.#names.get(key) === id) this.#agents.set(key, [status === 'completed' ? 'success' : 'error'])
  }

  readonly #names = new Map<string, string>()

  #readRuns(call: string, { results, progress, async: launch }: Raw, isFinal: boolean): void {
    const runs = list(results).length > 0 ? list(results) : list(progress)
    for (const [at, run] of runs.entries()) {
      const isSingle = this.#agents.has(call)
      const key = isSingle ? call : `${call}/${at + 1}`
      if (run.agentSource === 'unknown' && run.status !== 'pending' && !isSingle)
        this.#agents.set(key, ['absent'])
      else if (!isFinalStatus(this.#agents.get(key))) {
        this.#names.set(key, text(run.id))
        this.#agents.set(key, statusOf(run, isFinal, isFinal && launch !== undefined, this.#agents.get(key)))
      }
    }
  }

  #readRunEnd({ willRetry, isTerminal, messages }: Raw): void {
    if (willRetry === undefined && isTerminal === undefined && list(messages).at(-1)?.stopReason === 'error')
      this.main = either(this.main, 'failed')
    else if (isTerminal === true || willRetry === undefined) this.#end()
  }

  #end(): void {
    if (this.hasAnswered) this.main = [this.#outcome]
    this.#requests.clear()
  }
}

const OUTCOMES: Readonly<Record<string, TurnOutcome>> = { error: 'failed', aborted: 'interrupted' }

function isFinalStatus(statuses: readonly AgentStatus[] = ['pending']): boolean {
  return !statuses.some((status) => status === 'running' || status === 'pending')
}

function statusOf(
  run: Raw,
  isFinal: boolean,
  isLaunch: boolean,
  before: readonly AgentStatus[] = ['pending'],
): readonly AgentStatus[] {
  const status = text(run.status ?? raw(run.progress).status)
  if (status === 'completed') return ['success']
  if (/^(failed|aborted|cancelled|error)$/.test(status)) return ['error']
  if (isLaunch) return ['running']
  if (isFinal) return run.exitCode === 0 && run.stopReason !== 'error' ? ['success'] : ['error']
  const isWaiting = status === 'pending' || run.exitCode === -1
  return isWaiting ? either(before, 'pending') : ['running']
}
