import type { SessionEvent } from '../core/events/event.ts'
import { type AllowUndefined, type Mutable, omitUndefined } from '../core/json/fields.ts'
import { isObject, isString } from '../core/json/values.ts'
import { MAIN } from '../core/state/session.ts'
import { type SessionTurn, TURN_OUTCOME } from '../core/state/turn.ts'
import { addsContent, isPersonsMessage } from './cut.ts'
import type { SessionLookups } from './lookups.ts'
import type { CommonNotes } from './notes/notes.ts'
import { isMainContent, isOver, isSameEnd, showsWork, type TurnEnd } from './turn.ts'

/** Emits the events of a turn. */
interface TurnOutput {
  emit(fields: AllowUndefined<SessionEvent>): void
  /** Goes on with a conversation that the end of an input cut. */
  continueConversation(conversationId: string): void
  /** Notes what a wire needs to know of a turn before its end. */
  beforeTurnEnd(): void
}

/** The beginning and the end of main's turn. */
export class MainTurn {
  readonly #state: SessionLookups
  readonly #notes: { readonly values: CommonNotes; edit(): Mutable<CommonNotes> }
  readonly #out: TurnOutput
  /** A pending block of this message has started an ended turn again. The message may belong to that turn: a call may follow its result. */
  #mayBeLate = false

  constructor(
    state: SessionLookups,
    notes: { readonly values: CommonNotes; edit(): Mutable<CommonNotes> },
    out: TurnOutput,
  ) {
    this.#state = state
    this.#notes = notes
    this.#out = out
  }

  nextMessage(): void {
    this.#mayBeLate = false
  }

