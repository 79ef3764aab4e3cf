import type { SessionEvent } from '../../core/events/event.ts'
import type { AllowUndefined } from '../../core/json/fields.ts'
import { asString, type JsonObject } from '../../core/json/values.ts'
import type { BlockOf, BlockType, ConversationBlock } from '../../core/state/block.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { type OpenSession, type TranslatedBatch, TranslationContext } from '../../reading/context.ts'
import { declareNotes, type NotesDeclaration, type NotesOf } from '../../reading/notes/notes.ts'
import { withInner, withoutInner } from '../../reading/notes/persistent-map.ts'
import { agentInId, ownId, type Place } from './ids.ts'
import { OwnedDocument } from './shared/owned-document.ts'

/**
 * The agents that have had a block, by the id of the block. The block may have gone since, so a reader looks it up.
 * The index only saves time: it moves from state to state, and a state without one gets a new one.
 */
class Owners {
  readonly #agents = new Map<string, string[]>()

  add(agent: string, blockId: string): void {
    const known = this.#agents.get(blockId)
    if (!known) this.#agents.set(blockId, [agent])
    else if (!known.includes(agent)) known.push(agent)
  }

  of(blockId: string): readonly string[] {
    return this.#agents.get(blockId) ?? NO_AGENTS
  }
}

const NO_AGENTS: readonly string[] = []

const indexes = new WeakMap<SessionConversationState, Owners>()

/** Takes the index of a state away, because its batch adds to it. */
function takeOwners(state: SessionConversationState): Owners | undefined {
  const owners = indexes.get(state)
  if (owners) indexes.delete(state)
  return owners
}

/** Gives an index to the state that has its blocks. */
function giveOwners(state: SessionConversationState, owners: Owners): void {
  indexes.set(state, owners)
}

/** A block that the source itself shows. The reducer makes the blocks of subagents. */
export type ShownBlock = Exclude<ConversationBlock, { readonly type: 'subagent' }>

/** The kinds of blocks that one id may name at once, by their type. */
const KINDS = {
  user_message: 'text',
  assistant_text: 'text',
  thinking: 'thinking',
  tool_use: 'call',
  tool_result: 'result',
  subagent: 'agent',
  request: 'activity',
  system: 'activity',
  error: 'activity',
  skill_load: 'activity',
} as const satisfies Readonly<Record<BlockType, string>>

type BlockKind = (typeof KINDS)[BlockType]

/** A block of a kind. */
type BlockOfKind<Kind extends BlockKind> = {
  readonly [Type in BlockType]: (typeof KINDS)[Type] extends Kind ? BlockOf<Type> : never
}[BlockType]

/** The translation of a batch of AG-UI events into session events. */
export class AgUiContext extends TranslationContext<AgUiNotes> {
  /** The current event tells earlier messages, which start no turn. */
  isHistory = false
  #shared: OwnedDocument | undefined
  #owners: Owners | undefined

  constructor(session: OpenSession<AgUiNotes>) {
    super(session)
    this.#owners = takeOwners(session.state)
  }

  /** The shared state. The batch changes its own copy of it. */
  get shared(): OwnedDocument {
    this.#shared ??= new OwnedDocument(this.notes.values.shared)
    return this.#shared
  }

  /** Remembers a shared state, or the changes of the known one. */
  rememberShared(shared: OwnedDocument): void {
    this.#shared = shared
    this.notes.remember({ shared: shared.root })
  }

