import { assertNever } from '../../core/json/values.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { execErrorId, WEB_SEARCH } from '../../programs/codex/tool-names.ts'
import { errorBlock, noteBlock } from '../kit/blocks.ts'
import { readActivity, readAgentMessage, showAgentCall } from './agents/agent-call.ts'
import { appendOutput, noteProcess } from './blocks/command.ts'
import { bufferCompaction, showCompaction } from './blocks/compaction.ts'
import { noteReports, readEntry, readReport, settleEntry } from './blocks/history.ts'
import { appendText, completeText, retractOpenTexts, showPrompt, startText } from './blocks/message.ts'
import { notePlan, replacePlan } from './blocks/proposed-plan.ts'
import { noteRewind, readReverted, readRewindResponse, rewind } from './blocks/rewind.ts'
import { reportPlan, showStoredCall, showStoredOutput } from './blocks/stored-call.ts'
import { completeTool, startTool } from './blocks/tool.ts'
import { endProcess, endTurn, isOfEndedTurn, showBuffered, startTurn } from './blocks/turn.ts'
import { readModel, reportUsage } from './blocks/usage.ts'
import type { CodexContext, CodexMemory } from './context.ts'
import type { CodexEvent, CodexEventOf } from './events/event.ts'
import { type Item, type TextItem, textParts } from './items/item.ts'
import { withKnownId } from './items/unnamed-item.ts'
import type { Report, Reports } from './notes.ts'
import { answerRequest, showRequest } from './requests/translate-request.ts'
import { isCopy, readThread, threadOf } from './threads.ts'

/** Translates an event. */
export function translateEvent(event: CodexEvent, context: CodexContext): void {
  switch (event.type) {
    case 'thread':
      if (event.form === 'exec') endProcess(context)
      return readThread(event, context)
    case 'unknown':
      return context.reportUnknown(event.code, event.name)
    case 'answer':
      return answerRequest(event, context)
    case 'rewind-request':
      return noteRewind(event, context)
    case 'response':
      return readRewindResponse(event, context)
    default:
      return translateInThread(event, context)
  }
}

type ThreadEvent = Exclude<
  CodexEvent,
  CodexEventOf<'thread' | 'unknown' | 'answer' | 'rewind-request' | 'response'>
>

function translateInThread(named: ThreadEvent, context: CodexContext): void {
  const threadId = threadOf(named, context)
  const isItem = named.type === 'item' || named.type === 'delta'
  const event = isItem ? withKnownId(threadId, named, context) : named
  if (context.notes.values.temporaryThreads.get(threadId)) return
  if (context.notes.values.otherSessions.get(threadId) !== undefined)
    return skipOtherSession(threadId, event, context)
  if (isCopy(threadId, event, context.notes) || isOverdue(event, threadId, context)) return
  if (isOfReviewer(threadId, event, context)) {
    if (event.type === 'item')
      context.notes.setEntry('removedItems', context.itemKey(threadId, event.item.id), true)
    return context.reportUnknown('unplaced-message', 'review')
  }
  const reports = reportsOf(threadId, event, context)
  if (reports) noteReports(threadId, reports, context)
  if (!WAITING.has(event.type)) settleEntry(threadId, reportOf(event), context)
  translateOwn(threadId, event, context)
  context.notes.removeEntry('brokenLines', context.threadKey(threadId))
}

/** An entry waits on: tokens say nothing about it, and a compaction drops the reply that it has as its summary. */
const WAITING: ReadonlySet<ThreadEvent['type']> = new Set(['usage', 'compacted'])

/** Returns the message that the event reports, if it reports one. */
function reportOf(event: ThreadEvent): Report | undefined {
  if (event.type === 'announced') return event
  if (event.type !== 'item' || event.origin !== undefined) return undefined
  const { item } = event
  if (item.kind === 'user') return { role: 'user', content: item.content }
  return item.kind === 'text' ? { role: 'assistant', content: textParts(item.text) } : undefined
}

