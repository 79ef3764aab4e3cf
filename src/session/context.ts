import type { IncomingBlock, SessionEvent } from '../events/event.ts'
import { appendTo } from '../json/append.ts'
import { isEqual } from '../json/equal.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { asString } from '../json/values.ts'
import { withChanges } from '../json/with-changes.ts'
import { MAIN, type SessionFacts } from '../state/session.ts'
import type { SessionTurn } from '../state/turn.ts'
import { MemoryDraft, type TranslationMemory } from './notes/memory-draft.ts'
import type { Ending, SourceIssue, SourceIssueCode, Translated } from './source.ts'
import { truncateDepth } from './truncate-depth.ts'
import { isMainContent, isSameEnd, type TurnEnd } from './turn.ts'

type UnknownFields<Item> = { readonly [Name in keyof Item]: Item[Name] | undefined }

/** The events and issues of one or more messages. */
export type TranslatedMessages = Omit<Translated<unknown>, 'memory'>

/** The translation of a batch of messages: the current memory, and the events and issues so far. */
export class TranslationContext<Memory extends TranslationMemory> extends MemoryDraft<Memory> {
  #events: SessionEvent[] = []
  #issues: SourceIssue[] = []

  /** Returns the message without the parts that are nested too deep, and reports such parts. */
  read(message: unknown): unknown {
    const { message: readable, isCut } = truncateDepth(message)
    if (isCut) this.#issues.push({ code: 'too-deep', count: 1 })
    return readable
  }

  emit(event: SessionEvent): void {
    this.#events = appendTo(this.#events, event)
    const { lastTurn, turn } = this.memory
    if (lastTurn && turn === 'running' && isMainContent(event)) this.rememberCommon({ lastTurn: undefined })
  }

  upsert(conversationId: string, block: IncomingBlock): void {
    this.emit({ type: 'block:upsert', conversationId, block })
  }

  /** Starts main's turn. A running turn only gets a start that was not known. The model or the program works on, so an earlier answer was not the turn's end. */
  startTurn(timestamp?: string): void {
    const { turn, answer, turnStartedAt } = this.memory
    const isNews = turn !== 'running' || (turnStartedAt === undefined && timestamp !== undefined)
    if (isNews) this.#emitRunning(timestamp)
    if (isNews || answer) this.rememberCommon({ turn: 'running', answer: undefined })
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
    this.rememberCommon({ answer })
  }

  /** Ends main's turn if the model has answered: nothing more will report its end. */
  endAnsweredTurn(): void {
    if (this.memory.answer) this.endTurn(this.memory.answer)
  }

  /** Ends main's turn, and finalizes main's pending blocks. An outcome that differs corrects a turn that has ended. */
  endTurn(end: TurnEnd): void {
    const { outcome = 'finished', error, timestamp } = end
    const { lastTurn: last, turnStartedAt: startedAt } = this.memory
    if (last && isSameEnd(last, end)) return this.#repeatEnd(end, last)
    // Another end without new content corrects the last turn, or repeats an earlier one.
    const lastTurn = last ?? omitUndefined({ status: outcome, startedAt, endedAt: timestamp, error })
    this.#emitIdle({ outcome, error, timestamp }, lastTurn)
  }

  /** Ends a turn that ended in the same way before. Messages that started it again without new content repeat it, so its times stay. */
  #repeatEnd({ outcome, error, timestamp }: TurnEnd, last: SessionTurn): void {
    if (last.startedAt !== undefined && last.startedAt !== this.memory.turnStartedAt) {
      this.emit({ type: 'session:idle' })
      this.#emitRunning(last.startedAt)
    }
    const { error: lastError = error, endedAt = timestamp } = last
    this.#emitIdle({ outcome, error: lastError, timestamp: endedAt }, last)
  }

  #emitIdle({ outcome = 'finished', error, timestamp }: UnknownFields<TurnEnd>, lastTurn: SessionTurn): void {
    this.rememberCommon({ turn: outcome, answer: undefined, lastTurn })
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
    this.rememberCommon({ turnStartedAt: timestamp })
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
    this.rememberCommon({ facts: withChanges(known, changed) })
    this.emit({ type: 'session:updated', facts: changed })
  }

  /** Sets facts of the session that are not known yet. Known facts stay. */
  addMissingFacts(facts: SessionFacts): void {
    if (hasMissing(this.memory.facts, facts)) this.updateFacts(withChanges(facts, this.memory.facts))
  }

  /** Names the program or protocol of a session with events. A reader that joins late has missed the message that names it. */
  nameSession(facts: Pick<SessionFacts, 'program' | 'protocol'>): void {
    if (this.#events.length > 0) this.addMissingFacts(facts)
  }

  /** Returns the events and issues since the last call. */
  take(): TranslatedMessages {
    if (this.#events.length === 0 && this.#issues.length === 0) return NOTHING
    const taken = { events: this.#events, issues: this.#issues }
    // A caller keeps its list, so the next events need another one.
    this.#events = []
    this.#issues = []
    return taken
  }

  /** Ends the batch. Returns the memory, which nothing changes any more, with the remaining events and issues. */
  finish(): Translated<Memory> {
    const { events, issues } = this.take()
    return { events, issues, memory: this.close() }
  }
}

const NOTHING: TranslatedMessages = /* @__PURE__ */ Object.freeze({
  events: /* @__PURE__ */ Object.freeze([]),
  issues: /* @__PURE__ */ Object.freeze([]),
})

function changedFacts<Facts extends SessionFacts>(known: Facts, facts: Facts): Partial<Facts> | undefined {
  let changed: Partial<Facts> | undefined
  for (const name in facts) {
    if (isEqual(known[name], facts[name])) continue
    changed ??= {}
    changed[name] = facts[name]
  }
  return changed
}

function hasMissing<Facts extends SessionFacts>(known: Facts, facts: Facts): boolean {
  for (const name in facts) if (known[name] === undefined) return true
  return false
}

/** Returns the name of a message's or part's `type` for an issue. */
export function typeName(type: unknown): string {
  return asString(type) ?? 'untyped'
}

/** Returns the issue of an agent at the end of an input. */
export function agentIssue(code: 'unplaced-message' | 'unfinished-subagent', toolUseId: string): SourceIssue {
  return { code, count: 1, toolUseId }
}
