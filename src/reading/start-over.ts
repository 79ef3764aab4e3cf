import type { SessionEvent } from '../core/events/event.ts'
import { omitUndefined } from '../core/json/fields.ts'
import { compositeKey } from '../core/json/lists.ts'
import { reduceSessionEvents } from '../core/reducer/reduce.ts'
import { type ConversationBlock, messageIdOf, subagentBlockId } from '../core/state/block.ts'
import {
  type ConversationThread,
  createInitialConversationState,
  MAIN,
  type SessionConversationState,
} from '../core/state/session.ts'
import { hasEnded, type SubagentStatus } from '../core/state/subagent.ts'
import { EntryFold } from './entry-fold.ts'
import type { CombinedTranscript } from './input/combined.ts'
import { entriesIn } from './input/transcripts.ts'
import type { ReadIssue, Session, Source } from './source.ts'
import { compareThreads, type ThreadComparison } from './streamed-blocks.ts'

// A session that has followed a stream reads its files. It starts over from them: their list, in their order. Then come
// the blocks that only the stream has, so that the stream can go on. A file has a text when it is whole, and few files
// have requests.

/** A session that has started over from files. */
interface StartedOver {
  readonly session: Session
  /** The events of the session from the initial state on. */
  readonly events: readonly SessionEvent[]
  readonly issues: readonly ReadIssue[]
  /** The files have no line that the source knows. */
  readonly isEmpty?: true
}

/** Reads the files of a session. If `streamed` is not the initial state, the session has what only that state has, too. */
export function startOver(
  source: Source,
  transcript: CombinedTranscript,
  streamed: SessionConversationState,
): StartedOver {
  const fold = new EntryFold(source)
  const { events } = fold.read(entriesIn(transcript, source.rulesOf?.(transcript) ?? {}))
  if (fold.counts.known === 0)
    return { session: fold.session, events: [], issues: fold.issues, isEmpty: true }
  return { ...keepStreamed(source, { session: fold.session, events }, streamed), issues: fold.issues }
}

/** Adds what only the stream has to the session of the files. */
export function keepStreamed(
  source: Source,
  { session, events }: Omit<StartedOver, 'issues'>,
  streamed: SessionConversationState,
): Omit<StartedOver, 'issues'> {
  // A stream may have gone on with another session.
  const [id, other] = [session.state.session.id, streamed.session.id]
  if (id !== undefined && other !== undefined && id !== other) return { session, events }
  const kept = new KeptEvents(session.state, streamed)
  const all = kept.addTo(events)
  if (all === events) return { session, events }
  const state = reduceSessionEvents(createInitialConversationState(), all)
  // A block that is open needs notes, which the state shows. The notes of the files have messages that wait.
  return { session: kept.hasOpen ? source.open(state) : { state, notes: session.notes }, events: all }
}

type Thread = ConversationThread & { readonly id: string; readonly status?: SubagentStatus | undefined }

/** The events that a session of files lacks. */
class KeptEvents {
  readonly #file: SessionConversationState
  readonly #streamed: SessionConversationState
  readonly #abandoned: readonly ConversationBlock[]
  /** By conversation and block: the events that follow the one that makes the block. */
  readonly #behind = new Map<string, SessionEvent[]>()
  readonly #last: SessionEvent[] = []

