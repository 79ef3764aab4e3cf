import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { pendingRequests } from '../../core/selectors/requests.ts'
import { sessionStatus } from '../../core/selectors/status.ts'
import type { SessionConversationState, SubagentState } from '../../core/state/session.ts'
import type { SessionTurn, TurnStatus } from '../../core/state/turn.ts'
import type { AgUiEvent, AgUiInterrupt, AgUiOutcome, AgUiPatch } from '../../wires/ag-ui/event.ts'
import { attribution, FAILED_AGENT, NO_SESSION, sessionWideId } from '../../wires/ag-ui/ids.ts'
import { agentOf, requestOf, toAgUiState } from '../../wires/ag-ui/shared-state.ts'

const PROTOCOL_VERSION = '1.0'

/** A run that this step may change. */
interface OwnRun extends OpenRun {
  readonly streams: Map<string, OpenStream>
  readonly agents: Set<string>
  readonly endedAgents: Set<string>
}

/** Writes the events of one step. The writer opens a run for the first of them, and closes streams and agents before the run. */
export class RunWriter {
  readonly out: AgUiEvent[] = []
  #sentState = false
  readonly #state: SessionConversationState
  #count: number
  #reported: Runs['reported']
  #run: OpenRun | undefined
  /** The run with collections that this writer may change. */
  #own: OwnRun | undefined
  #agents: ReadonlyMap<string, SubagentState> | undefined

  constructor({ count, open, reported }: Runs, state: SessionConversationState) {
    this.#state = state
    this.#count = count
    this.#reported = reported
    this.#run = open
  }

