import { type AgentStatus, list, type ProvenAgents, type Raw, raw, text } from './oracle.ts'

interface Agent {
  readonly toolUseId: string
  statuses: readonly AgentStatus[]
  agentId?: string
  runId?: string | undefined
  /** The message that announced the call, and the place of the call in it, while its input streams. */
  announced?: { readonly messageId: string; readonly index: number } | undefined
  /** The name of a teammate. Each of its turns is a run. */
  mate?: string
  /** The result of the call only states that the agent has started. */
  isLaunched?: boolean
  /** The reader has missed the call, and no line of the agent has come so far. */
  isLate?: boolean
}

/** Reads the lines of Claude Code that state when agents begin and end. */
export class ClaudeAgents {
  readonly #agents = new Map<string, Agent>()
  /** By the agent's id. */
  readonly #calls = new Map<string, string>()
  /** Results that come before their calls. */
  readonly #earlyResults = new Map<string, Raw>()
  /** The calls that start no agent. */
  readonly #otherCalls = new Set<string>()
  #streamingMessageId = ''

  get proven(): ProvenAgents {
    return new Map([...this.#agents].map(([id, { statuses }]) => [id, statuses]))
  }

  get areRunning(): boolean {
    return [...this.#agents.values()].some(({ statuses }) => statuses.includes('running'))
  }

  /** Whether the agent with that id of its own has ended. */
  hasEnded(agentId: string): boolean {
    const agent = this.#find(agentId)
    return agent !== undefined && isFinal(agent)
  }

  /** The process has ended, and with it the agents whose results it waited for. */
  endAwaited(): void {
    for (const agent of this.#agents.values())
      if (!isFinal(agent) && !agent.isLaunched) agent.statuses = agent.announced ? ['absent'] : ['error']
  }

  read(line: Raw): void {
    if (line.type === 'progress') return this.#readProgress(line)
    this.#readPlace(line)
    if (line.type === 'system') this.#readTask(line)
    for (const entry of list(line.workflow_progress)) this.#readWorkflowAgent(entry)
    if (line.type === 'stream_event') this.#readStream(raw(line.event), line)
    if (line.abandoned_blocks !== undefined) this.#readAbandoned(raw(line.abandoned_blocks))
    if (line.type === 'agent_meta') this.#link(text(line.agentId), text(raw(line.meta).toolUseId))
    if (line.type === 'assistant') for (const part of list(raw(line.message).content)) this.#readCall(part)
    if (line.type === 'user') this.#readUser(line)
    if (line.type === 'attachment') this.#readNotification(text(raw(line.attachment).prompt))
    if (line.type === 'queue-operation' && line.operation === 'enqueue')
      this.#readNotification(text(line.content))
  }

  /** A line of an agent proves that the agent has begun. A stored prompt after its end may begin another run. */
  #readPlace(line: Raw): void {
    if (line.type !== 'user' && line.type !== 'assistant') return
    const agent =
      this.#findOrAdd(text(line.parent_tool_use_id)) ??
      this.#find(text(line.agentId)) ??
      this.#find(text(line.agent_id))
    if (!agent) return
    const agentId = text(line.agent_id) || text(line.agentId)
    if (agentId !== '') this.#link(agentId, agent.toolUseId)
    agent.isLate = false
    if (agent.mate !== undefined) this.#readTurnOfMate(agent, line)
    else if (!isFinal(agent)) agent.statuses = ['running']
  }

  /** A teammate's answer ends its turn, and a message to it begins another one. */
  #readTurnOfMate(agent: Agent, { type, message, isMeta }: Raw): void {
    const { content, stop_reason: reason } = raw(message)
    const isPrompt = typeof content === 'string' && isMeta !== true && !/>\n\{"type":/.test(content)
    if (type === 'assistant')
      agent.statuses = typeof reason === 'string' && reason !== 'tool_use' ? ['success'] : ['running']
    else if (isPrompt) agent.statuses = ['running']
  }

  /** The program reports that teammates have ended their turns, or their work. */
  #readNewsOfMates(words: string): void {
    for (const [, sender = '', body = ''] of words.matchAll(
      /<teammate-message teammate_id="([^"]*)"[^>]*>\n?(.*?)\n?<\/teammate-message>/gs,
    )) {
      const ended = /"type":"(?:idle_notification|shutdown_approved|teammate_terminated)"/.test(body)
      for (const agent of ended ? this.#agents.values() : [])
        if (agent.mate === sender || (sender === 'system' && body.includes(`"${agent.mate} has`)))
          if (!isFinal(agent))
            agent.statuses = body.includes('"idleReason":"failed"') ? ['error'] : ['success']
    }
  }

  #readProgress(line: Raw): void {
    const message = raw(raw(line.data).message)
    if (raw(line.data).type === 'agent_progress') this.read({ ...message, agentId: raw(line.data).agentId })
  }

