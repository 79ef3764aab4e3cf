import type { TurnOutcome, TurnStatus } from '../../../src/core/state/turn.ts'
import { ClaudeAgents } from './claude-agents.ts'
import { either, list, type ProvenAgents, type Raw, raw, type StatusOracle, text } from './oracle.ts'

const INTERRUPTION = /^\[Request interrupted by user[^\]]*\]$/
const NOTIFICATION = /^(<(task|agent)-notification>|Another Claude session sent a message:\n<agent-message )/
const COMMAND = /^(<(command|local-command|bash)-[a-z]+>|\/compact(\s|$))/
/** The program's words for the model: no prompt begins with them. */
const PROGRAM =
  /^(This session is being continued from|(SubagentStop|Stop) hook feedback:|<user-prompt-submit-hook>|<system-reminder>|<(teammate|agent)-message)/

const ANY: readonly TurnStatus[] = ['idle', 'running', 'finished', 'interrupted', 'failed']

/** Reads the lines of Claude Code, streamed and stored. */
export class ClaudeOracle implements StatusOracle {
  main: readonly TurnStatus[] = ['idle']
  readonly #agents = new ClaudeAgents()
  #isStream = false
  #isFirstLine = true
  #hasInit = false
  #isDisordered = false
  /** The model has answered while agents ran, and no result has come since. */
  #owesResult = false
  /** The model has answered, and the stream has not reported the end of the turn. */
  #hasAnswered = false
  /** The next user message is the summary of a compaction. */
  #isSummaryNext = false
  #lastMessageId = ''
  #stoppedMessageId: string | undefined
  /** The tool of each call of main. */
  readonly #tools = new Map<string, string>()
  /** The open requests by their id. */
  readonly #requests = new Map<string, { readonly toolUseId: string; readonly agentId: string }>()

  get hasAnswered(): boolean {
    return this.#hasAnswered || this.main.includes('finished')
  }

  get isWaiting(): boolean {
    const isMainRunning = this.main.includes('running')
    return [...this.#requests.values()].some(({ agentId }) =>
      agentId === '' ? isMainRunning : !this.#agents.hasEnded(agentId),
    )
  }

  get agents(): ProvenAgents {
    return this.#isDisordered ? new Map() : this.#agents.proven
  }

