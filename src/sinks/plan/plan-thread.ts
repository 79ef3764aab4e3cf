import { isEqual } from '../../core/json/equal.ts'
import { asObject, asString, assertNever } from '../../core/json/values.ts'
import { type ConversationBlock, isCall, messageIdOf } from '../../core/state/block.ts'
import type { UserContentPart } from '../../core/state/content.ts'
import { type ConversationThread, MAIN, type SessionConversationState } from '../../core/state/session.ts'
import type { Todo } from '../../core/state/todo.ts'
import { readPlanCall, todosFor, writePlanCall } from '../../programs/shared-tools.ts'
import { Clock, firstTime, type PlanContext, type PlanTarget, type ThreadStart } from './context.ts'
import type { LossCounter, LossKind } from './losses.ts'
import {
  type CallItem,
  type IdMaker,
  idMaker,
  type PlanEntry,
  type SessionPlan,
  type StepItem,
  showsPrompt,
  type ThreadPlan,
} from './plan.ts'
import { planAgentCall, planCall, type Results, resultsIn } from './plan-call.ts'
import { attachmentText, resultParts, resultText, withKeptBehind } from './result-parts.ts'

/** Plans a conversation. Each result follows the response with its call, as providers require. */
function planThread(thread: ConversationThread, start: ThreadStart, context: PlanContext): ThreadPlan {
  const draft = new ThreadDraft(thread, start, context)
  for (const block of withKeptBehind(thread.blocks)) draft.add(block)
  return draft.end(thread.todos)
}

/** A response of the model that is being planned. */
interface StepDraft {
  readonly id: string
  readonly time: string
  readonly items: StepItem[]
  readonly messageId: string | undefined
  hasResult: boolean
}

class ThreadDraft {
  readonly #entries: PlanEntry[] = []
  readonly #context: PlanContext
  readonly #place: string
  readonly #depth: number
  readonly #clock: Clock
  readonly #start: string
  readonly #results: Results
  readonly #hasSummary: boolean
  readonly #calls = new Set<string>()
  readonly #personCalls = new Set<string>()
  /** The next summary stands for everything before it. */
  #isCompacted = false
  #step: StepDraft | undefined