  /** Notes an event that has changed the turn, or has added to it. */
  noteEvent(event: SessionEvent, before: SessionTurn): void {
    const { lastTurn } = this.#notes.values
    if (before.status === 'running') {
      if (lastTurn && !this.#mayBeLate && isMainContent(event)) this.#setLastTurn(undefined)
    } else if (isOver(before) && this.#state.turn.status === 'running' && !isMainContent(event)) {
      this.#setLastTurn(lastTurn ?? before)
      this.#mayBeLate = event.type !== 'session:running'
    }
  }

  // V8 takes a slow path to a note whose name it learns at run time.

  #setLastTurn(lastTurn: CommonNotes['lastTurn']): void {
    if (this.#notes.values.lastTurn !== lastTurn) this.#notes.edit().lastTurn = lastTurn
  }

  #setAnswer(answer: CommonNotes['answer']): void {
    if (this.#notes.values.answer !== answer) this.#notes.edit().answer = answer
  }

  #setRestart(restart: CommonNotes['restart']): void {
    if (this.#notes.values.restart !== restart) this.#notes.edit().restart = restart
  }

  #setSettled(settled: CommonNotes['settled']): void {
    if (this.#notes.values.settled !== settled) this.#notes.edit().settled = settled
  }

  /** Notes that the turn goes on. The lines of a turn that is over may be read again. */
  noteWork(time: string | undefined): void {
    const { turn } = this.#state
    const isOld = time !== undefined && turn.endedAt !== undefined && time <= turn.endedAt
    if (!isOver(turn) || !isOld) this.start()
  }

  /**
   * Starts main's turn, or goes on with one that was cut. A running turn only gets a start that was not known. The
   * model or the program works on, so an earlier answer was not the turn's end.
   */
  start(timestamp?: string): void {
    requireTime('turn.start', timestamp)
    const goesOn = this.#state.turn.openBlocks !== undefined && this.#hasContent()
    this.#out.continueConversation(MAIN)
    this.#start(timestamp)
    if (goesOn) this.#setRestart(omitUndefined({ startedAt: timestamp }))
  }

  #start(timestamp: string | undefined): void {
    if (this.#notes.values.settled) this.continueSettled()
    const { status, startedAt } = this.#state.turn
    if (status !== 'running' || (startedAt === undefined && timestamp !== undefined))
      this.#emitRunning(timestamp)
    this.#mayBeLate = false
    this.#setAnswer(undefined)
  }

  /** Starts main's turn with a prompt, which proves that an answer before it ended an earlier turn. */
  begin(timestamp?: string): void {
    requireTime('turn.begin', timestamp)
    this.#endRestarted()
    this.endAnswered()
    this.#setSettled(undefined)
    // Some programs report the start before the prompt. A cut between them leaves the prompt its turn.
    if (this.#state.turn.openBlocks && !this.#hasContent()) this.#out.continueConversation(MAIN)
    this.#start(timestamp)
  }

  /** Ends the turn that a start has gone on with: the prompt behind the start is that of another turn. */
  #endRestarted(): void {
    const { restart } = this.#notes.values
    if (!restart) return
    this.#setRestart(undefined)
    this.#end({ outcome: 'interrupted' })
    if (restart.startedAt !== undefined) this.#emitRunning(restart.startedAt)
  }

  /** Notes that an event is next to a start that went on with a cut turn. */
  noteNext(event: SessionEvent): void {
    if (event.type === 'block:upsert' && isPersonsMessage(event.block)) {
      if (!this.#state.findBlock(MAIN, event.block.id)) this.#endRestarted()
    } else if (event.type === 'session:idle' || showsWork(event) || addsContent(event, MAIN, this.#state))
      this.#setRestart(undefined)
  }

  /** Whether main's turn has content. */
  #hasContent(): boolean {
    return !this.#notes.values.lastTurn && this.#state.blocksOf(MAIN).some(({ type }) => type !== 'system')
  }

  /**
   * Remembers the end that an answer gives the turn, until the program reports the end. A turn that was interrupted
   * with an earlier input has gone on.
   */
  answer(answer: AllowUndefined<TurnEnd>): void {
    requireArgument(isTurnEnd(answer), 'turn.answer', TURN_END)
    const { outcome = 'finished' } = answer
    if (this.#state.turn.openBlocks && outcome === 'finished') this.start()
    this.#setAnswer(omitUndefined(answer))
  }

  /** Ends main's turn if the model has answered: nothing more will report its end. */
  endAnswered(): void {
    if (this.#notes.values.answer) this.#end(this.#notes.values.answer)
  }

  /**
   * Ends main's turn if the model has answered in a file, which nothing else may end: the person reads the answer
   * now. Later work shows that the model had not finished, and goes on with the turn.
   */
  settle(): void {
    const { startedAt } = this.#state.turn
    if (!this.#notes.values.answer) return
    this.endAnswered()
    this.#setSettled(omitUndefined({ startedAt }))
  }

  /** Whether main's turn runs, or an answer has ended it that need not be the last one. */
  isOpen(): boolean {
    return this.#state.turn.status === 'running' || this.#notes.values.settled !== undefined
  }

  /** Goes on with a turn that an answer in a file had ended. */
  continueSettled(): void {
    const startedAt = this.#notes.values.settled?.startedAt
    this.#setSettled(undefined)
    this.#emitRunning(startedAt)
    this.#setLastTurn(undefined)
  }

  /** Ends main's turn, and finalizes main's pending blocks. An outcome that differs corrects a turn that has ended. */
  end(fields: AllowUndefined<TurnEnd>): void {
    requireArgument(isTurnEnd(fields), 'turn.end', TURN_END)
    this.#end(fields)
  }

  #end(fields: AllowUndefined<TurnEnd>): void {
    this.#out.beforeTurnEnd()
    const end: TurnEnd = omitUndefined(fields)
    const isSettled = this.#notes.values.settled !== undefined
    this.#setSettled(undefined)
    const last = this.#notes.values.lastTurn ?? (isOver(this.#state.turn) ? this.#state.turn : undefined)
    const isRepeated = last !== undefined && isSameEnd(last, end)
    if (isRepeated) this.#repeatEnd(end, last)
    else this.#emitIdle(end)
    // The end of an earlier turn may be repeated, and then this turn's own end. An answer is no end of an earlier turn.
    this.#setLastTurn(isRepeated || isSettled ? undefined : last)
  }

  /** Ends a turn that ended in the same way before. Messages that started it again without new content repeat it, so its times stay. */
  #repeatEnd({ outcome, error, timestamp }: TurnEnd, last: SessionTurn): void {
    if (last.startedAt !== undefined && last.startedAt !== this.#state.turn.startedAt) {
      this.#out.emit({ type: 'session:idle' })
      this.#emitRunning(last.startedAt)
    }
    const { error: lastError = error, endedAt = timestamp } = last
    this.#emitIdle({ outcome, error: lastError, timestamp: endedAt })
  }

  #emitIdle({ outcome = 'finished', error, timestamp }: AllowUndefined<TurnEnd>): void {
    this.#setAnswer(undefined)
    this.#out.emit({ type: 'session:idle', outcome, error, timestamp })
  }

  #emitRunning(timestamp: string | undefined): void {
    this.#out.emit({ type: 'session:running', timestamp })
  }
}

const TURN_END =
  'an object with `outcome` (finished, interrupted or failed), `error` and `timestamp`, or without them'
const isTurnEnd = /* @__PURE__ */ onlyFields({
  outcome: (value) => isString(value) && Object.hasOwn(TURN_OUTCOME.oneOf, value),
  error: isString,
  timestamp: isString,
})

function requireTime(call: string, timestamp: string | undefined): void {
  const isTime = timestamp === undefined || typeof timestamp === 'string'
  requireArgument(isTime, call, 'a time as a string, or nothing')
}

/** Throws a `TypeError` (`wrong-argument`) unless an argument is right. A source in JavaScript has no compiler that sees it. */
export function requireArgument(isRight: boolean, call: string, expected: string): void {
  if (!isRight)
    throw Object.assign(new TypeError(`context.${call}: pass ${expected}`), { code: 'wrong-argument' })
}

/** Returns whether a value is an object with no other fields: a wrong name would be ignored. A module of shapes is too large for this. */
export function onlyFields(checks: Readonly<Record<string, (value: unknown) => boolean>>) {
  return (value: unknown): boolean =>
    isObject(value) &&
    Object.entries(value).every(([name, part]) => part === undefined || checks[name]?.(part) === true)
}
