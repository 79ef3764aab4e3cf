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

/** Reads the bus, the exports and the run lines of OpenCode. */
export class OpencodeOracle implements StatusOracle {
  #main: readonly TurnStatus[] = ['idle']
  readonly #mainId: string
  /** A message has stated that the main session has no parent. Before that, no reader can know which session is main. */
  #isPlaced = false
  readonly #agents = new Map<string, readonly AgentStatus[]>()
  /** The call that started a session's agent. */
  readonly #calls = new Map<string, string>()
  readonly #messages = new Map<string, Raw>()
  /** The user messages that the model has answered. */
  readonly #answered = new Set<string>()
  /** The call or, without one, the session that each open request holds up, by the request's id. */
  readonly #requests = new Map<string, { readonly call: string; readonly session: string }>()
  /** The messages with a call that the person refused without a reason. */
  readonly #refused = new Set<string>()
  readonly #others: ReadonlySet<unknown>
  #outcome: TurnOutcome | undefined
  /** The model has answered, and the session is not idle yet. */
  hasAnswered = false

  /** The oracle may look ahead for the main session: only later messages may show which session has a parent. */
  constructor(messages: readonly unknown[]) {
    this.#mainId = mainSessionOf(messages)
    this.#others = otherTrees(messages, this.#mainId)
  }

  get main(): readonly TurnStatus[] {
    return this.#isPlaced ? this.#main : either(this.#main, 'idle')
  }

  get isWaiting(): boolean {
    return this.#requests.size > 0
  }

