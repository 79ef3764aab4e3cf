import { compositeKey } from '../../json/composite-key.ts'
import type { ConversationThread, SessionConversationState } from '../../state/session.ts'
import { type JoinFault, LawError, type LawPlace } from '../law-error.ts'
import type { LiveRun } from './live-run.ts'

/** The law that a join breaks. */
type JoinCode = 'lost' | 'overwritten' | 'doubled' | 'incomplete' | 'reordered'

/** A part of a joined state that breaks the law. */
export interface PartFault {
  readonly code: JoinCode
  /** The part in words, such as `content of block m1:0 of main`. */
  readonly part: string
  readonly actual?: unknown
  readonly expected?: unknown
}

/** The state of a history with the live messages from a cut on, and the states that it must agree with. */
export interface Join {
  readonly joined: SessionConversationState
  readonly history: SessionConversationState
  /** The history's state without the end of its input. Its open blocks go on, although the end makes them final. */
  readonly open: SessionConversationState
  /** The history's state with the end of its input. It has the messages that waited for their place. */
  readonly ended: SessionConversationState
  readonly live: LiveRun
  /** The index of the first live message. */
  readonly cut: number
}

/** One conversation of a join. */
export interface JoinedThread {
  readonly id: string
  readonly joined: ConversationThread
  readonly history: ConversationThread
  readonly open: ConversationThread
  readonly ended: ConversationThread
  readonly alive: ConversationThread
}

/** The most faults that an error lists. */
const MAX_FAULTS = 20

type FoundFault = Omit<JoinFault, 'count'> & { readonly place: LawPlace; readonly cause?: unknown }

/** The faults of all joins, each with the first join that has it. A fault mostly shows at many cuts and in many ways. */
export class JoinFaults {
  readonly #found = new Map<string, FoundFault>()
  readonly #counts = new Map<string, number>()

  add(fault: FoundFault): void {
    const key = compositeKey(fault.code, fault.part)
    if (!this.#found.has(key)) this.#found.set(key, fault)
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** Throws a `LawError` of the first fault, with a list of all. */
  throwIfAny(): void {
    const [first] = this.#found.values()
    if (!first) return
    const faults = [...this.#found].slice(0, MAX_FAULTS).map(([key, { place, cause, ...fault }]) => ({
      ...fault,
      count: this.#counts.get(key) ?? 0,
    }))
    const { code, cut, part, ...facts } = first
    throw new LawError(code, cut, { ...facts, faults, moreFaults: this.#found.size - faults.length })
  }
}