  /** A late reader has missed the agent's call. Before the agent's first line, nothing names its place in the session. */
  #findOrAdd(toolUseId: string): Agent | undefined {
    if (toolUseId === '' || this.#otherCalls.has(toolUseId)) return undefined
    const agent = this.#agents.get(toolUseId) ?? { toolUseId, statuses: ['running', 'absent'], isLate: true }
    this.#agents.set(toolUseId, agent)
    return agent
  }

  #readTask(line: Raw): void {
    const taskType = line.task_type
    const isStart =
      line.subtype === 'task_started' && (taskType === undefined || text(taskType).endsWith('agent'))
    const known = this.#find(text(line.task_id)) ?? this.#agents.get(text(line.tool_use_id))
    const agent = known ?? (isStart ? this.#findOrAdd(text(line.tool_use_id)) : undefined)
    if (!agent) return
    if (isStart) this.#start(agent, line)
    if (line.subtype === 'task_updated') this.#end(agent, raw(line.patch).status, line.run_id)
    if (line.subtype === 'task_notification') this.#end(agent, line.status, line.run_id)
  }

  /** The report of a workflow has the state of each of its agents. */
  #readWorkflowAgent({ agentId, state }: Raw): void {
    const id = text(agentId)
    if (id === '') return
    const statuses: readonly AgentStatus[] =
      state === 'done' ? ['success'] : state === 'error' ? ['error'] : ['running']
    this.#agents.set(id, { toolUseId: id, agentId: id, statuses })
    this.#link(id, id)
  }

  #start(agent: Agent, { task_id, tool_use_id, run_id }: Raw): void {
    this.#link(text(task_id), agent.toolUseId)
    const isFirst = tool_use_id === agent.toolUseId
    if (isFirst && isFinal(agent)) return
    agent.statuses = agent.isLate ? ['running', 'absent'] : ['running']
    agent.runId = typeof run_id === 'string' ? run_id : undefined
  }

  #end(agent: Agent, status: unknown, runId?: unknown): void {
    if (typeof runId === 'string' && agent.runId !== undefined && runId !== agent.runId) return
    if (status === 'completed') agent.statuses = ['success']
    if (status === 'failed' || status === 'killed' || status === 'stopped') agent.statuses = ['error']
  }

  #readStream(event: Raw, { parent_tool_use_id }: Raw): void {
    if (parent_tool_use_id !== null && parent_tool_use_id !== undefined) return
    if (event.type === 'message_start') this.#streamingMessageId = text(raw(event.message).id)
    const part = raw(event.content_block)
    if (event.type !== 'content_block_start' || !isAgentCall(part) || this.#agents.has(text(part.id))) return
    const announced = { messageId: this.#streamingMessageId, index: Number(event.index) }
    this.#agents.set(text(part.id), { toolUseId: text(part.id), statuses: ['pending'], announced })
  }

  /** Announced calls whose input was cut are taken back. */
  #readAbandoned({ api_message_id, from_block_index }: Raw): void {
    for (const agent of this.#agents.values()) {
      const { messageId, index = -1 } = agent.announced ?? {}
      if (messageId !== undefined && messageId === api_message_id && index >= Number(from_block_index))
        agent.statuses = ['absent']
    }
  }

  #readCall(part: Raw): void {
    const id = text(part.id)
    if (part.type === 'tool_use' && !isAgentCall(part)) this.#otherCalls.add(id)
    if (!isAgentCall(part) || id === '' || this.#find(text(raw(part.input).resume))) return
    const agent = this.#agents.get(id)
    if (agent && !agent.announced) return
    this.#agents.set(id, { ...agent, toolUseId: id, statuses: ['running'], announced: undefined })
    const result = this.#earlyResults.get(id)
    if (result) this.#readResult(result)
  }

  #readUser(line: Raw): void {
    const { content } = raw(line.message)
    if (typeof content === 'string') return this.#readNotification(content)
    for (const part of list(content)) {
      if (part.type === 'text') this.#readNotification(text(part.text))
      if (part.type === 'tool_result')
        this.#readResult({ ...part, record: line.tool_use_result ?? line.toolUseResult })
    }
  }

  #readResult(part: Raw): void {
    const record = raw(part.record)
    const words = typeof part.content === 'string' ? part.content : text(list(part.content)[0]?.text)
    this.#readReports(record, words, part)
    const target = text(raw(record.routing).target).replace(/^@/, '')
    const mate = target === '' ? undefined : [...this.#agents.values()].find((each) => each.mate === target)
    const resumed = this.#find(text(record.resumedAgentId)) ?? mate
    if (resumed && isFinal(resumed)) resumed.statuses = ['running']
    const agent = this.#agents.get(text(part.tool_use_id))
    if (!agent) return void this.#earlyResults.set(text(part.tool_use_id), part)
    this.#link(text(record.agentId), agent.toolUseId)
    if (record.status === 'teammate_spawned' || words.startsWith('Spawned successfully.')) {
      const id = text(record.agent_id) || (/^agent_id: (\S+)/m.exec(words)?.[1] ?? '')
      agent.mate =
        /^(?:([^@]+)@.*|a(.+)-[0-9a-f]{16})$/
          .exec(id)
          ?.slice(1)
          .find((name) => name) ?? id
    } else if (part.is_error !== true && isLaunch(record, words)) {
      agent.isLaunched = true
      this.#link(/agentId: ([\w-]+)/.exec(words)?.[1] ?? '', agent.toolUseId)
    } else if (part.is_error === true) agent.statuses = ['error']
    // Before 2.1.330, the result of an agent whose request failed does not say so.
    else if (/^API Error/.test(words)) agent.statuses = ['success', 'error']
    else agent.statuses = ['success']
  }

  /** Tools report the state of a background agent, or stop it. */
  #readReports(record: Raw, words: string, part: Raw): void {
    if (part.is_error === true) return
    const task = raw(record.task)
    const agents = Array.isArray(record.agents)
      ? list(record.agents)
      : Object.entries(raw(record.agents)).map(([agentId, agent]) => ({ agentId, ...raw(agent) }))
    for (const each of [{ agentId: task.task_id, status: task.status }, ...agents.map(raw)])
      this.#endById(text(each.agentId) || text(each.agent_id), each.status)
    if (text(record.task_type).endsWith('agent')) this.#endById(text(record.task_id), 'stopped')
    const written = /<(?:task|agent)_id>(.+?)<\/(?:task|agent)_id>[\s\S]*?<status>(.+?)<\/status>/.exec(words)
    if (words.startsWith('<retrieval_status>') && written) this.#endById(text(written[1]), written[2])
  }

  #endById(agentId: string, status: unknown): void {
    const agent = this.#find(agentId)
    if (agent && !isFinal(agent)) this.#end(agent, status)
  }

  #readNotification(words: string): void {
    this.#readNewsOfMates(words)
    if (!/^<(task|agent)-notification>/.test(words)) return
    const tag = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(words)?.[1] ?? ''
    const agent =
      this.#find(tag('task-id')) ?? this.#find(tag('agent-id')) ?? this.#agents.get(tag('tool-use-id'))
    const status = tag('status')
    if (agent && status !== 'running') this.#end(agent, status === 'completed' ? 'completed' : 'failed')
  }

  #find(agentId: string): Agent | undefined {
    return this.#agents.get(this.#calls.get(agentId) ?? '')
  }

  #link(agentId: string, toolUseId: string): void {
    if (agentId !== '' && toolUseId !== '') this.#calls.set(agentId, toolUseId)
  }
}

function isAgentCall({ type, name }: Raw): boolean {
  return type === 'tool_use' && (name === 'Agent' || name === 'Task')
}

function isFinal({ statuses }: Agent): boolean {
  return !statuses.some((status) => status === 'running' || status === 'pending')
}

function isLaunch({ status }: Raw, words: string): boolean {
  return /launched|spawned/.test(text(status)) || words.startsWith('Async agent launched')
}