  get agents(): ProvenAgents {
    if (this.#isPlaced) return this.#agents
    return new Map([...this.#agents].map(([call, statuses]) => [call, either(statuses, 'absent')]))
  }

  read(message: unknown): void {
    const event = raw(message)
    const stored = Array.isArray(message) ? list(message) : list(event.messages)
    if (stored.length > 0) return this.#readStored(stored)
    if (event.info !== undefined && event.parts !== undefined) return this.#readStored([event])
    if (event.part !== undefined && event.sessionID !== undefined) return this.#readRunLine(event)
    const properties = raw(event.properties)
    if (raw(properties.info).id === this.#mainId) this.#isPlaced = true
    const sessionId = text(properties.sessionID) || text(raw(properties.info).sessionID)
    this.#readRequest(text(event.type), properties, sessionId)
    switch (event.type) {
      case 'message.updated':
        return this.#readMessage(raw(properties.info))
      case 'message.part.updated':
        return this.#readPart(raw(properties.part))
      case 'session.status':
        return this.#readStatus(sessionId, text(raw(properties.status).type))
      case 'session.idle':
        return this.#readStatus(sessionId, 'idle')
      case 'session.error':
        return properties.error === undefined ? undefined : this.#readError(sessionId, raw(properties.error))
    }
  }

  /** The model goes on after calls, unless the person has refused one. */
  #goesOn({ finish, id }: Raw): boolean {
    return finish === 'tool-calls' && !this.#refused.has(text(id))
  }

  #readRequest(type: string, properties: Raw, session: string): void {
    const { id, tool, callID, requestID, permissionID } = properties
    const call = text(raw(tool).callID) || text(callID)
    if (/^(permission|question)\.(asked|updated)$/.test(type)) this.#requests.set(text(id), { call, session })
    if (/^(permission|question)\.(replied|rejected)$/.test(type))
      this.#requests.delete(text(requestID) || text(permissionID))
    if (type === 'session.idle') this.#withdraw((request) => request.session === session)
    const part = raw(properties.part)
    const { status } = raw(part.state)
    if (status === 'completed' || status === 'error')
      this.#withdraw((request) => request.call === part.callID)
  }

  #withdraw(isOver: (request: { readonly call: string; readonly session: string }) => boolean): void {
    for (const [id, request] of this.#requests) if (isOver(request)) this.#requests.delete(id)
  }

  /** An export has no idle event. Its last message shows whether the turn is over. */
  #readStored(messages: readonly Raw[]): void {
    if (messages.some(({ info }) => raw(info).sessionID === this.#mainId)) this.#isPlaced = true
    for (const message of messages) {
      this.#readMessage(raw(message.info))
      for (const part of list(message.parts)) this.#readPart(part)
    }
    const last = raw(messages.at(-1)?.info)
    if (last.sessionID !== this.#mainId || last.role !== 'assistant') return
    if (last.error !== undefined || (raw(last.time).completed !== undefined && !this.#goesOn(last)))
      this.#idle()
  }

  /** A line of `opencode run` holds a finished part. No line says that the session is idle. */
  #readRunLine({ part }: Raw): void {
    const { type, reason, sessionID } = raw(part)
    this.#isPlaced = true
    if (sessionID === this.#mainId) this.#run()
    if (sessionID === this.#mainId && type === 'step-finish' && reason !== 'tool-calls')
      this.#main = either(this.#main, 'finished')
    this.#readPart(raw(part))
  }

  #readMessage(info: Raw): void {
    const id = text(info.id)
    const before = this.#messages.get(id)
    this.#messages.set(id, info)
    if (info.sessionID !== this.#mainId) return
    // A late reader has missed the prompt. Later updates of it come after its answer.
    this.#answered.add(text(info.parentID))
    if (info.role === 'user' && this.#answered.has(id)) return
    const isComplete = raw(info.time).completed !== undefined
    if (info.role === 'user' ? !before : !before && !isComplete) this.#run()
    if (!before && isComplete && this.#main.includes('idle')) this.#run()
    if (isComplete && info.role === 'assistant' && !this.#goesOn(info)) this.hasAnswered = true
    if (info.role === 'assistant' && info.error !== undefined) this.#readError(this.#mainId, raw(info.error))
  }

  #readError(sessionId: string, { name }: Raw): void {
    if (sessionId !== this.#mainId) return
    const outcome = name === 'MessageAbortedError' ? 'interrupted' : 'failed'
    if (this.#main.includes('idle')) this.#main = ['running', outcome]
    else if (!this.#main.includes('running')) this.#main = [outcome]
    this.#outcome = outcome
    this.hasAnswered = true
  }

  #readStatus(sessionId: string, type: string): void {
    const call = this.#calls.get(sessionId)
    const statuses = this.#agents.get(call ?? '')
    // The call's result, or a notification, states the end of the child session's run.
    if (call !== undefined && statuses?.includes('running') && type === 'idle')
      this.#agents.set(call, ['running', 'success', 'error'])
    if (sessionId !== this.#mainId) return
    if (type === 'idle') return this.#idle()
    // A reconnect repeats a busy status without its idle one. So after a turn, it proves nothing before the prompt.
    if (this.#main.includes('idle') || this.#main.includes('running')) this.#main = ['running']
    else this.#main = either(this.#main, 'running')
  }

  #idle(): void {
    if (this.#main.includes('running')) this.#main = [this.#outcome ?? 'finished']
  }

  #run(): void {
    this.hasAnswered = false
    this.#outcome = undefined
    this.#main = ['running']
  }

  #readPart(part: Raw): void {
    if (this.#others.has(part.sessionID)) return
    if (part.type === 'text' && part.synthetic === true) this.#readNotification(text(part.text))
    // A late reader has missed the message of the step.
    const isLate =
      part.type === 'step-start' && part.sessionID === this.#mainId && this.#main.includes('idle')
    if (isLate) this.#run()
    if (isRefusal(raw(part.state))) this.#refused.add(text(part.messageID))
    const messageId = text(part.messageID)
    const isRefused = this.#refused.has(messageId) && !this.#messages.has(messageId)
    const goesOn = part.reason === 'tool-calls' && !isRefused
    const isEnd = part.type === 'step-finish' && !goesOn
    if (isEnd && part.sessionID === this.#mainId) this.hasAnswered = true
    if (part.type === 'tool') this.#readTool(part, raw(part.state))
  }

  #readTool({ callID, tool }: Raw, state: Raw): void {
    const call = text(callID)
    if (tool !== 'task') {
      if (this.#agents.get(call)?.includes('pending')) this.#agents.set(call, ['absent'])
      return
    }
    const sessionId = text(raw(state.metadata).sessionId) || text(raw(state.input).task_id)
    const first = this.#calls.get(sessionId)
    if (first !== undefined && first !== call) return this.#resume(first, call, state)
    const isKnown = text(raw(state.metadata).sessionId) !== ''
    if (isKnown) this.#calls.set(sessionId, call)
    const isOver = state.status === 'completed' || state.status === 'error'
    const isAsked = text(raw(state.input).prompt) !== '' && raw(state.input).task_id === undefined
    if (isOver) return this.#end(call, state)
    const isStarted = isKnown || (state.status === 'running' && isAsked)
    if (isStarted && !isFinal(this.#agents.get(call))) this.#agents.set(call, ['running'])
    else if (!this.#agents.has(call)) this.#agents.set(call, ['pending'])
  }

  #resume(first: string, call: string, state: Raw): void {
    if (this.#agents.get(call)?.includes('pending')) this.#agents.set(call, ['absent'])
    const isOver = state.status === 'completed' || state.status === 'error'
    if (isOver) this.#end(first, state)
    else this.#agents.set(first, ['running'])
  }

  #end(call: string, { status, output }: Raw): void {
    const isLaunch = /^<task id="[^"]*" state="running">/.test(text(output))
    if (status === 'error') this.#agents.set(call, ['error'])
    // Before 1.18.20, the call of an agent that failed is completed without a report.
    else if (/<task_result>\s*<\/task_result>/.test(text(output)))
      this.#agents.set(call, ['success', 'error'])
    else if (!isLaunch) this.#agents.set(call, ['success'])
    else if (!isFinal(this.#agents.get(call))) this.#agents.set(call, ['running'])
  }

  #readNotification(words: string): void {
    const [, sessionId = '', state] = /^<task id="([^"]*)" state="([^"]*)"/.exec(words) ?? []
    const call = this.#calls.get(sessionId)
    if (call === undefined || state === 'running') return
    this.#agents.set(call, [state === 'completed' ? 'success' : 'error'])
  }
}

function isRefusal({ status, error }: Raw): boolean {
  const isRejected = /^The user rejected permission to use this specific tool call(?!.*feedback: )/s
  return (
    status === 'error' && (isRejected.test(text(error)) || text(error) === 'The user dismissed this question')
  )
}

function isFinal(statuses: readonly AgentStatus[] = ['pending']): boolean {
  return !statuses.some((status) => status === 'running' || status === 'pending')
}

/** Returns the sessions of other trees, such as a fork with its agents. */
function otherTrees(messages: readonly unknown[], mainId: string): ReadonlySet<unknown> {
  const others = new Set<unknown>()
  for (const value of messages) {
    const { id, role, parentID } = raw(raw(raw(value).properties).info)
    const isOther = parentID === undefined ? id !== mainId : others.has(parentID)
    if (id !== undefined && role === undefined && isOther) others.add(id)
  }
  return others
}

/** Returns the first session that works and has no parent. */
function mainSessionOf(messages: readonly unknown[]): string {
  const children = new Set<unknown>()
  const working: string[] = []
  for (const value of messages) {
    const message = raw(value)
    const properties = raw(message.properties)
    const info = raw(message.info ?? properties.info)
    if (info.role === undefined && info.parentID !== undefined) children.add(info.id)
    const stored = Array.isArray(value) ? value : message.messages
    const first = raw(list(stored)[0]?.info)
    const id =
      text(first.sessionID) ||
      (info.role === undefined ? '' : text(info.sessionID)) ||
      text(raw(properties.part ?? message.part).sessionID)
    if (id !== '') working.push(id)
  }
  return working.find((id) => !children.has(id)) ?? working[0] ?? ''
}