  constructor(file: SessionConversationState, streamed: SessionConversationState) {
    this.#file = file
    this.#streamed = streamed
    this.#abandoned = (file.branches ?? []).flatMap(({ blocks }) => blocks)
    const main = this.#keep({ ...file, id: MAIN }, streamed)
    for (const { toolUseId, agentId, ...agent } of streamed.subagents) {
      const own = file.subagents.find(
        (each) => each.toolUseId === toolUseId || (agentId !== undefined && each.agentId === agentId),
      )
      if (own) this.#keepAgent({ ...own, id: own.toolUseId }, agent)
      else if (this.#isKept(toolUseId)) this.#addThread(toolUseId, agent, agent.blocks)
    }
    this.#keepFacts()
    if (!main.isBehind) this.#keepEnd()
  }

  /** Whether a block of the stream is still open. */
  get hasOpen(): boolean {
    return this.#last.some((event) => event.type === 'block:upsert' && event.block.status === 'pending')
  }

  /** Returns the events with those that are kept. Nothing is kept: the same events. */
  addTo(events: readonly SessionEvent[]): readonly SessionEvent[] {
    if (this.#last.length === 0 && this.#behind.size === 0) return events
    const ids = new Map(this.#file.subagents.map(({ agentId, toolUseId }) => [agentId, toolUseId]))
    const all: SessionEvent[] = []
    for (const event of events) {
      all.push(event)
      const blockId = madeBlock(event)
      if (blockId === undefined) continue
      const { conversationId = MAIN } = event
      const key = compositeKey(ids.get(conversationId) ?? conversationId, blockId)
      for (const next of this.#behind.get(key) ?? []) all.push(next)
      this.#behind.delete(key)
    }
    for (const rest of this.#behind.values()) all.push(...rest)
    all.push(...this.#last)
    return all
  }

  #keep(file: Thread, streamed: ConversationThread): ThreadComparison {
    const compared = compareThreads(file.blocks, streamed.blocks, {
      abandoned: file.id === MAIN ? this.#abandoned : [],
      isOneSession:
        this.#file.session.id !== undefined && this.#file.session.id === this.#streamed.session.id,
    })
    for (const { after, block } of compared.requests) {
      const key = compositeKey(file.id, after)
      const events = this.#behind.get(key) ?? []
      events.push(upsert(file.id, block))
      this.#behind.set(key, events)
    }
    this.#addThread(file.id, streamed, compared.kept)
    if (streamed.todos && !file.todos)
      this.#last.push({ type: 'todos:updated', conversationId: file.id, todos: streamed.todos })
    return compared
  }

  /** The files know the end of an agent, or the stream does. */
  #keepAgent(
    file: Thread & SessionConversationState['subagents'][number],
    streamed: Omit<SessionConversationState['subagents'][number], 'toolUseId'>,
  ): void {
    // The parent's file has the end of an agent whose own file is missing.
    if (hasEnded(file) && file.blocks.length > 0) return
    const { isBehind } = this.#keep(file, streamed)
    const ended = hasEnded(file) ? file : streamed
    if (isBehind || !hasEnded(ended)) return
    const { output, durationMs } = ended
    const status = ended.status === 'success' ? 'completed' : 'error'
    this.#last.push({
      type: 'subagent:completed',
      toolUseId: file.toolUseId,
      status,
      ...omitUndefined({ output, durationMs }),
    })
  }

  #isKept(toolUseId: string): boolean {
    const id = subagentBlockId(toolUseId)
    return this.#last.some((event) => madeBlock(event) === id)
  }

  /** Adds blocks of the stream behind those of the files, with the tokens of their messages. */
  #addThread(
    conversationId: string,
    { usage }: ConversationThread,
    blocks: readonly ConversationBlock[],
  ): void {
    for (const block of blocks) this.#last.push(upsert(conversationId, block))
    const named = new Set(blocks.map(messageIdOf))
    for (const { messageId, final, model, fromResult, ...tokens } of usage)
      if (named.has(messageId))
        this.#last.push({
          type: 'usage:reported',
          conversationId,
          messageId,
          final,
          usage: tokens,
          ...omitUndefined({ model, fromResult }),
        })
  }

  /** Facts that no file states, such as the protocol of the connection. */
  #keepFacts(): void {
    const known = new Set(Object.keys(this.#file.session))
    const { contextTokens, ...others } = this.#streamed.session
    const facts = Object.fromEntries(Object.entries(others).filter(([name]) => !known.has(name)))
    if (Object.keys(facts).length > 0) this.#last.push({ type: 'session:updated', facts })
  }

  /** Few files state the end of a turn. */
  #keepEnd(): void {
    const { status, error, endedAt: timestamp, openBlocks } = this.#streamed.turn
    const isOver = status !== 'running' && status !== 'idle' && openBlocks === undefined
    if (isOver && this.#file.turn.status === 'running')
      this.#last.push({ type: 'session:idle', outcome: status, ...omitUndefined({ error, timestamp }) })
  }
}

function upsert(conversationId: string, block: ConversationBlock): SessionEvent {
  return { type: 'block:upsert', conversationId, block: { ...block, conversationId } }
}

/** Returns the id of the block that the event makes. */
function madeBlock(event: SessionEvent): string | undefined {
  if (event.type === 'subagent:spawned') return subagentBlockId(event.toolUseId)
  return event.type === 'block:upsert' ? event.block.id : undefined
}
