import { compositeKey } from '../../json/composite-key.ts'
import { asObject, type JsonObject } from '../../json/values.ts'
import { withChanges } from '../../json/with-changes.ts'
import { adapterOfKeys, programOf } from '../../programs/all.ts'
import { acpAgent } from '../../programs/generic/program.ts'
import type { Program } from '../../programs/program.ts'
import type { ProgramReader } from '../../programs/reader.ts'
import { readerOf } from '../../programs/readers.ts'
import { TranslationContext } from '../../session/context.ts'
import { numberedId } from '../../state/numbered-id.ts'
import { MAIN } from '../../state/session.ts'
import type { AcpMemory, KnownAgent, KnownCall, KnownThread } from './memory.ts'

/** The translation of a batch of ACP messages into session events. */
export class AcpContext extends TranslationContext<AcpMemory> {
  /** The program that the session names. An unknown one has generic tools. */
  get program(): Program {
    return programOf(this.facts.program) ?? acpAgent
  }

  /** Names the program by its own method, or by keys of its own in `_meta`. Updates may come without their connection. */
  nameProgram(objects: readonly JsonObject[], method = ''): void {
    if (this.facts.program !== undefined) return
    const program = adapterOfKeys([method, ...objects.flatMap(({ _meta }) => Object.keys(asObject(_meta)))])
    if (program !== undefined) this.updateFacts({ program })
  }

  get reader(): ProgramReader {
    return readerOf(this.facts.program)
  }

  thread(id: string): KnownThread {
    return this.memory.threads.get(id) ?? { id, unnamed: 0 }
  }

  updateThread(id: string, changes: Partial<KnownThread>): void {
    this.setEntry('threads', id, withChanges(this.thread(id), changes))
  }

  call(id: string): KnownCall | undefined {
    return this.memory.calls.get(id)
  }

  /** Returns the call of a conversation. An agent's session may begin with a copy of another agent's, with the same calls. */
  callIn(conversationId: string, id: string): KnownCall | undefined {
    const call = this.call(id)
    return call && call.conversationId !== conversationId
      ? this.memory.calls.get(compositeKey(conversationId, id))
      : call
  }

  rememberCall(call: KnownCall): void {
    const { id, conversationId } = call
    const isCopy = (this.call(id) ?? call).conversationId !== conversationId
    this.setEntry('calls', isCopy ? compositeKey(conversationId, id) : id, call)
  }

  agent(id: string): KnownAgent | undefined {
    return this.memory.agents.get(id)
  }

  /** Returns the agent with the changes. */
  updateAgent(id: string, changes: Partial<KnownAgent>): KnownAgent {
    const order = this.memory.agentCount
    const known = this.agent(id)
    if (!known) this.remember({ agentCount: order + 1 })
    const agent: KnownAgent = { id, order, run: 'announced', ...known, ...changes }
    this.setEntry('agents', id, agent)
    if (agent.agentId !== undefined && agent.agentId !== known?.agentId)
      this.setEntry('agentIds', agent.agentId, id)
    return agent
  }

  /** Returns the agent by its own id. */
  agentOf(agentId: string): KnownAgent | undefined {
    return this.agent(this.memory.agentIds.get(agentId) ?? agentId)
  }

  /** Returns the agent whose child session has that id. */
  agentOfSession(sessionId: string): KnownAgent | undefined {
    return this.agent(sessionId) ?? this.agentOf(agentIdOf(sessionId))
  }

  /** Returns the id of a block whose message has none. It counts such blocks of the conversation. */
  nextUnnamedId(conversationId: string): string {
    const { unnamed } = this.thread(conversationId)
    this.updateThread(conversationId, { unnamed: unnamed + 1 })
    return conversationId === MAIN ? numberedId(unnamed) : `${conversationId}:${numberedId(unnamed)}`
  }

  /**
   * Whether updates of main belong to a turn. After the response to a prompt, the agent may send a rest, which starts no turn, unless the
   * program reports the end of each turn.
   */
  get isInTurn(): boolean {
    const { openPrompts, hasPrompts, loadId } = this.memory
    return this.reader.reportsTurns || openPrompts > 0 || !hasPrompts || loadId !== undefined
  }

  /** Whether main's turn is over. A pending block would start another one. */
  isAfterTurn(conversationId: string): boolean {
    return conversationId === MAIN && this.turn.status !== 'running'
  }

  /** Starts main's turn, or a further run of an agent, for work that only an update shows. */
  noteWork(conversationId: string): void {
    if (conversationId !== MAIN) return this.#restartAgent(conversationId)
    if (this.isInTurn) this.startTurn()
  }

  #restartAgent(toolUseId: string): void {
    const agent = this.agent(toolUseId)
    if (!agent?.isRestarting) return
    this.updateAgent(toolUseId, { run: 'running', isRestarting: false, hasOutput: false })
    this.updateThread(toolUseId, { lastText: undefined })
    this.emit({ type: 'subagent:resumed', toolUseId })
  }
}

/** Returns the agent's own id from that of its session. Codex puts it behind the id of the main session. */
export function agentIdOf(sessionId: string): string {
  return sessionId.split(':subagent:').at(-1) ?? sessionId
}