function translateOwn(threadId: string, event: ThreadEvent, context: CodexContext): void {
  switch (event.type) {
    case 'turn-started':
      return startTurn(threadId, event, context)
    case 'turn-ended':
      return endTurn(threadId, event, context)
    case 'item':
      return translateItem(threadId, event, context)
    case 'delta':
      return event.kind === 'output'
        ? appendOutput(threadId, event, context)
        : appendText(threadId, event, context)
    case 'plan':
      return reportPlan(threadId, event.todos, context)
    case 'usage':
      return reportUsage(threadId, event, context)
    case 'request':
      return showRequest(threadId, event, context)
    default:
      return translateNote(threadId, event, context)
  }
}

/** Counts an event of another session. Its turns show which agents are the other session's. */
function skipOtherSession(threadId: string, event: ThreadEvent, context: CodexContext): void {
  if (event.type === 'turn-started') context.notes.setEntry('otherSessions', threadId, event.turnId ?? '')
  context.reportUnknown('other-session', event.type)
}

/** Whether the event begins or goes on with an item of a turn that is over. If the item has not ended, no later message has its end. */
function isOverdue(event: ThreadEvent, threadId: string, memory: CodexMemory): boolean {
  const isOpen = event.type === 'delta' || (event.type === 'item' && !event.isCompleted)
  if (!isOpen || !isOfEndedTurn(event, memory.notes.values)) return false
  return !memory.isKnownItem(threadId, event.type === 'delta' ? event.itemId : event.item.id)
}

/** Whether the event belongs to the agent that reviews. A stream gives its items main's thread, without its answer and its tokens. */
function isOfReviewer(threadId: string, event: ThreadEvent, memory: CodexMemory): boolean {
  if (!memory.isMain(threadId)) return false
  if (event.type === 'delta')
    return memory.notes.values.isInReview === true && !memory.isKnownItem(threadId, event.itemId)
  if (event.type !== 'item' || event.item.kind === 'note' || memory.isKnownItem(threadId, event.item.id))
    return false
  return memory.notes.values.isInReview === true || isOfEarlierReview(event, memory)
}

/** Whether the item is of the time of a review that is over. A file has the review already, and the stream comes again. */
function isOfEarlierReview({ isStreamed, sentAt }: CodexEventOf<'item'>, memory: CodexMemory): boolean {
  if (!isStreamed || sentAt === undefined) return false
  const reviews = memory.state.blocksIn(MAIN, subtypeOf, 'review')
  const begun = reviews.filter(({ timestamp }) => timestamp !== undefined && timestamp <= sentAt).length
  return begun % 2 === 1 && begun < reviews.length
}

const subtypeOf = (block: ConversationBlock): string | undefined =>
  block.type === 'system' ? block.subtype : undefined

/** Returns how the thread reports its messages, if the event shows it. */
function reportsOf(threadId: string, event: ThreadEvent, memory: CodexMemory): Reports | undefined {
  switch (event.type) {
    case 'announced':
      return 'events'
    case 'message':
      return event.role === 'user' && memory.notes.values.turns.get(memory.threadKey(threadId)) !== undefined
        ? undefined
        : 'history'
    case 'call':
    case 'output':
      return 'history'
    case 'item':
      if (event.origin === 'entry') return 'history'
      // Versions whose other messages have no items have one for a plan.
      return event.origin === undefined && isMessage(event.item) ? 'items' : undefined
    default:
      return undefined
  }
}

function isMessage(item: Item): boolean {
  return item.kind === 'user' || (item.kind === 'text' && item.isPlan !== true)
}

type NoteEvent = Exclude<
  ThreadEvent,
  CodexEventOf<'turn-started' | 'turn-ended' | 'item' | 'delta' | 'plan' | 'usage' | 'request'>
>

/** Translates the events that only one form has. */
function translateNote(threadId: string, event: NoteEvent, context: CodexContext): void {
  switch (event.type) {
    case 'settings':
      return readModel(threadId, event.model, context)
    case 'note':
      return showProgramNote(threadId, event, context)
    case 'retry':
      return showRetry(threadId, event, context)
    case 'error':
      return context.show(
        threadId,
        errorBlock({ id: execErrorId(context.notes.values.processes ?? 0), message: event.message }, 'error'),
      )
    case 'call':
      return showStoredCall(threadId, event, context)
    case 'output':
      return showStoredOutput(threadId, event, context)
    case 'message':
      notePlan(threadId, event, context)
      return readEntry(threadId, event, context)
    case 'announced':
      return readReport(threadId, event, context)
    case 'rewound':
      return readRewound(threadId, event, context)
    case 'process':
      noteProcess(threadId, event, context)
      return
    case 'compacted':
      return bufferCompaction(threadId, event, context)
    case 'agent-message':
      return readAgentMessage(threadId, event, context)
    default:
      return assertNever(event)
  }
}

