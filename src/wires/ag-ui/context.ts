import { compositeKey } from '../../json/composite-key.ts'
import { asString, type JsonObject } from '../../json/values.ts'
import { withChanges } from '../../json/with-changes.ts'
import { TranslationContext } from '../../session/context.ts'
import { withInner, withoutInner } from '../../session/notes/inner-map.ts'
import { MAIN } from '../../state/session.ts'
import { ownId } from './ids.ts'
import type { AgUiSourceMemory, KnownAgent, KnownBlock, Place, ShownBlock } from './memory.ts'
import { OwnedDocument } from './shared/owned-document.ts'

/** The kinds of blocks that one id may name at once. */
type BlockKind = 'text' | 'thinking' | 'call' | 'result' | 'activity'

/** The translation of a batch of AG-UI events into session events. */
export class AgUiContext extends TranslationContext<AgUiSourceMemory> {
  /** The current event tells earlier messages, which start no turn. */
  isHistory = false
  #shared: OwnedDocument | undefined

  /** The shared state. The batch changes its own copy of it. */
  get shared(): OwnedDocument {
    this.#shared ??= new OwnedDocument(this.memory.shared.state)
    return this.#shared
  }

  /** Remembers a shared state, or the changes of the known one. */
  rememberShared(shared: OwnedDocument): void {
    this.#shared = shared
    this.remember({ shared: { state: shared.root } })
  }

  /** Returns the conversation that an event or message belongs to. An unknown agent is one whose start the input lacks. */
  conversationOf({ subagentRunId }: JsonObject): string {
    const runId = asString(subagentRunId) || MAIN
    if (runId === MAIN) return MAIN
    const known = this.memory.agentRuns.get(runId)
    if (known !== undefined) return known
    this.updateAgent(runId, { status: 'running', startedIn: this.memory.run?.id })
    this.setEntry('agentRuns', runId, runId)
    return runId
  }

  /** Returns the place of a message or call. A later event of it need not name the agent. */
  placeOf(event: JsonObject, kind: 'message' | 'call', id: string): Place {
    const key = compositeKey(kind, id)
    const owner = event.subagentRunId ? undefined : this.memory.owners.get(key)
    const conversationId = owner ?? this.conversationOf(event)
    if (conversationId !== MAIN && owner === undefined) this.setEntry('owners', key, conversationId)
    return { conversationId, id: ownId(conversationId, id) }
  }

  block({ conversationId, id }: Place): KnownBlock | undefined {
    return this.memory.blocks.get(conversationId)?.get(id)
  }

  /** Returns the block of a kind. A block of another kind may have the same id. */
  find(place: Place, kind: BlockKind): KnownBlock | undefined {
    const known = this.block(this.slotOf(place, kind))
    return known && kindOf(known.block) === kind ? known : undefined
  }

  /** Returns the place for a block. If a block of another kind has the id, the kind follows the id. */
  slotOf(place: Place, kind: BlockKind): Place {
    const taken = this.block(place)
    if (!taken || kindOf(taken.block) === kind) return place
    return { ...place, id: `${place.id}:${kind}` }
  }

  nextOrder(): number {
    const { count } = this.memory
    this.remember({ count: count + 1 })
    return count
  }

  /** Remembers a block, and shows it as a whole. */
  show(known: KnownBlock): void {
    const { block } = this.rememberBlock(known)
    this.upsert(block.conversationId, block)
  }

  /** Remembers a block. In a conversation that does not run it is final: a pending block would start main's turn. */
  rememberBlock(known: KnownBlock): KnownBlock {
    const { block } = known
    const { id, conversationId } = block
    const isLate = block.status === 'pending' && !this.isActive(conversationId)
    const kept: KnownBlock = isLate ? { ...known, block: { ...block, status: 'complete' } } : known
    const { blocks, pending } = this.memory
    const place = { map: conversationId, key: id }
    this.remember({
      blocks: withInner(blocks, place, kept, this),
      pending:
        kept.block.status === 'pending'
          ? withInner(pending, place, id, this)
          : withoutInner(pending, place, this),
    })
    return kept
  }

  forgetBlock({ conversationId, id }: Place): void {
    const { blocks, pending } = this.memory
    const place = { map: conversationId, key: id }
    this.remember({
      blocks: withoutInner(blocks, place, this),
      pending: withoutInner(pending, place, this),
    })
    this.emit({ type: 'block:removed', conversationId, blockId: id })
  }

  /** Finalizes the known pending blocks of a conversation, as the reducer does at the end of its turn or run. */
  finalizeKnown(conversationId: string, status: 'complete' | 'error'): void {
    for (const known of this.knownPending(conversationId))
      this.rememberBlock(withChanges(known, { isOpen: undefined, block: { ...known.block, status } }))
  }

  /** Returns the pending blocks of a conversation, in the order in which they became pending. */
  knownPending(conversationId: string): readonly KnownBlock[] {
    const ids = this.memory.pending.get(conversationId)?.values() ?? []
    return ids.flatMap((id) => this.block({ conversationId, id }) ?? [])
  }

  /** Whether the conversation's turn or run goes on. */
  isActive(conversationId: string): boolean {
    if (conversationId === MAIN) return this.turn.status === 'running'
    return this.agent(conversationId)?.status !== 'ended'
  }

  agent(id: string): KnownAgent | undefined {
    return this.memory.agents.get(id)
  }

  /** Returns the agent with the changes. */
  updateAgent(id: string, changes: Partial<KnownAgent>): KnownAgent {
    const known = this.agent(id) ?? { id, order: this.nextOrder(), status: 'announced' }
    const agent = withChanges(known, changes)
    this.setEntry('agents', id, agent)
    return agent
  }

  /** Starts the turn for new content: of a stream whose beginning the input lacks, or of a run that only has the id of an earlier one. */
  noteWork(): void {
    if (this.isHistory) return
    const { run, hasRuns } = this.memory
    if (run?.isRepeated) this.remember({ run: { id: run.id } })
    else if (run || hasRuns) return
    else this.remember({ run: { id: '' }, hasRuns: true })
    this.startTurn()
  }
}

/** Returns the kind of a block. */
export function kindOf({ type }: ShownBlock): BlockKind {
  if (type === 'user_message' || type === 'assistant_text') return 'text'
  if (type === 'tool_use') return 'call'
  if (type === 'tool_result') return 'result'
  return type === 'thinking' ? type : 'activity'
}
