import type { IncomingBlock, SessionEvent } from '../core/events/event.ts'
import { flatEvent } from '../core/events/guard.ts'
import { isEqual } from '../core/json/equal.ts'
import { type AllowUndefined, omitUndefined, withChanges } from '../core/json/fields.ts'
import { appendTo } from '../core/json/lists.ts'
import { asString, isObject, isString } from '../core/json/values.ts'
import { Batch } from '../core/reducer/batch.ts'
import { applyEvent, issueOf } from '../core/reducer/reduce.ts'
import { addsFields } from '../core/reducer/thread.ts'
import { type BlockType, isPrompt } from '../core/state/block.ts'
import { plainOutput } from '../core/state/content.ts'
import { MAIN, type SessionConversationState, type SessionFacts } from '../core/state/session.ts'
import type { SessionTurn } from '../core/state/turn.ts'
import { addsContent, continuationOf } from './cut.ts'
import { SessionLookups } from './lookups.ts'
import { MainTurn, onlyFields, requireArgument } from './main-turn.ts'
import type { CommonNotes } from './notes/notes.ts'
import { NotesDraft } from './notes/notes-draft.ts'
import { PersistentMap } from './notes/persistent-map.ts'
import type { Ending, ReadIssue, SourceIssue, SourceIssueCode } from './source.ts'
import { truncateDepth } from './truncate-depth.ts'
import { showsWork } from './turn.ts'

/** The translation of a batch of messages. Each event changes the state at once, so the rules read what they have just written. */
export class TranslationContext<Values extends CommonNotes> {
  /** The state after the last event. */
  readonly state: SessionLookups
  /** The notes after the last change. */
  readonly notes: NotesDraft<Values>
  /** Main's turn. */
  readonly turn: MainTurn
  readonly #draft: Batch
  #events: SessionEvent[] = []
  #issues: ReadIssue[] = []
  #index = -1