function readRewound(
  threadId: string,
  { place, time }: CodexEventOf<'rewound'>,
  context: CodexContext,
): void {
  if (!place) return readReverted(threadId, time, context)
  if (!context.isMain(threadId)) return
  showBuffered(threadId, context)
  rewind(place, time, context)
}

function translateItem(threadId: string, event: CodexEventOf<'item'>, context: CodexContext): void {
  const { item, isCompleted, origin } = event
  switch (item.kind) {
    case 'user':
      return showPrompt(
        threadId,
        { id: item.id, content: item.content, time: item.startedAt, ordinal: event.ordinal },
        context,
      )
    case 'text':
      if (item.isPlan && isCompleted) replacePlan(threadId, item, context)
      return isCompleted ? completeText(threadId, item, context) : startText(threadId, item, context)
    case 'thinking':
      if (origin === 'entry') return showThinkingEntry(threadId, item, context)
      return isCompleted ? completeText(threadId, item, context) : startText(threadId, item, context)
    case 'tool':
      if (origin === 'event' && item.toolName === WEB_SEARCH) countSearch(threadId, context)
      return isCompleted && item.status !== 'in_progress'
        ? completeTool(threadId, item, context, event.isStreamed)
        : startTool(threadId, item, context)
    case 'agent-call':
      return showAgentCall(threadId, item, event, context)
    case 'activity':
      return readActivity(threadId, item, context)
    case 'compaction':
      return showCompaction(threadId, item, isCompleted, context)
    case 'note': {
      const { id, subtype, message, startedAt: timestamp, review } = item
      if (context.isMain(threadId) && review)
        context.notes.remember({ isInReview: review === 'entered' ? true : undefined })
      return context.show(threadId, noteBlock({ id, subtype, message, timestamp }))
    }
    default:
      return assertNever(item)
  }
}

function countSearch(threadId: string, memory: CodexMemory): void {
  const key = memory.threadKey(threadId)
  memory.notes.setEntry('searches', key, (memory.notes.values.searches.get(key) ?? 0) + 1)
}

/** Shows an entry of thinking, which may have no id. In a thread with items it repeats one of them, which may be in a broken line. */
function showThinkingEntry(threadId: string, item: TextItem, context: CodexContext): void {
  const key = context.threadKey(threadId)
  const isAlone = context.notes.values.brokenLines.get(key) !== undefined && item.id !== ''
  if (context.notes.values.reports.get(key) === 'items' && !isAlone) return
  if (item.id !== '') return completeText(threadId, item, context)
  if (context.hasBlockAt(threadId, item.startedAt, ({ type }) => type === 'thinking')) return
  completeText(threadId, { ...item, id: context.nextUnnamedId(threadId) }, context)
}

/** Shows a note of main. A note about an agent may come before the call that starts the agent, so it has no place. */
function showProgramNote(
  threadId: string,
  { subtype, message, time }: CodexEventOf<'note'>,
  context: CodexContext,
): void {
  if (!context.isMain(threadId)) return
  // Two notes may have the same time. Without times, a session has each note once.
  const id = `${threadId}:${subtype}:${time ?? ''}${message}`
  const facts = { id, message, timestamp: time }
  context.show(threadId, subtype === 'error' ? errorBlock(facts, subtype) : noteBlock({ ...facts, subtype }))
}

/** Shows that the program requests a reply again. The texts of the cut reply come again with other ids. */
function showRetry(
  threadId: string,
  { turnId, message, time }: CodexEventOf<'retry'>,
  context: CodexContext,
): void {
  const place = turnId || context.notes.values.turns.get(context.threadKey(threadId)) || threadId
  const id = `${place}:retry:${time ?? context.nextUnnamedId(threadId)}`
  if (context.blockOf(threadId, id)) return
  retractOpenTexts(threadId, context)
  context.show(threadId, noteBlock({ id, subtype: 'retry', message, timestamp: time }))
}
