import type { EventOf, IncomingBlock, SessionEvent } from '../../events/event.ts'
import { omitUndefined } from '../../json/omit-undefined.ts'
import { asString } from '../../json/values.ts'
import { MAIN, type SessionFacts } from '../../state/session.ts'
import type { TurnStatus } from '../../state/turn.ts'
import type { Ending, SourceIssue, SourceIssueCode, Translated } from '../source.ts'
import { truncateDepth } from './truncate-depth.ts'

/** The memory that every source has. */
export interface TranslationMemory {
  readonly facts: SessionFacts
  /** The status of main's turn, as the events so far lead to it. */
  readonly turn: TurnStatus
  readonly turnStartedAt?: string | undefined
  /** The end of the running turn, if the model has answered and the program has not reported the end yet. */
  readonly answer?: TurnEnd | undefined
}

/** How a turn ends, and when. */
export type TurnEnd = Pick<EventOf<'session:idle'>, 'outcome' | 'error' | 'timestamp'>

/** The translation of one message: the current memory, and the events and issues of the message so far. */
export class TranslationContext<Memory extends TranslationMemory> {
  memory: Memory
  readonly #events: SessionEvent[] = []
  readonly #issues: SourceIssue[] = []

  constructor(memory: Memory) {
    this.memory = memory
  }

  /** Returns the message without the parts that are nested too deep, and reports such parts. */
  read(message: unknown): unknown {
    const { message: readable, isCut } = truncateDepth(message)
    if (isCut) this.#issues.push({ code: 'too-deep', count: 1 })
    return readable
  }

  remember(changes: Partial<Memory>): void {
    this.memory = { ...this.memory, ...changes }
  }

  emit(event: SessionEvent): void {
    this.#events.push(event)
  }

  upsert(conversationId: string, block: IncomingBlock): void {
    this.emit({ type: 'block:upsert', conversationId, block })
  }

  /** Starts main's turn. A running turn only gets a start that was not known. The model or the program works on, so an earlier answer was not the turn's end. */
  startTurn(timestamp?: string): void {
    const { turn, answer, turnStartedAt } = this.memory
    const isNews = turn !== 'running' || (turnStartedAt === undefined && timestamp !== undefined)
    if (isNews) this.#emitRunning(timestamp)
    if (isNews || answer) this.memory = { ...this.memory, turn: 'running', answer: undefined }
  }

  /** Starts main's turn with a prompt, which proves that an answer before it ended an earlier turn. */
  beginTurn(timestamp?: string): void {
    this.endAnsweredTurn()
    this.startTurn(timestamp)
  }

  /**
   * Remembers the end that an answer gives the turn, until the program reports the end. A turn that was interrupted with an earlier
   * input has gone on.
   */
  answerTurn(answer: TurnEnd): void {
    const { outcome = 'finished' } = answer
    if (this.memory.turn === 'interrupted' && outcome === 'finished') this.startTurn()
    this.memory = { ...this.memory, answer }
  }

  /** Ends main's turn if the model has answered: nothing more will report its end. */
  endAnsweredTurn(): void {
    if (this.memory.answer) this.endTurn(this.memory.answer)
  }

  /** Ends main's turn, and finalizes main's pending blocks. An outcome that differs corrects a turn that has ended. */
  endTurn({ outcome = 'finished', error, timestamp }: TurnEnd): void {
    this.memory = { ...this.memory, turn: outcome, answer: undefined }
    this.emit(omitUndefined({ type: 'session:idle', outcome, error, timestamp }))
  }

  /** Ends main's turn with the input. A turn that the model has not answered is interrupted, and so is one with unfinished agents. */
  endInput(hasUnfinishedAgents: boolean): Ending {
    const { answer, turn } = this.memory
    if (turn === 'interrupted') return 'interrupted'
    if (hasUnfinishedAgents || (turn === 'running' && !answer)) this.endTurn({ outcome: 'interrupted' })
    else this.endAnsweredTurn()
    const { turn: ended } = this.memory
    if (ended === 'idle') return 'open'
    return ended === 'interrupted' ? 'interrupted' : 'finished'
  }

  /** Finalizes the pending blocks of a conversation. If it is main, its turn goes on. */
  finalizePending(conversationId: string): void {
    this.emit({ type: 'session:idle', conversationId })
    if (conversationId === MAIN && this.memory.turn === 'running')
      this.#emitRunning(this.memory.turnStartedAt)
  }

  #emitRunning(timestamp: string | undefined): void {
    this.memory = { ...this.memory, turnStartedAt: timestamp }
    this.emit(omitUndefined({ type: 'session:running', timestamp }))
  }

  reportUnknown(code: SourceIssueCode, messageType: string): void {
    this.#issues.push({ code, count: 1, messageType })
  }

  /** Sets facts of the session, and reports those that changed. */
  updateFacts(facts: SessionFacts): void {
    const known = this.memory.facts
    const changed = changedFacts(known, facts)
    if (!changed) return
    this.memory = { ...this.memory, facts: { ...known, ...changed } }
    this.emit({ type: 'session:updated', facts: changed })
  }

  /** Sets facts of the session that are not known yet. Known facts stay. */
  addMissingFacts(facts: SessionFacts): void {
    this.updateFacts({ ...facts, ...this.memory.facts })
  }

  finish(): Translated<Memory> {
    return { memory: this.memory, events: this.#events, issues: this.#issues }
  }
}

function changedFacts(known: SessionFacts, facts: SessionFacts): SessionFacts | undefined {
  const changed = Object.entries(facts).filter(([name, fact]) => !isSame(Reflect.get(known, name), fact))
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right)
}

/** Returns the name of a message's or part's `type` for an issue. */
export function typeName(type: unknown): string {
  return asString(type) ?? 'untyped'
}