  /** Returns the runs after the step. */
  runs(): Runs {
    return {
      count: this.#count,
      ...(this.#run && { open: this.#run }),
      ...(this.#reported && { reported: this.#reported }),
    }
  }

  write(...events: readonly AgUiEvent[]): void {
    this.open()
    this.out.push(...events)
  }

  /** Writes the changes of the shared state, unless a snapshot of it is among the events. */
  writeState(before: SessionConversationState): void {
    const delta = this.#sentState ? [] : patchesOf(before, this.#state)
    if (delta.length === 0) return
    this.open()
    if (!this.#sentState) this.write({ type: 'STATE_DELTA', delta })
  }

  /** Opens a run unless one is open. The first run begins with the shared state. */
  open(): OpenRun {
    if (this.#run) return this.#run
    this.#count += 1
    const threadId = this.#state.session.id ?? NO_SESSION
    const runId = `${threadId}:${this.#count}`
    this.#run = { threadId, runId, streams: new Map(), agents: new Set(), endedAgents: new Set() }
    this.out.push({ type: 'RUN_STARTED', threadId, runId, protocolVersion: PROTOCOL_VERSION })
    if (this.#count === 1) {
      this.#sentState = true
      this.out.push({ type: 'STATE_SNAPSHOT', snapshot: toAgUiState(this.#state) })
    }
    return this.#run
  }

  /** Opens a run if main's turn runs and does not wait for the person, or if the turn has ended without a run. */
  openForTurn(before: TurnStatus): void {
    const { status } = this.#state.turn
    if (status === 'running' ? sessionStatus(this.#state) === 'running' : status !== before) this.open()
  }

  /** Returns the run for a change. Its collections are copied once in a step. */
  #change(): OwnRun {
    const { threadId, runId, streams, agents, endedAgents } = this.open()
    this.#own ??= {
      threadId,
      runId,
      streams: new Map(streams),
      agents: new Set(agents),
      endedAgents: new Set(endedAgents),
    }
    this.#run = this.#own
    return this.#own
  }

  /** Writes the events that open a text or call, unless it is open. */
  openStream(stream: OpenStream, ...events: readonly AgUiEvent[]): void {
    const key = streamKey(stream)
    if (this.open().streams.has(key)) return
    this.#change().streams.set(key, stream)
    this.write(...events)
  }

  closeStream(stream: OpenStream): void {
    const key = streamKey(stream)
    if (!this.#run?.streams.has(key)) return
    this.#change().streams.delete(key)
    this.write(...endsOf(stream))
  }

  closeStreams(): void {
    for (const stream of [...(this.#run?.streams.values() ?? [])]) this.closeStream(stream)
  }

  /** Reports that an agent runs, its running parents before it. An agent that runs again within a run begins the next run. */
  startAgent(agent: SubagentState): void {
    for (const each of this.#unreported(agent)) {
      if (this.#run?.endedAgents.has(each.toolUseId)) this.close({ type: 'success' })
      const run = this.#change()
      const { toolUseId, name = 'agent', description, parentConversationId: parent } = each
      const isParentKnown = parent !== undefined && (run.agents.has(parent) || run.endedAgents.has(parent))
      run.agents.add(toolUseId)
      this.write({
        type: 'SUBAGENT_STARTED',
        subagentRunId: toolUseId,
        name,
        ...(description !== undefined && { description }),
        ...(isParentKnown && { parentSubagentRunId: parent }),
        ...(parent !== undefined && { parentToolCallId: sessionWideId(parent, toolUseId) }),
      })
    }
  }

  /** Returns the agent and its parents that run without a report, the outermost first. */
  #unreported(agent: SubagentState): SubagentState[] {
    if (this.#run?.agents.has(agent.toolUseId)) return []
    const chain = [agent]
    for (
      let parent = this.#parentOf(agent);
      parent?.status === 'running' && !this.#run?.agents.has(parent.toolUseId);
      parent = this.#parentOf(parent)
    )
      chain.push(parent)
    return chain.reverse()
  }

  #parentOf({ parentConversationId: id }: SubagentState): SubagentState | undefined {
    this.#agents ??= new Map(this.#state.subagents.map((each) => [each.toolUseId, each]))
    return id === undefined ? undefined : this.#agents.get(id)
  }

  /** Reports that an agent has ended. */
  endAgent(agent: SubagentState): void {
    this.startAgent(agent)
    const { toolUseId: subagentRunId, status, output } = agent
    const run = this.#change()
    run.agents.delete(subagentRunId)
    run.endedAgents.add(subagentRunId)
    if (status === 'error')
      this.write({ type: 'SUBAGENT_ERROR', subagentRunId, message: output ?? FAILED_AGENT })
    else
      this.write({
        type: 'SUBAGENT_FINISHED',
        subagentRunId,
        ...(output !== undefined && { result: output }),
        outcome: { type: 'success' },
      })
  }

  /** Closes the run, if one is open. Agents that still run go on in the next run. */
  close(outcome: AgUiOutcome | { readonly type: 'error'; readonly message: string }): void {
    const run = this.#run
    if (!run) return
    this.closeStreams()
    for (const subagentRunId of [...run.agents].reverse())
      this.write({ type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type: 'suspended' } })
    const { threadId, runId } = run
    if (outcome.type === 'error') this.write({ type: 'RUN_ERROR', message: outcome.message })
    else this.write({ type: 'RUN_FINISHED', threadId, runId, outcome })
    this.#run = undefined
    this.#own = undefined
  }

  /** Closes the run as the session stands: with its requests, or with the outcome of its turn. */
  closeWithOutcome(): void {
    if (!this.#run) return
    const { turn } = this.#state
    const interrupts = interruptsOf(this.#state)
    if (interrupts.length > 0) return this.close({ type: 'interrupt', interrupts })
    const isReported = this.#reported === turn
    this.#reported = turn
    if (turn.status === 'failed' && !isReported)
      this.close({ type: 'error', message: turn.error ?? 'The turn failed.' })
    else if (turn.status === 'interrupted' || turn.status === 'running') this.close({ type: 'cancelled' })
    else this.close({ type: 'success' })
  }

  /** Closes the run if nothing runs, or if the session waits for the person. */
  closeUnlessActive(): void {
    const status = sessionStatus(this.#state)
    if (status !== 'running' && status !== 'background') this.closeWithOutcome()
  }
}

/** Returns the patches that lead from one state to the other. */
function patchesOf(before: SessionConversationState, after: SessionConversationState): AgUiPatch[] {
  const patches: AgUiPatch[] = []
  if (before.todos !== after.todos && !isEqual(before.todos ?? [], after.todos ?? []))
    patches.push({ op: 'replace', path: '/todos', value: after.todos ?? [] })
  if (before.blocks !== after.blocks || before.subagents !== after.subagents) {
    const requests = pendingRequests(after).map(requestOf)
    if (!isEqual(pendingRequests(before).map(requestOf), requests))
      patches.push({ op: 'replace', path: '/requests', value: requests })
  }
  if (before.subagents !== after.subagents) patches.push(...agentPatches(before.subagents, after.subagents))
  return patches
}

function agentPatches(before: readonly SubagentState[], after: readonly SubagentState[]): AgUiPatch[] {
  if (before.length > after.length) return [{ op: 'replace', path: '/agents', value: after.map(agentOf) }]
  const patches: AgUiPatch[] = []
  for (const [at, agent] of after.entries()) {
    const known = before[at]
    if (known === agent) continue
    const value = agentOf(agent)
    if (!known) patches.push({ op: 'add', path: '/agents/-', value })
    else if (!isEqual(agentOf(known), value)) patches.push({ op: 'replace', path: `/agents/${at}`, value })
  }
  return patches
}

/** A text or call that streams: the events that end it need its kind. */
export interface OpenStream {
  readonly kind: 'text' | 'reasoning' | 'call'
  /** The id of the message or of the call. */
  readonly id: string
  readonly conversationId: string
}

/** The run that is open. */
interface OpenRun {
  readonly threadId: string
  readonly runId: string
  readonly streams: ReadonlyMap<string, OpenStream>
  /** The agents that run, in the order of their starts. */
  readonly agents: ReadonlySet<string>
  /** The agents that have ended within the run. An agent can start only once in a run. */
  readonly endedAgents: ReadonlySet<string>
}

/** The runs of a stream. */
export interface Runs {
  /** The number of runs so far. */
  readonly count: number
  readonly open?: OpenRun
  /** The turn whose end a run has reported. */
  readonly reported?: SessionTurn
}

/** Returns the key of a text or call among the open ones. */
function streamKey({ kind, id }: OpenStream): string {
  return `${kind} ${id}`
}

/** Returns the events that end a text or call. */
function endsOf({ kind, id, conversationId }: OpenStream): readonly AgUiEvent[] {
  const of = { messageId: id, ...attribution(conversationId) }
  if (kind === 'text') return [{ type: 'TEXT_MESSAGE_END', ...of }]
  if (kind === 'reasoning')
    return [
      { type: 'REASONING_MESSAGE_END', ...of },
      { type: 'REASONING_END', ...of },
    ]
  return [{ type: 'TOOL_CALL_END', toolCallId: id, ...attribution(conversationId) }]
}

/** Returns the requests that a session waits for. */
function interruptsOf(state: SessionConversationState): AgUiInterrupt[] {
  if (sessionStatus(state) !== 'waiting') return []
  return pendingRequests(state).map(({ conversationId, block }) => {
    const { id, kind: reason, title: message, toolUseId, options, questions } = block
    const toolCallId = toolUseId === undefined ? undefined : sessionWideId(conversationId, toolUseId)
    const metadata = omitUndefined({ options, questions, toolUseId })
    return {
      id: sessionWideId(conversationId, id),
      reason,
      message,
      ...omitUndefined({ toolCallId }),
      ...attribution(conversationId),
      metadata,
    }
  })
}
