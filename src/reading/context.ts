import { flatEvent } from '../core/events/context.ts'
import type { IncomingBlock, SessionEvent } from '../core/events/event.ts'
import { isEqual } from '../core/json/equal.ts'
import { type AllowUndefined, omitUndefined, withChanges } from '../core/json/fields.ts'
import { appendTo } from '../core/json/lists.ts'
import { asString } from '../core/json/values.ts'
import { applyEvent, issueOf } from '../core/reducer/reduce.ts'
import { addsFields } from '../core/reducer/thread.ts'
import { plainOutput } from '../core/state/plain-output.ts'
import { MAIN, type SessionFacts } from '../core/state/session.ts'
import type { SessionTurn } from '../core/state/turn.ts'
import { addsContent, continuationOf } from './cut.ts'
import { type OpenSession, SessionLookups } from './lookups.ts'
import { lostPrompt } from './lost-prompt.ts'
import type { CommonNotes } from './notes/notes.ts'
import { PersistentMap } from './notes/persistent-map.ts'
import type { Ending, ReadIssue, SourceIssue, SourceIssueCode } from './source.ts'
import { truncateDepth } from './truncate-depth.ts'
import { isMainContent, isOver, isSameEnd, showsWork, type TurnEnd } from './turn.ts'

/** The translation of a batch of messages. Each event changes the state at once, so the rules read what they have just written. */
export class TranslationContext<Values extends CommonNotes> extends SessionLookups<Values> {
  #events: SessionEvent[] = []
  #issues: ReadIssue[] = []
  #index = -1
  /** A pending block of this message has started an ended turn again. The message may belong to that turn: a call may follow its result. */
  #mayBeLate = false

  /** Begins the next message of the batch. */
  nextMessage(): void {
    this.#index += 1
    this.#mayBeLate = false
  }

