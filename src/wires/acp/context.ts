import type { Changes } from '../../core/json/fields.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, type JsonObject } from '../../core/json/values.ts'
import { type BlockOf, isModelText, isPrompt } from '../../core/state/block.ts'
import { numberedId } from '../../core/state/numbered-id.ts'
import { MAIN } from '../../core/state/session.ts'
import { adapterOfKeys, programOf } from '../../programs/all.ts'
import { acpAgent } from '../../programs/generic/program.ts'
import type { Program } from '../../programs/program.ts'
import type { ProgramReader } from '../../programs/reader.ts'
import { readerOf } from '../../programs/readers.ts'
import { TranslationContext } from '../../reading/context.ts'
import type { AgentState } from '../../reading/lookups.ts'
import type { AcpNotes, MessageStream } from './notes.ts'

/** A text or a thinking of the agent. */
export type TextBlock = BlockOf<'assistant_text' | 'thinking'>

/** The translation of a batch of ACP messages into session events. */
export class AcpContext extends TranslationContext<AcpNotes> {
  /** The program that the session names. An unknown one has generic tools. */
  get program(): Program {
    return programOf(this.state.facts.program) ?? acpAgent
  }

  /** Names the program by its own method, or by keys of its own in `_meta`. Updates may come without their connection. */
  nameProgram(objects: readonly JsonObject[], method = ''): void {
    if (this.state.facts.program !== undefined) return
    const program = adapterOfKeys([method, ...objects.flatMap(({ _meta }) => Object.keys(asObject(_meta)))])
    if (program !== undefined) this.updateFacts({ program })
  }

  get reader(): ProgramReader {
    return readerOf(this.state.facts.program)
  }

  /** Returns the ids of all conversations. */
  conversations(): readonly string[] {
    return [MAIN, ...this.state.agents().map(({ toolUseId }) => toolUseId)]
  }

  /** Returns the agent whose child session has that id. */
  agentOfSession(sessionId: string): AgentState | undefined {
    return this.state.findAgent(sessionId) ?? this.state.findAgent(agentIdOf(sessionId))
  }

  /** Whether the call has started its agent. An announced agent waits for the rest of the call. */
  hasStarted(toolUseId: string): boolean {
    return this.state.agentOfCall(toolUseId) !== undefined && !this.state.isAnnounced(toolUseId)
  }

  /** Returns the last text of the agent's last run, which begins with its prompt. */
  lastTextOf(toolUseId: string): string | undefined {
    const last = this.state
      .blocksOf(toolUseId)
      .findLast((block) => block.type === 'assistant_text' || isPrompt(block))
    return last?.type === 'assistant_text' ? last.content : undefined
  }

  stream(conversationId: string): MessageStream {
    return this.notes.values.streams.get(conversationId) ?? {}
  }

  /** Changes facts of the message that goes on. An undefined one leaves it. */
  updateStream(conversationId: string, changes: Changes<MessageStream>): void {
    const stream: MessageStream = omitUndefined({ ...this.stream(conversationId), ...changes })
    if (stream.messageId === undefined && stream.blockId === undefined)
      this.notes.removeEntry('streams', conversationId)
    else this.notes.setEntry('streams', conversationId, stream)
  }

  /** Returns the text to which the next chunk may add. After the end of the turn it is complete. */
  openText(conversationId: string): TextBlock | undefined {
    const { blockId } = this.stream(conversationId)
    const block = blockId === undefined ? undefined : this.state.findBlock(conversationId, blockId)
    return block && isModelText(block) ? block : undefined
  }

  /** Returns the id of a block whose message has none. It counts such blocks of the conversation. */
  nextUnnamedId(conversationId: string): string {
    const number = this.notes.values.unnamed.get(conversationId) ?? 0
    this.notes.setEntry('unnamed', conversationId, number + 1)
    return conversationId === MAIN ? numberedId(number) : `${conversationId}:${numberedId(number)}`
  }

  /**
   * Whether updates of main belong to a turn. After the response to a prompt, the agent may send a rest, which starts
   * no turn, unless the program reports the end of each turn.
   */
  get isInTurn(): boolean {
    const { openPrompts, hasPrompts, loadId } = this.notes.values
    return this.reader.reportsTurns || openPrompts !== undefined || !hasPrompts || loadId !== undefined
  }

  /** Whether main's turn is over. A pending block would start another one. A turn that only the end of the input cut goes on. */
  isAfterTurn(conversationId: string): boolean {
    return (
      conversationId === MAIN &&
      this.state.turn.status !== 'running' &&
      this.state.turn.openBlocks === undefined
    )
  }

  /** Starts main's turn, or a further run of an agent, for work that only an update shows. */
  noteWork(conversationId: string): void {
    if (conversationId === MAIN) {
      if (this.isInTurn) this.turn.start()
    } else if (this.notes.values.restarting.get(conversationId)) {
      this.notes.removeEntry('restarting', conversationId)
      this.emit({ type: 'subagent:resumed', toolUseId: conversationId })
    }
  }
}

/** Returns the agent's own id from that of its session. Codex puts it behind the id of the main session. */
export function agentIdOf(sessionId: string): string {
  return sessionId.split(':subagent:').at(-1) ?? sessionId
}

/** The parts of the context with which a rule reads and remembers. A rule with them alone emits nothing. */
export type AcpMemory = Pick<
  AcpContext,
  | 'state'
  | 'notes'
  | 'program'
  | 'reader'
  | 'conversations'
  | 'agentOfSession'
  | 'hasStarted'
  | 'lastTextOf'
  | 'stream'
  | 'updateStream'
  | 'openText'
  | 'nextUnnamedId'
  | 'isInTurn'
  | 'isAfterTurn'
>