  constructor({ state, notes }: OpenSession<Values>) {
    this.#draft = new Batch(state)
    this.state = new SessionLookups(this.#draft)
    this.notes = new NotesDraft(notes)
    this.turn = new MainTurn(this.state, this.notes, this)
  }

  /** Begins the next message of the batch. */
  nextMessage(): void {
    this.#index += 1
    this.turn.nextMessage()
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
    requireArgument(isEmittable(fields), 'emit', EMITTABLE)
    const event = flatEvent(omitUndefined(fields))
    const { conversationId = MAIN } = event
    const { values } = this.notes
    if (this.state.cutBlockIds(conversationId) && addsContent(event, conversationId, this.state))
      this.#apply(continuationOf(conversationId))
    if (event.type === 'subagent:spawned' && this.state.wasAnnounced(event.toolUseId))
      this.#apply(continuationOf(event.toolUseId))
    if (values.restart && conversationId === MAIN) this.turn.noteNext(event)
    if (values.settled && showsWork(event)) this.turn.continueSettled()
    const prompt = values.brokenStarts?.isEmpty === false ? lostPrompt(event, this.state, values) : undefined
    if (prompt) this.#apply(prompt)
    this.#apply(event)
  }

  #apply(event: SessionEvent): void {
    this.#events = appendTo(this.#events, event)
    const { turn } = this.state
    const code = applyEvent(this.#draft, event)
    if (code) this.#report(issueOf(code, event))
    this.turn.noteEvent(event, turn)
  }

  /** Remembers that a line of an agent is not JSON. If it was the prompt, the agent gets the one of its call. */
  noteBrokenStart(agentId: string): void {
    const { brokenStarts = new PersistentMap<true>() } = this.notes.values
    if (!brokenStarts.get(agentId))
      Object.assign(this.notes.edit(), { brokenStarts: brokenStarts.with(agentId, true) })
  }

  /** Goes on with a conversation that the end of an input cut. */
  continueConversation(conversationId: string): void {
    requireId('continueConversation', conversationId)
    if (this.state.cutBlockIds(conversationId)) this.emit(continuationOf(conversationId))
  }

  /** Notes what a wire needs to know of main's turn before its end. */
  beforeTurnEnd(): void {}

  /** Shows a block as it is now, without its undefined fields. */
  upsert(conversationId: string, block: AllowUndefined<IncomingBlock>): void {
    requireId('upsert', conversationId)
    requireArgument(isObject(block), 'upsert', 'a block as the second argument')
    this.emit({ type: 'block:upsert', conversationId, block: omitUndefined(withPlainOutput(block)) })
  }

  /**
   * Ends the input. Nothing runs after it: an agent whose end no message has reported is cut, and so is main's turn,
   * unless the model has answered. The ending follows main's turn alone. In an input that may wait, conversations
   * that wait for a person stay as they are, and then the ending is open.
   */
  endInput(options: EndOptions = {}): InputEnd {
    requireArgument(isEndOptions(options), 'endInput', 'an object with `mayWait` and `unplaced`, or nothing')
    const { mayWait = false, unplaced = [] } = options
    const waiting = mayWait ? this.#waitingConversations() : NO_CONVERSATIONS
    const unfinished = this.state.runningAgents().filter((toolUseId) => !waiting.has(toolUseId))
    for (const toolUseId of unfinished)
      this.emit({ type: 'subagent:completed', toolUseId, status: 'error', cut: true })
    if (this.notes.values.answer) this.turn.endAnswered()
    else if (this.state.turn.status === 'running' && !waiting.has(MAIN))
      this.emit({ type: 'session:idle', outcome: 'interrupted', cut: true })
    const issues = [
      ...unplaced.map((id) => agentIssue('unplaced-message', id)),
      ...unfinished.map((id) => agentIssue('unfinished-subagent', id)),
    ]
    return { ending: waiting.size > 0 ? 'open' : endingOf(this.state.turn), issues }
  }

  /** Returns the conversations with an open request, and their parents. */
  #waitingConversations(): ReadonlySet<string> {
    const waiting = new Set<string>()
    for (const id of [MAIN, ...this.state.agents().map(({ toolUseId }) => toolUseId)]) {
      if (!this.state.pendingBlocks(id).some(({ type }) => type === 'request')) continue
      for (let each: string | undefined = id; each !== undefined && !waiting.has(each); ) {
        waiting.add(each)
        each = this.state.findAgent(each)?.parentConversationId
      }
    }
    return waiting
  }

  /** Finalizes the pending blocks of a conversation. If it is main, its turn goes on. */
  finalizePending(conversationId: string): void {
    requireId('finalizePending', conversationId)
    const { status, startedAt } = this.state.turn
    this.emit({ type: 'session:idle', conversationId })
    if (conversationId === MAIN && status === 'running')
      this.emit({ type: 'session:running', timestamp: startedAt })
  }

  /** Reports a message, or a part of one, that the source does not know. */
  reportUnknown(code: SourceIssueCode, messageType: string): void {
    requireArgument(
      typeof code === 'string' && typeof messageType === 'string',
      'reportUnknown',
      'a code and a type',
    )
    this.#report({ code, count: 1, messageType })
  }

  /** Sets facts of the session, and reports those that changed. An undefined one stays as it is. */
  updateFacts(facts: AllowUndefined<SessionFacts>): void {
    requireFacts('updateFacts', facts)
    const changed = changedFacts<SessionFacts>(this.state.facts, omitUndefined(facts))
    if (changed) this.emit({ type: 'session:updated', facts: changed })
  }

  /** Sets facts of the session that are not known yet. Known facts stay. */
  addMissingFacts(fields: AllowUndefined<SessionFacts>): void {
    requireFacts('addMissingFacts', fields)
    const facts: SessionFacts = omitUndefined(fields)
    if (addsFields(this.state.facts, facts)) this.updateFacts(withChanges(facts, this.state.facts))
  }