  override emit(event: AllowUndefined<SessionEvent>): void {
    const { conversationId = MAIN } = event
    const wasCut = this.#isCut(conversationId)
    super.emit(event)
    if (event.type === 'block:upsert' && conversationId !== MAIN)
      this.#owners?.add(conversationId, event.block.id)
    if (wasCut && !this.#isCut(conversationId)) this.#continueParents(conversationId)
  }

  override finish(): TranslatedBatch<AgUiNotes> {
    const batch = super.finish()
    if (this.#owners) giveOwners(batch.session.state, this.#owners)
    return batch
  }

  /** Whether the end of an input cut the conversation. */
  #isCut(conversationId: string): boolean {
    return this.state.cutBlockIds(conversationId) !== undefined
  }

  override continueConversation(conversationId: string): void {
    if (!this.#isCut(conversationId)) return
    super.continueConversation(conversationId)
    this.#continueParents(conversationId)
  }

  /** An agent works for its parents, and all of them belong to main's run. So they go on with it. */
  #continueParents(conversationId: string): void {
    if (conversationId !== MAIN)
      this.continueConversation(this.state.findAgent(conversationId)?.parentConversationId ?? MAIN)
  }

  /** Returns the conversation that an event or message belongs to. An unknown agent is one whose start the input lacks. */
  conversationOf({ subagentRunId }: JsonObject): string {
    const runId = asString(subagentRunId) || MAIN
    return runId === MAIN ? MAIN : (this.state.findAgent(runId)?.toolUseId ?? runId)
  }

  /** Returns the place of a message or call. A later event of it need not name the agent. */
  placeOf(event: JsonObject, kind: 'message' | 'call', id: string): Place {
    const conversationId = event.subagentRunId ? this.conversationOf(event) : this.#ownerOf(kind, id)
    return { conversationId, id: ownId(conversationId, id) }
  }

  #ownerOf(kind: 'message' | 'call', id: string): string {
    if (this.state.agents().length === 0) return MAIN
    const owner = kind === 'call' ? this.state.conversationOfCall(id) : this.#ownerOfBlock(id)
    return owner ?? agentInId(id, (prefix) => this.state.agentOfCall(prefix) !== undefined) ?? MAIN
  }

  #ownerOfBlock(id: string): string | undefined {
    if (this.state.findBlock(MAIN, id)) return MAIN
    this.#owners ??= this.#indexOwners()
    const owners = this.#owners.of(id).filter((agent) => this.state.findBlock(agent, id))
    // If several agents have the id, nothing shows which of them it is.
    const [owner] = owners.length > 1 ? owners.toSorted() : owners
    return owner === undefined ? undefined : this.state.findAgent(owner)?.toolUseId
  }

  #indexOwners(): Owners {
    const owners = new Owners()
    for (const { toolUseId } of this.state.agents())
      for (const { id } of this.state.blocksOf(toolUseId)) owners.add(toolUseId, id)
    return owners
  }

  /** Returns the block of a kind. A block of another kind may have the same id. */
  find<Kind extends BlockKind>(place: Place, kind: Kind): BlockOfKind<Kind> | undefined {
    const { conversationId, id } = this.slotOf(place, kind)
    const block = this.state.findBlock(conversationId, id)
    return block && isOfKind(block, kind) ? block : undefined
  }

  /** Returns the place for a block. If a block of another kind has the id, the kind follows the id. */
  slotOf(place: Place, kind: BlockKind): Place {
    const taken = this.state.findBlock(place.conversationId, place.id)
    return !taken || isOfKind(taken, kind) ? place : { ...place, id: `${place.id}:${kind}` }
  }

  /** Shows a block. In a conversation that does not run it is final: a pending block would start main's turn. */
  show(block: ShownBlock): void {
    const { conversationId, status } = block
    const isLate = status === 'pending' && !this.#isActive(conversationId)
    this.upsert(conversationId, isLate ? { ...block, status: 'complete' } : block)
  }

  /** A turn or agent that only the end of an input cut may go on. */
  #isActive(conversationId: string): boolean {
    if (conversationId !== MAIN) return !this.state.hasEnded(conversationId)
    return this.state.turn.status === 'running' || this.#isCut(MAIN)
  }

  removeBlock({ conversationId, id }: Place): void {
    this.rememberRepeat({ conversationId, id }, undefined)
    this.emit({ type: 'block:removed', conversationId, blockId: id })
  }

  /** Returns how far the text of a block has come again. Undefined if it goes on at its end, as long as it is open. */
  repeatOf({ conversationId, id }: Place): number | undefined {
    return this.notes.values.repeats.get(conversationId)?.get(id)
  }

  rememberRepeat({ conversationId, id }: Place, position: number | undefined): void {
    const { repeats } = this.notes.values
    const place = { map: conversationId, key: id }
    this.notes.remember({
      repeats:
        position === undefined
          ? withoutInner(repeats, place, this.notes)
          : withInner(repeats, place, position, this.notes),
    })
  }

  /** Starts the turn for new content: of a stream whose beginning the input lacks, or of a run that only has the id of an earlier one. */
  noteWork(): void {
    if (this.isHistory) return
    const { run, endedRuns } = this.notes.values
    if (run?.isRepeated) this.notes.remember({ run: { id: run.id } })
    else if (run || !endedRuns.isEmpty) return
    else this.notes.remember({ run: { id: '' } })
    this.turn.start()
  }
}