  read(message: unknown): void {
    const line = raw(message)
    if (line.session_id !== undefined && line.sessionId === undefined && line.type !== 'agent_meta')
      this.#isStream = true
    this.#agents.read(line)
    this.#readControl(line)
    if (isMain(line)) this.#readMain(line)
    if (isMain(line)) this.#readOrder(line)
    if (this.#isDisordered) this.main = ANY
    // A workflow starts its agents after the answer.
    if (this.#isStream && this.#hasAnswered && this.#agents.areRunning && this.main.includes('running'))
      this.#answer('finished')
    // The last agent has ended. The program hands the news to the model before it reports the end of the turn.
    if (this.#owesResult && !this.#agents.areRunning && this.main.includes('finished'))
      this.main = ['running']
  }

  /** Some versions write the first turn of a file out of order. Until the next prompt, only the tree shows what has happened. */
  #readOrder(line: Raw): void {
    if (line.parentUuid === undefined) return
    const isPrompt = line.type === 'user' && typeof raw(line.message).content === 'string'
    if (this.#isFirstLine && line.parentUuid !== null && !isPrompt) this.#isDisordered = true
    else if (isPrompt && line.parentUuid !== null) this.#isDisordered = false
    this.#isFirstLine = false
  }

  #readMain(line: Raw): void {
    switch (line.type) {
      case 'system':
        return this.#readSystem(line)
      case 'stream_event':
        return this.#readStream(raw(line.event))
      case 'assistant':
        return this.#readModel(line, raw(line.message))
      case 'user':
        return this.#readUser(line, raw(line.message).content)
      case 'attachment':
        return this.#readAttachment(line, raw(line.attachment))
      case 'queue-operation':
        // The program hands a waiting prompt to the model, or writes a line for it.
        return line.operation === 'remove' ? this.#allow('running') : undefined
      case 'result':
        return this.#readResult(line)
    }
  }

  /** A result of a call answers the request for the call, and so does the client's own answer. */
  #readControl(line: Raw): void {
    const { subtype, tool_use_id, agent_id } = raw(line.request)
    if (line.type === 'control_request' && subtype === 'can_use_tool') {
      this.#requests.set(text(line.request_id), { toolUseId: text(tool_use_id), agentId: text(agent_id) })
      // The program asks in the middle of a turn. A late reader has missed the turn's start.
      if (agent_id === undefined) this.#run()
    }
    if (line.type === 'control_cancel_request') this.#requests.delete(text(line.request_id))
    if (line.type === 'control_response') this.#requests.delete(text(raw(line.response).request_id))
    // A file has no requests, but a call of this tool is always asked.
    if (line.type === 'assistant' && !this.#isStream)
      for (const { id, name } of list(raw(line.message).content))
        if (name === 'AskUserQuestion')
          this.#requests.set(text(id), { toolUseId: text(id), agentId: text(line.agentId) })
    if (line.type !== 'user') return
    const answered = new Set(list(raw(line.message).content).map((part) => part.tool_use_id))
    for (const [id, { toolUseId }] of this.#requests) if (answered.has(toolUseId)) this.#requests.delete(id)
  }

  #readSystem({ subtype, status }: Raw): void {
    // Each process begins its turns with `init`: it does not go on with an unfinished turn of the process before.
    if (subtype === 'init' && this.#hasInit && this.main.includes('running') && !this.#hasAnswered)
      this.#agents.endAwaited()
    if (subtype === 'init') this.#hasInit = true
    if (subtype === 'init' || (subtype === 'status' && typeof status === 'string')) this.#run()
    if (subtype === 'compact_boundary') this.#isSummaryNext = true
    if (subtype === 'turn_duration' && this.main.includes('finished')) this.main = ['finished']
  }

  #readStream(event: Raw): void {
    const id = text(raw(event.message).id)
    if (event.type === 'message_start') this.#lastMessageId = id
    if (event.type === 'message_start' && id !== this.#stoppedMessageId) this.#run()
    // A late reader has missed the start of the message.
    if (/^content_block_(start|delta)$/.test(text(event.type)) && this.main.includes('idle')) this.#run()
    const reason = raw(event.delta).stop_reason
    if (event.type !== 'message_delta' || typeof reason !== 'string') return
    if (reason !== 'tool_use' && this.#stoppedMessageId !== this.#lastMessageId) this.#answer('finished')
  }

  #readModel(line: Raw, message: Raw): void {
    this.#isSummaryNext = false
    const parts = partsOf(message.content)
    for (const part of parts) if (part.type === 'tool_use') this.#tools.set(text(part.id), text(part.name))
    if (isApiError(line, parts)) return this.#answer('failed')
    // The program writes such a message in the model's place.
    if (message.model === '<synthetic>') return
    this.#lastMessageId = text(message.id)
    if (line.aborted === true || line.isAbortedMidStream === true) return this.#stop()
    const reason = message.stop_reason
    if (typeof reason === 'string' && reason !== 'tool_use') return this.#answer('finished')
    this.#run()
    // Old files do not state why the model stopped.
    if (!this.#isStream && reason !== 'tool_use' && parts.at(-1)?.type === 'text') this.#allow('finished')
  }

  #readUser(line: Raw, content: unknown): void {
    const parts = partsOf(content)
    const results = parts.filter((part) => part.type === 'tool_result')
    if (results.length > 0) this.#readResults(line, results)
    const words = parts.filter((part) => part.type === 'text').map((part) => text(part.text))
    if (words.length === 0 && results.length > 0) return
    const isSummary = this.#isSummaryNext
    this.#isSummaryNext = false
    const [first = ''] = words
    if (words.length === 1 && INTERRUPTION.test(first)) return this.#stop()
    if (NOTIFICATION.test(first)) return this.#run()
    if (line.isCompactSummary === true || (isSummary && line.isReplay !== true)) return
    const isOwn = line.isMeta === true || line.isSynthetic === true || PROGRAM.test(first)
    // A command may start a turn or not, and so may the program's own words. The model's next line shows it.
    if (isOwn || COMMAND.test(first)) return this.#allow('running')
    this.#run()
  }

  #readResults(line: Raw, results: readonly Raw[]): void {
    if (line.toolEndsTurn === true || line.tool_ends_turn === true) return this.#answer('finished')
    const isOutput = results.some(
      (part) => part.is_error !== true && this.#tools.get(text(part.tool_use_id)) === 'StructuredOutput',
    )
    if (!isOutput) return this.#run()
    // The answer is there, and the program may go on after it.
    this.#run()
    this.#allow('finished')
  }

  #readAttachment(line: Raw, attachment: Raw): void {
    const { type, prompt } = attachment
    if (type === 'queued_command' && prompt !== undefined) return this.#readUser(line, prompt)
    if (type === 'structured_output') return this.#answer('finished')
    if (type === 'max_turns_reached') return this.#answer('failed')
  }

  /** A result names the messages of its turn. In the background's time it may come after a later turn has begun. */
  #readResult(line: Raw): void {
    if (line.subtype === undefined) return
    const begun = line.begun_message_ids
    const isLate =
      Array.isArray(begun) &&
      begun.length > 0 &&
      !begun.includes(this.#lastMessageId) &&
      this.main.includes('running')
    const isFailure = line.is_error === true || text(line.subtype).startsWith('error_')
    if (isLate && !isFailure) return this.#hasAnswered ? this.#allow('finished') : undefined
    this.#owesResult = false
    const isStopped = text(line.terminal_reason).startsWith('aborted') || this.main.includes('interrupted')
    this.#hasAnswered = false
    this.main = [isStopped ? 'interrupted' : isFailure ? 'failed' : 'finished']
  }

  #run(): void {
    this.#hasAnswered = false
    this.main = ['running']
  }

  #allow(status: TurnStatus): void {
    this.main = either(this.main, status)
  }

  #stop(): void {
    this.#stoppedMessageId = this.#lastMessageId
    this.main = ['interrupted']
  }

  /** A stream reports the end of a turn by its result, but it keeps the result back while agents run in the background. */
  #answer(outcome: TurnOutcome): void {
    this.#hasAnswered = true
    if (this.#isStream && this.#agents.areRunning) this.#owesResult = true
    this.main = this.#isStream && !this.#agents.areRunning ? ['running'] : [outcome]
  }
}

function partsOf(content: unknown): readonly Raw[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : list(content)
}

/** Old lines state an API error only by their text. */
function isApiError(line: Raw, parts: readonly Raw[]): boolean {
  if (line.isApiErrorMessage === true || line.is_api_error_message === true) return true
  if (raw(line.message).model !== '<synthetic>') return false
  return typeof line.error === 'string' || text(parts[0]?.text).startsWith('API Error')
}

function isMain(line: Raw): boolean {
  const isAgents = line.isSidechain === true || line.agentId !== undefined || line.agent_id !== undefined
  return !isAgents && (line.parent_tool_use_id ?? null) === null
}