  /** Names the program or protocol of a session with events. A reader that joins late has missed the message that names it. */
  nameSession(facts: Pick<SessionFacts, 'program' | 'protocol'>): void {
    requireFacts('nameSession', facts)
    if (this.#events.length > 0) this.addMissingFacts(facts)
  }

  /** Ends the batch. Returns the session, which nothing changes any more, with all events and issues. */
  finish(): TranslatedBatch<Values> {
    const session = { state: this.#draft.finish(), notes: this.notes.close() }
    return { session, events: this.#events, issues: this.#issues }
  }
}

/** The parts of a context that a rule reads and remembers with. A rule with them alone emits nothing. */
export type Memory<Context extends { readonly state: SessionLookups; readonly notes: unknown }> = Pick<
  Context,
  'state' | 'notes'
>

/** The parts of a context that show what a session has. A rule with them alone keeps no notes of its own. */
export type SessionOutput = Pick<
  TranslationContext<CommonNotes>,
  | 'state'
  | 'turn'
  | 'emit'
  | 'upsert'
  | 'updateFacts'
  | 'addMissingFacts'
  | 'nameSession'
  | 'finalizePending'
  | 'continueConversation'
  | 'reportUnknown'
>

const EMITTABLE = 'an event, which is an object with a `type`, and a `block` if that is block:upsert'
const isEndOptions = /* @__PURE__ */ onlyFields({
  mayWait: (value) => typeof value === 'boolean',
  unplaced: (value) => Array.isArray(value) && value.every(isString),
})

/** Whether the value is so much of an event that the rules can read it. `checkSource` looks at the rest. */
function isEmittable(value: AllowUndefined<SessionEvent>): boolean {
  return isObject(value) && isString(value.type) && (value.type !== 'block:upsert' || isObject(value.block))
}

function requireId(call: string, conversationId: string): void {
  requireArgument(typeof conversationId === 'string', call, 'the id of a conversation')
}

function requireFacts(call: string, facts: AllowUndefined<SessionFacts>): void {
  requireArgument(isObject(facts), call, 'an object of facts')
}

/** Most outputs are plain already. */
function withPlainOutput(block: AllowUndefined<IncomingBlock>): AllowUndefined<IncomingBlock> {
  if (block.type !== 'tool_result') return block
  const output = plainOutput(block.output)
  return output === block.output ? block : withChanges(block, { output })
}

const NO_CONVERSATIONS: ReadonlySet<string> = new Set()

/** A session that a batch of messages goes on with. */
export interface OpenSession<Values> {
  readonly state: SessionConversationState
  readonly notes: Values
}

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

/** The agent of a broken line in an input with the lines of all agents. */
export const ANY_AGENT = ''

/** The work of an agent after its prompt. */
const WORK: ReadonlySet<BlockType> = new Set(['assistant_text', 'thinking', 'tool_use', 'subagent'])

type Lookups = Pick<SessionLookups, 'findAgent' | 'blocksOf'>

/**
 * Returns the prompt of an agent that begins to work without one, if the line of the prompt may be broken: its call
 * states the prompt too. Undefined before any other event.
 */
function lostPrompt(
  event: SessionEvent,
  session: Lookups,
  { brokenStarts }: CommonNotes,
): SessionEvent | undefined {
  const { toolUseId, agentId = '', prompt } = session.findAgent(workerOf(event)) ?? {}
  if (toolUseId === undefined || !prompt) return undefined
  if (!brokenStarts?.get(agentId) && !brokenStarts?.get(ANY_AGENT)) return undefined
  if (session.blocksOf(toolUseId).some((block) => isPrompt(block) || WORK.has(block.type))) return undefined
  const id = `${toolUseId}:prompt`
  const block = { type: 'user_message', id, status: 'complete', content: prompt } as const
  return { type: 'block:upsert', conversationId: toolUseId, block }
}

/** Returns the agent that works, or main, which is no agent. */
function workerOf(event: SessionEvent): string {
  const isWork =
    event.type === 'subagent:spawned' || (event.type === 'block:upsert' && WORK.has(event.block.type))
  return (isWork && event.conversationId) || MAIN
}
