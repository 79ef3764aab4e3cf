import type { EventOf, SessionEvent } from '../../core/events/event.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import type { Session } from '../../reading/source.ts'
import { requestIdsAfterOutput } from '../../wires/answer-request.ts'
import type { HubReply } from './answered-request.ts'
import type { SavedReader } from './pipe-input.ts'

/** The reader of an output that a hub reads now. */
export interface RunningReader {
  /** The state of all that it has read. It publishes a part of that later. */
  readonly state: SessionConversationState
  save(): Promise<SavedReader>
  /** Goes on from another session. The returned function takes the number of its last event in the log. */
  restart(session: Session): (seq: number) => void
  /** Takes events that the log has got from elsewhere. */
  take(events: readonly SessionEvent[]): void
}

/** An answer in the log, and its number there. */
export interface PlacedAnswer {
  readonly event: EventOf<'block:upsert'>
  readonly seq: number
}

/** A reply on its way to the program. */
export interface Delivery extends PlacedAnswer {
  readonly reply: HubReply
  /** Resolves when the program has taken the reply. Rejects if it does not. */
  readonly taken: Promise<void>
}

/** An output from the call of `pipe` until its end is in the log. It stands for its process. */
export interface Output {
  phase: 'running' | 'ending' | 'over'
  /** The number of the log at which the process has begun. An answer up to it is one for an earlier process. */
  begunAt: number
  /** The ids of the requests that the process has asked. */
  readonly asked: Set<string>
  /** Whether the process has published work since the end of its last turn. The facts of a session are none. */
  hasWorked: boolean
  /** Whether a prompt waits: the process has published no event since. */
  hasPrompt: boolean
  /** Resolves when the log has answered. An output that the log or its options refuse has no reader. */
  opened?: Promise<void>
  reader?: RunningReader
  /** Gives the reader a reply. */
  take?(delivery: Delivery): Promise<void>
}

/**
 * The processes of each session whose outputs a hub reads. All ask here which process a request, an answer, a reply or an
 * end belongs to. Each process counts its requests anew, so no other one may get its answers.
 */
export class Processes {
  /** The outputs since one runs, the newest last. An ended one stays until all are over: its requests may be answered late. */
  readonly #outputs = new Map<string, readonly Output[]>()

  /** Adds an output. If none runs, it replaces the earlier ones, also those whose end is not in the log yet. */
  begin(sessionId: string): Output {
    const output: Output = {
      phase: 'running',
      begunAt: Number.POSITIVE_INFINITY,
      asked: new Set(),
      hasWorked: false,
      hasPrompt: false,
    }
    const earlier = this.running(sessionId).length > 0 ? this.#all(sessionId) : []
    this.#outputs.set(sessionId, [...earlier, output])
    return output
  }

  finish(sessionId: string, output: Output): void {
    output.phase = 'over'
    // It may stay for as long as others run, and a reader has a whole state.
    delete output.reader
    delete output.take
    const isLast = this.has(sessionId, output) && this.#all(sessionId).every(({ phase }) => phase === 'over')
    if (isLast) this.#outputs.delete(sessionId)
  }

  /** Whether no later process has replaced that of the output. */
  has(sessionId: string, output: Output): boolean {
    return this.#all(sessionId).includes(output)
  }

  running(sessionId: string): readonly Output[] {
    return this.#all(sessionId).filter(({ phase }) => phase === 'running')
  }

  /** Notes the requests that the events of an output ask, and the turn that they work at. */
  note(output: Output, events: readonly SessionEvent[]): void {
    output.hasPrompt &&= events.length === 0
    for (const event of events) {
      if (event.type === 'block:upsert' && event.block.type === 'request' && event.block.status === 'pending')
        output.asked.add(event.block.id)
      // A process that only begins also ends the turn before, and starts one.
      if (event.type === 'session:idle' && event.conversationId === undefined) output.hasWorked = false
      else output.hasWorked ||= event.type !== 'session:updated' && event.type !== 'session:running'
    }
  }

  /** Notes a prompt on its way to the newest process. The returned function takes it back. */
  notePrompt(sessionId: string): () => void {
    const output = this.running(sessionId).at(-1)
    if (output) output.hasPrompt = true
    return () => {
      if (output) output.hasPrompt = false
    }
  }

  /** Whether the turn is that of the output: no later process has replaced it, and no other one works. */
  isOnlyWorker(sessionId: string, output: Output): boolean {
    const others = this.running(sessionId).filter((each) => each !== output)
    if (others.length > 0 && !output.hasWorked) return false
    return this.has(sessionId, output) && others.every(({ hasWorked }) => !hasWorked)
  }

  /** Returns the output that has asked a request, running or not. Undefined if somebody else has published it. */
  askerOf(sessionId: string, requestId: string): Output | undefined {
    return this.#all(sessionId).findLast(({ asked }) => asked.has(requestId))
  }

  /** Returns the running outputs whose processes may take an answer: the asker, or each that had begun before the answer. */
  takersOf(sessionId: string, { event, seq }: PlacedAnswer): readonly Output[] {
    const asker = this.askerOf(sessionId, event.block.id)
    const running = this.running(sessionId).filter(({ begunAt }) => begunAt < seq)
    return asker ? running.filter((output) => output === asker) : running
  }

  /**
   * Returns whether the process that an answer is for still runs, from now on. Without an output, the answer is for a
   * program that the hub does not read. A server lives on while its events break off.
   */
  isRunningOf(sessionId: string, answer: PlacedAnswer, state: SessionConversationState): () => boolean {
    if (requestIdsAfterOutput(state) === 'open') return () => true
    const takers = this.takersOf(sessionId, answer)
    const isUnread = this.#all(sessionId).length === 0
    return () =>
      takers.some(({ phase }) => phase === 'running') || (isUnread && this.#all(sessionId).length === 0)
  }

  #all(sessionId: string): readonly Output[] {
    return this.#outputs.get(sessionId) ?? []
  }
}