  constructor(
    thread: ConversationThread,
    { place, depth, start, prompt }: ThreadStart,
    context: PlanContext,
  ) {
    this.#context = context
    this.#place = place
    this.#depth = depth
    this.#start = start
    this.#clock = new Clock(start)
    this.#results = resultsIn(thread)
    this.#hasSummary = thread.blocks.some(
      (block) => block.type === 'user_message' && block.origin === 'summary',
    )
    if (prompt !== undefined && !showsPrompt(thread.blocks, prompt))
      this.#addPrompt('prompt', undefined, prompt)
  }

  add(block: ConversationBlock): void {
    switch (block.type) {
      case 'user_message':
        return this.#addUserMessage(block)
      case 'assistant_text':
        if (block.status === 'error') return this.#lose('dropped-text')
        return block.content === '' ? undefined : this.#addText(block, 'text')
      case 'thinking':
        if (block.status === 'error') return this.#lose('dropped-text')
        return this.#context.destination.keepsThinking && block.content !== ''
          ? this.#addText(block, 'thinking')
          : this.#lose('thinking')
      case 'tool_use':
        return block.requestedBy === 'person' ? this.#addPersonCall(block) : this.#addCall(block)
      case 'subagent':
        return this.#addCall(block)
      case 'tool_result':
        return this.#addResult(block.toolUseId)
      case 'system':
        if (block.subtype === 'compaction') this.#isCompacted = true
        return block.subtype === 'compaction' && this.#hasSummary ? undefined : this.#lose('system-note')
      case 'error':
        return this.#lose('turn-failure')
      case 'request':
        return this.#lose('request')
      case 'skill_load':
        return this.#lose('program-note')
      default:
        assertNever(block)
    }
  }

  end(todos: readonly Todo[] | undefined): ThreadPlan {
    this.#endStep()
    if (todos !== undefined) this.#keepPlan(todos)
    return {
      place: this.#place,
      entries: this.#entries,
      startedAt: this.#start,
      endedAt: this.#clock.at(undefined),
    }
  }

  #lose(kind: LossKind): void {
    this.#context.losses.add(kind, this.#place)
  }

  #id(name: string): string {
    return this.#context.ids.hex(24, this.#place, name)
  }

  #addUserMessage(block: Extract<ConversationBlock, { readonly type: 'user_message' }>): void {
    if (block.origin === undefined) return this.#addPrompt(block.id, block.timestamp, block.content)
    if (block.origin !== 'summary') return this.#lose('program-note')
    this.#endStep()
    // A program may sum up a branch that was left: the model reads that behind its history, and not in place of it. A
    // conversation may begin with a summary.
    const standsForAll = this.#isCompacted || this.#entries.length === 0
    if (!standsForAll) return this.#addPrompt(block.id, block.timestamp, block.content)
    this.#isCompacted = false
    const text = partsOf(block.content).map((part) =>
      part.type === 'text' ? part.text : attachmentText(part, this.#place, this.#context.losses),
    )
    const time = this.#clock.at(block.timestamp)
    this.#entries.push({ kind: 'summary', id: this.#id(block.id), time, text: text.join('\n') })
  }

  #addPrompt(id: string, timestamp: string | undefined, content: string | readonly UserContentPart[]): void {
    this.#endStep()
    const parts = partsOf(content).filter((part) => part.type !== 'text' || part.text !== '')
    // Providers refuse a message without content.
    if (parts.length === 0) return
    const time = this.#clock.at(timestamp)
    this.#entries.push({ kind: 'prompt', id: this.#id(id), time, parts })
  }

  #addText(
    block: Extract<ConversationBlock, { readonly type: 'assistant_text' | 'thinking' }>,
    kind: 'text' | 'thinking',
  ): void {
    const { items } = this.#stepOf(block)
    // A program that stores one text in each message writes the results of earlier calls before this text.
    if (block.timestamp === undefined) this.#passResults(items)
    items.push({ kind, id: this.#id(block.id), time: this.#clock.at(block.timestamp), text: block.content })
  }

  #addCall(block: Extract<ConversationBlock, { readonly type: 'tool_use' | 'subagent' }>): void {
    const { items } = this.#stepOf(block)
    const time = this.#clock.at(block.timestamp)
    const place = { place: this.#place, depth: this.#depth, id: this.#id(block.toolUseId), time }
    this.#calls.add(block.toolUseId)
    items.push(
      block.type === 'subagent'
        ? planAgentCall(block, place, this.#context)
        : planCall(block, { ...place, result: this.#results.get(block.toolUseId) }, this.#context),
    )
  }

  /** A command of the person is a message of the person: a model that has not asked for it would take it for its own. */
  #addPersonCall({
    toolUseId,
    timestamp,
    input,
  }: Extract<ConversationBlock, { readonly type: 'tool_use' }>): void {
    this.#personCalls.add(toolUseId)
    const { output, isError } = this.#results.get(toolUseId) ?? {}
    const lines = [
      `I ran a command${isError ? ', and it failed' : ''}:`,
      asString(asObject(input).command) ?? JSON.stringify(input),
      ...(output === undefined ? [] : ['Its output:', resultText({ parts: resultParts(output) })]),
    ]
    this.#addPrompt(toolUseId, timestamp, lines.join('\n'))
  }

  /** The result itself is in the call already. */
  #addResult(toolUseId: string): void {
    if (this.#personCalls.has(toolUseId)) return
    if (!this.#calls.has(toolUseId)) return this.#lose('result-without-call')
    if (this.#step) this.#step.hasResult = true
  }

  /** Returns the response that the block belongs to. A text after a result is another response, whatever its message. */
  #stepOf(block: ConversationBlock): StepDraft {
    const messageId = messageIdOf(block)
    const step = this.#step
    if (step && (!step.hasResult || isCall(block)) && isSameMessage(step, messageId)) return step
    this.#endStep()
    const time = this.#clock.at(block.timestamp)
    const next = { id: this.#id(`step ${block.id}`), time, items: [], messageId, hasResult: false }
    this.#step = next
    return next
  }

  #endStep(): void {
    const step = this.#step
    if (step) {
      const { id, time, items, messageId } = step
      this.#entries.push({ kind: 'step', id, time, items, ...(messageId !== undefined && { messageId }) })
      this.#passResults(items)
    }
    this.#step = undefined
  }

  #passResults(items: readonly StepItem[]): void {
    for (const item of items) if (item.kind === 'call') this.#clock.at(item.result.time)
  }

  /** The program reads its plan from a call. The source may have another way to write one. */
  #keepPlan(todos: readonly Todo[]): void {
    const { losses, destination } = this.#context
    const kept = todosFor(destination.program, todos)
    losses.add('plan', this.#place, todos.length - kept.length)
    const call =
      kept.length === 0 || isEqual(this.#lastPlan(), plain(kept))
        ? undefined
        : writePlanCall(destination.program, kept)
    if (!call) return
    const [id, time] = [this.#id('plan'), this.#clock.at(undefined)]
    const result = {
      time,
      parts: [{ type: 'text', text: 'The plan is up to date.' }],
      isError: false,
    } as const
    const item: CallItem = { kind: 'call', id, time, ...call, result }
    this.#entries.push({ kind: 'step', id: this.#id('step plan'), time, items: [item] })
  }

  #lastPlan(): readonly Todo[] | undefined {
    const { program } = this.#context.destination
    const items = this.#entries.flatMap((entry) => (entry.kind === 'step' ? entry.items : []))
    const plans = items.flatMap((item) => (item.kind === 'call' ? [readPlanCall(program, item)] : []))
    return plans.findLast((plan) => plan !== undefined)
  }
}

function plain(todos: readonly Todo[]): readonly Todo[] {
  return todos.map(({ text, status }) => ({ text, status }))
}

/** If a source has no ids of messages, only a result divides the responses. */
function isSameMessage({ messageId, hasResult }: StepDraft, other: string | undefined): boolean {
  return messageId === other && !(other === undefined && hasResult)
}

function partsOf(content: string | readonly UserContentPart[]): readonly UserContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

interface PlanInput {
  readonly destination: PlanTarget
  readonly cwd: string
  readonly losses: LossCounter
  readonly model: string | undefined
  /** Makes the ids. By default, they are new ones. */
  readonly ids?: IdMaker
}

/** Plans a session for a program. Nothing in the plan depends on the clock. */
export function planSession(
  state: SessionConversationState,
  { destination, cwd, losses, model = state.session.model ?? 'unknown', ...input }: PlanInput,
): { readonly plan: SessionPlan; readonly ids: IdMaker } {
  const ids = input.ids ?? idMaker(JSON.stringify(sessionKey(state, destination, cwd)))
  const agents = new Map(state.subagents.map((agent) => [agent.toolUseId, agent]))
  const context: PlanContext = {
    ...{ destination, ids, losses, source: state.session.program, agents },
    planThread: (each, start) => planThread(each, start, context),
  }
  const thread = context.planThread(state, { place: MAIN, depth: 0, start: firstTime(state) })
  losses.add('abandoned-branch', MAIN, (state.branches ?? []).flatMap(({ blocks }) => blocks).length)
  losses.add('usage', MAIN, state.usage.length)
  for (const { toolUseId, blocks } of agents.values())
    losses.add('subagent-conversation', toolUseId, blocks.length)
  return { plan: { id: ids.uuid('session'), cwd, model, thread }, ids }
}

/** A session that has grown since it was written gets another id, so that the new one replaces nothing. */
function sessionKey(
  { session, blocks }: SessionConversationState,
  { program }: PlanTarget,
  cwd: string,
): readonly unknown[] {
  const { program: source, id } = session
  return [program, cwd, source, id, blocks.length, blocks[0]?.id, blocks.at(-1)?.id]
}