  #report(issue: ReadIssue): void {
    this.#issues.push(this.#index < 0 ? issue : { ...issue, index: this.#index })
  }

  /** Returns the message without the parts that are nested too deep, and reports such parts. */
  read(message: unknown): unknown {
    const { message: readable, isCut } = truncateDepth(message)
    if (isCut) this.#report({ code: 'too-deep', count: 1 })
    return readable
  }

  /** Emits an event without its undefined fields and its `context`, and before it the end of a cut that the event goes on after. */
  emit(fields: AllowUndefined<SessionEvent>): void {
    const event = flatEvent(omitUndefined(fields))
    const { conversationId = MAIN } = event
    if (this.cutBlockIds(conversationId) && addsContent(event, conversationId, this))
      this.#apply(continuationOf(conversationId))
    if (event.type === 'subagent:spawned' && this.wasAnnounced(event.toolUseId))
      this.#apply(continuationOf(event.toolUseId))
    if (this.notes.settled && showsWork(event)) this.#continueSettledTurn(this.notes.settled)
    const prompt = this.notes.brokenStarts?.isEmpty === false ? lostPrompt(event, this) : undefined
    if (prompt) this.#apply(prompt)
    this.#apply(event)
  }

  #apply(event: SessionEvent): void {
    this.#events = appendTo(this.#events, event)
    const { turn } = this
    const code = applyEvent(this.draft, event)
    if (code) this.#report(issueOf(code, event))
    if (turn.status === 'running') {
      if (this.notes.lastTurn && !this.#mayBeLate && isMainContent(event))
        this.#rememberCommon('lastTurn', undefined)
    } else if (isOver(turn) && this.turn.status === 'running' && !isMainContent(event)) {
      this.#rememberCommon('lastTurn', this.notes.lastTurn ?? turn)
      this.#mayBeLate = event.type !== 'session:running'
    }
  }

  /** Remembers that a line of an agent is not JSON. If it was the prompt, the agent gets the one of its call. */
  noteBrokenStart(agentId: string): void {
    const { brokenStarts = new PersistentMap<true>() } = this.notes
    this.#rememberCommon('brokenStarts', brokenStarts.with(agentId, true))
  }

  /** Goes on with a conversation that the end of an input cut. */
  continueConversation(conversationId: string): void {
    if (this.cutBlockIds(conversationId)) this.emit(continuationOf(conversationId))
  }

  #rememberCommon<Name extends keyof CommonNotes>(name: Name, value: CommonNotes[Name]): void {
    if (this.notes[name] !== value) Object.assign(this.edit(), { [name]: value })
  }

  /** Shows a block as it is now, without its undefined fields. */
  upsert(conversationId: string, block: AllowUndefined<IncomingBlock>): void {
    const shown =
      block.type === 'tool_result' ? withChanges(block, { output: plainOutput(block.output) }) : block
    this.emit({ type: 'block:upsert', conversationId, block: omitUndefined(shown) })
  }

  /**
   * Starts main's turn, or goes on with one that was cut. A running turn only gets a start that was not known. The
   * model or the program works on, so an earlier answer was not the turn's end.
   */
  startTurn(timestamp?: string): void {
    this.continueConversation(MAIN)
    this.#startTurn(timestamp)
  }

  #startTurn(timestamp: string | undefined): void {
    if (this.notes.settled) this.#continueSettledTurn(this.notes.settled)
    const { status, startedAt } = this.turn
    if (status !== 'running' || (startedAt === undefined && timestamp !== undefined))
      this.#emitRunning(timestamp)
    this.#mayBeLate = false
    this.#rememberCommon('answer', undefined)
  }

  /** Starts main's turn with a prompt, which proves that an answer before it ended an earlier turn. */
  beginTurn(timestamp?: string): void {
    this.endAnsweredTurn()
    this.#rememberCommon('settled', undefined)
    // Some programs report the start before the prompt. A cut between them leaves the prompt its turn.
    if (this.turn.openBlocks && !this.#hasContent()) this.continueConversation(MAIN)
    this.#startTurn(timestamp)
  }

  /** Whether main's turn has content. */
  #hasContent(): boolean {
    return !this.notes.lastTurn && this.blocksOf(MAIN).some(({ type }) => type !== 'system')
  }

  /**
   * Remembers the end that an answer gives the turn, until the program reports the end. A turn that was interrupted
   * with an earlier input has gone on.
   */
  answerTurn(answer: AllowUndefined<TurnEnd>): void {
    const { outcome = 'finished' } = answer
    if (this.turn.openBlocks && outcome === 'finished') this.startTurn()
    this.#rememberCommon('answer', omitUndefined(answer))
  }

  /** Ends main's turn if the model has answered: nothing more will report its end. */
  endAnsweredTurn(): void {
    if (this.notes.answer) this.endTurn(this.notes.answer)
  }

  /**
   * Ends main's turn if the model has answered in a file, which nothing else may end: the person reads the answer
   * now. Later work shows that the model had not finished, and goes on with the turn.
   */
  settleTurn(): void {
    const { startedAt } = this.turn
    if (!this.notes.answer) return
    this.endAnsweredTurn()
    this.#rememberCommon('settled', omitUndefined({ startedAt }))
  }

  /** Whether main's turn runs, or an answer has ended it that need not be the last one. */
  isTurnOpen(): boolean {
    return this.turn.status === 'running' || this.notes.settled !== undefined
  }

  #continueSettledTurn({ startedAt }: Pick<SessionTurn, 'startedAt'>): void {
    this.#rememberCommon('settled', undefined)
    this.#emitRunning(startedAt)
    this.#rememberCommon('lastTurn', undefined)
  }

  /** Ends main's turn, and finalizes main's pending blocks. An outcome that differs corrects a turn that has ended. */
  endTurn(fields: AllowUndefined<TurnEnd>): void {
    const end: TurnEnd = omitUndefined(fields)
    const isSettled = this.notes.settled !== undefined
    this.#rememberCommon('settled', undefined)
    const last = this.notes.lastTurn ?? (isOver(this.turn) ? this.turn : undefined)
    const isRepeated = last !== undefined && isSameEnd(last, end)
    if (isRepeated) this.#repeatEnd(end, last)
    else this.#emitIdle(end)
    // The end of an earlier turn may be repeated, and then this turn's own end. An answer is no end of an earlier turn.
    this.#rememberCommon('lastTurn', isRepeated || isSettled ? undefined : last)
  }

  /** Ends a turn that ended in the same way before. Messages that started it again without new content repeat it, so its times stay. */
  #repeatEnd({ outcome, error, timestamp }: TurnEnd, last: SessionTurn): void {
    if (last.startedAt !== undefined && last.startedAt !== this.turn.startedAt) {
      this.emit({ type: 'session:idle' })
      this.#emitRunning(last.startedAt)
    }
    const { error: lastError = error, endedAt = timestamp } = last
    this.#emitIdle({ outcome, error: lastError, timestamp: endedAt })
  }

  #emitIdle({ outcome = 'finished', error, timestamp }: AllowUndefined<TurnEnd>): void {
    this.#rememberCommon('answer', undefined)
    this.emit({ type: 'session:idle', outcome, error, timestamp })
  }

  /**
   * Ends the input. Nothing runs after it: an agent whose end no message has reported is cut, and so is main's turn,
   * unless the model has answered. The ending follows main's turn alone. In an input that may wait, conversations
   * that wait for a person stay as they are, and then the ending is open.
   */
  endInput({ mayWait = false, unplaced = [] }: EndOptions = {}): InputEnd {
    const waiting = mayWait ? this.#waitingConversations() : NOBODY
    const unfinished = this.runningAgents().filter((toolUseId) => !waiting.has(toolUseId))
    for (const toolUseId of unfinished)
      this.emit({ type: 'subagent:completed', toolUseId, status: 'error', cut: true })
    if (this.notes.answer) this.endAnsweredTurn()
    else if (this.turn.status === 'running' && !waiting.has(MAIN))
      this.emit({ type: 'session:idle', outcome: 'interrupted', cut: true })
    const issues = [
      ...unplaced.map((id) => agentIssue('unplaced-message', id)),
      ...unfinished.map((id) => agentIssue('unfinished-subagent', id)),
    ]
    return { ending: waiting.size > 0 ? 'open' : endingOf(this.turn), issues }
  }

  /** Returns the conversations with an open request, and their parents. */
  #waitingConversations(): ReadonlySet<string> {
    const waiting = new Set<string>()
    for (const id of [MAIN, ...this.agents().map(({ toolUseId }) => toolUseId)]) {
      if (!this.pendingBlocks(id).some(({ type }) => type === 'request')) continue
      for (let each: string | undefined = id; each !== undefined && !waiting.has(each); ) {
        waiting.add(each)
        each = this.findAgent(each)?.parentConversationId
      }
    }
    return waiting
  }

  /** Finalizes the pending blocks of a conversation. If it is main, its turn goes on. */
  finalizePending(conversationId: string): void {
    const { status, startedAt } = this.turn
    this.emit({ type: 'session:idle', conversationId })
    if (conversationId === MAIN && status === 'running') this.#emitRunning(startedAt)
  }

  #emitRunning(timestamp: string | undefined): void {
    this.emit({ type: 'session:running', timestamp })
  }

  reportUnknown(code: SourceIssueCode, messageType: string): void {
    this.#report({ code, count: 1, messageType })
  }

  /** Sets facts of the session, and reports those that changed. An undefined one stays as it is. */
  updateFacts(facts: AllowUndefined<SessionFacts>): void {
    const changed = changedFacts<SessionFacts>(this.facts, omitUndefined(facts))
    if (changed) this.emit({ type: 'session:updated', facts: changed })
  }

  /** Sets facts of the session that are not known yet. Known facts stay. */
  addMissingFacts(fields: AllowUndefined<SessionFacts>): void {
    const facts: SessionFacts = omitUndefined(fields)
    if (addsFields(this.facts, facts)) this.updateFacts(withChanges(facts, this.facts))
  }

  /** Names the program or protocol of a session with events. A reader that joins late has missed the message that names it. */
  nameSession(facts: Pick<SessionFacts, 'program' | 'protocol'>): void {
    if (this.#events.length > 0) this.addMissingFacts(facts)
  }

  /** Ends the batch. Returns the session, which nothing changes any more, with all events and issues. */
  finish(): TranslatedBatch<Values> {
    const session = { state: this.draft.finish(), notes: this.close() }
    return { session, events: this.#events, issues: this.#issues }
  }
}

const NOBODY: ReadonlySet<string> = new Set()

/** The result of a batch of messages. */
export interface TranslatedBatch<Values> {
  readonly session: OpenSession<Values>
  readonly events: readonly SessionEvent[]
  readonly issues: readonly ReadIssue[]
}

/** The facts about an input that has ended. */
interface EndOptions {
  /** The input is a file, which can wait for a person. The end of a stream is that of the program. */
  readonly mayWait?: boolean
  /** The agents that no message links to a call. */
  readonly unplaced?: readonly string[]
}

/** The end of an input. Its events are in the context. */
export interface InputEnd {
  readonly ending: Ending
  readonly issues: readonly SourceIssue[]
}

function endingOf({ status }: SessionTurn): Ending {
  if (status === 'idle') return 'open'
  return status === 'interrupted' ? 'interrupted' : 'finished'
}

function changedFacts<Facts extends SessionFacts>(known: Facts, facts: Facts): Partial<Facts> | undefined {
  let changed: Partial<Facts> | undefined
  for (const name in facts) {
    if (isEqual(known[name], facts[name])) continue
    changed ??= {}
    changed[name] = facts[name]
  }
  return changed
}

/** Returns the name of a message's or part's `type` for an issue. */
export function typeName(type: unknown): string {
  return asString(type) ?? 'untyped'
}

/** Returns the issue of an agent at the end of an input. */
function agentIssue(code: 'unplaced-message' | 'unfinished-subagent', toolUseId: string): SourceIssue {
  return { code, count: 1, toolUseId }
}