function isOfKind<Kind extends BlockKind>(block: ConversationBlock, kind: Kind): block is BlockOfKind<Kind> {
  return kindOf(block) === kind
}

/** Returns the kind of a block. */
export function kindOf({ type }: ConversationBlock): BlockKind {
  return KINDS[type]
}

const FIELDS = {
  /** The run that is open. No event of a session names a run. A repeated one has ended before, and its events come again. */
  run: { fields: { id: 'string', 'isRepeated?': 'boolean' } },
  /** The ids of the runs that have ended. A state has no list of them. The id is empty if the stream has not named the run. */
  endedRuns: { setOf: 'string' },
  /**
   * The open stream of chunks of each conversation. A pending block does not show that chunks build it. Later chunks
   * may leave the id out.
   */
  lanes: {
    mapOf: { fields: { kind: { oneOf: { text: true, thinking: true, call: true } }, streamId: 'string' } },
  },
  /**
   * The number of UTF-16 units that have come again, by conversation and block: of a text that began once more, or of
   * a final text that goes on at its end. A pending text without an entry goes on at its end.
   */
  repeats: { mapOf: { mapOf: 'finite number' } },
  /** The arguments of a call, while they stream, by the `toolUseId` of an agent that has started before. Its block takes none then. */
  agentArguments: { mapOf: 'string' },
  /** The run in which an agent started last, until both have ended. A running agent may have a call alone, whose output ends it. */
  starts: { mapOf: 'string' },
  /** The suspended agents, which go on in a later run. In a state they run. */
  suspended: { setOf: 'string' },
  /** The blocks of open requests that only a run's interrupts show, by the id of the interrupt. Those of activities look the same. */
  interrupts: { mapOf: { fields: { conversationId: 'string', id: 'string' } } },
  /** The shared state. An application puts anything into it. */
  shared: 'JSON value',
  /** The own ids of the agents in the shared state that the stream has not shown yet, by their `toolUseId`. */
  agentIds: { mapOf: 'string' },
  /** The number of reasoning messages without an id. */
  unnamed: 'finite number',
} as const

/** The facts from earlier events that no state shows. */
type AgUiNotes = NotesOf<typeof FIELDS>

/** The notes of the source. */
export const NOTES: NotesDeclaration<AgUiNotes> = /* @__PURE__ */ declareNotes(
  { source: 'ag-ui', version: 4 },
  FIELDS,
)

/** The parts of the context with which a rule reads and remembers. A rule with them alone emits nothing. */
export type AgUiMemory = Pick<
  AgUiContext,
  | 'state'
  | 'notes'
  | 'conversationOf'
  | 'placeOf'
  | 'find'
  | 'slotOf'
  | 'repeatOf'
  | 'rememberRepeat'
  | 'isHistory'
  | 'shared'
  | 'rememberShared'
>
