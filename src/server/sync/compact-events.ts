import type { EventOf, IncomingBlock, SessionEvent } from '../../core/events/event.ts'
import { flatEvent, isConversationEvent } from '../../core/events/guard.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { isSubagentBlockId } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'

/**
 * Returns fewer events that fold to the same state, from any state before them and with any events after them. It
 * joins deltas, and drops what a later event of the list replaces. The order of the rest stays, and so do values that
 * are no events. It takes time and memory that grow with the list.
 *
 * A text of more than 2 ** 28 UTF-16 units is the one exception: the reducer takes a delta whole or not at all.
 */
export function compactEvents(events: Iterable<SessionEvent>): readonly SessionEvent[] {
  const log = new CompactedLog()
  for (const event of events) log.add(flatEvent(event))
  return log.finish()
}

/** The events of the list that are about one block. Each number is a place in the compacted log. */
interface BlockPlaces {
  /** The id by which the events name the conversation. An agent has two. */
  readonly conversationId: string
  /** The first upsert: it decides where the block stands, and whether a turn starts. */
  readonly first?: number | undefined
  /** The last upsert after it. */
  readonly last?: number | undefined
  /** Whether one of the two has a final block. No pending block replaces it. */
  readonly isFinal: boolean
  readonly deltas: number[]
  /** Whether a delta may join the last one, because no block came after it. */
  readonly isOpen: boolean
}

/** Such a block links the ids of an agent, or the reducer refuses it. */
function isOfSubagent({ type, id }: IncomingBlock): boolean {
  return type === 'subagent' || isSubagentBlockId(id)
}

interface Place {
  readonly conversationId: string
  readonly at: number
}

/**
 * The look-ups hold what later events may still replace. Two ids may name one agent, so an event that names the
 * conversation by another id starts again. An event that links ids starts everything again.
 */
class CompactedLog {
  readonly #events: (SessionEvent | undefined)[] = []
  readonly #blocks = new Map<string, BlockPlaces>()
  readonly #usage = new Map<string, Place>()
  #todos: Place | undefined
  #session: number | undefined

  finish(): readonly SessionEvent[] {
    return this.#events.filter((event) => event !== undefined)
  }

  add(event: SessionEvent): void {
    if (!isConversationEvent(event)) this.#addAndForget(event)
    else if (event.type === 'block:delta') this.#addDelta(event)
    else if (event.type === 'block:upsert' && !isOfSubagent(event.block)) this.#addUpsert(event)
    else if (event.type === 'block:removed' && !isSubagentBlockId(event.blockId)) this.#addRemoval(event)
    else if (event.type === 'usage:reported') this.#addUsage(event)
    else if (event.type === 'todos:updated') this.#addTodos(event)
    else if (event.type === 'session:updated') this.#addFacts(event)
    else if (event.type === 'session:running') this.#push(event)
    else if (event.type === 'session:idle') this.#addIdle(event)
    else this.#addAndForget(event)
  }

  #push(event: SessionEvent): number {
    return this.#events.push(event) - 1
  }

  #drop(places: readonly (number | undefined)[]): void {
    for (const place of places) if (place !== undefined) this.#events[place] = undefined
  }

  #addAndForget(event: SessionEvent): void {
    this.#blocks.clear()
    this.#usage.clear()
    this.#todos = undefined
    this.#session = undefined
    this.#push(event)
  }

  #placesOf(blockId: string, conversationId: string): BlockPlaces {
    const places = this.#blocks.get(blockId)
    return places?.conversationId === conversationId
      ? places
      : { conversationId, isFinal: false, deltas: [], isOpen: false }
  }

  #addDelta(event: EventOf<'block:delta'>): void {
    const { conversationId = MAIN, blockId, delta } = event
    if (delta === '') return
    const places = this.#placesOf(blockId, conversationId)
    const last = places.isOpen ? places.deltas.at(-1) : undefined
    const joined = last === undefined ? undefined : this.#events[last]
    if (last !== undefined && joined?.type === 'block:delta')
      this.#events[last] = { ...joined, delta: joined.delta + delta }
    else {
      places.deltas.push(this.#push(event))
      this.#blocks.set(blockId, { ...places, isOpen: true })
    }
  }

  /** A final block replaces everything before it. A pending block replaces a pending one, but no final one. */
  #addUpsert(event: EventOf<'block:upsert'>): void {
    const { block } = event
    const places = this.#placesOf(block.id, event.conversationId ?? block.conversationId ?? MAIN)
    const isFinal = block.status !== 'pending'
    if (places.isFinal && !isFinal) return
    this.#drop([places.last, ...(isFinal ? places.deltas : [])])
    const { first = this.#push(event) } = places
    this.#blocks.set(block.id, {
      conversationId: places.conversationId,
      first,
      last: places.first === undefined ? undefined : this.#push(event),
      isFinal,
      // The block may have been final before the list. Then it keeps the texts of the deltas, and no pending block
      // replaces it.
      deltas: isFinal ? [] : places.deltas,
      isOpen: false,
    })
  }

  #addRemoval(event: EventOf<'block:removed'>): void {
    const { last, deltas } = this.#placesOf(event.blockId, event.conversationId ?? MAIN)
    this.#drop([last, ...deltas])
    this.#blocks.delete(event.blockId)
    this.#push(event)
  }

  /** The end of a turn makes pending blocks final, and a later pending block replaces them no more. */
  #addIdle(event: EventOf<'session:idle'>): void {
    this.#blocks.clear()
    this.#push(event)
  }

  #addUsage(event: EventOf<'usage:reported'>): void {
    const { conversationId = MAIN, messageId, final } = event
    const place = this.#usage.get(messageId)
    const before = place?.conversationId === conversationId ? this.#events[place.at] : undefined
    if (!place || before?.type !== 'usage:reported')
      this.#usage.set(messageId, { conversationId, at: this.#push(event) })
    else if (final || !before.final) this.#events[place.at] = event
  }

  #addTodos(event: EventOf<'todos:updated'>): void {
    const { conversationId = MAIN } = event
    if (this.#todos?.conversationId === conversationId) this.#events[this.#todos.at] = event
    else this.#todos = { conversationId, at: this.#push(event) }
  }

  #addFacts(event: EventOf<'session:updated'>): void {
    const before = this.#session === undefined ? undefined : this.#events[this.#session]
    if (this.#session === undefined || before?.type !== 'session:updated') this.#session = this.#push(event)
    else
      this.#events[this.#session] = { ...before, facts: { ...before.facts, ...omitUndefined(event.facts) } }
  }
}
