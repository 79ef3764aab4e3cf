import { omitUndefined } from '../../core/json/fields.ts'
import { greatest } from '../../core/json/lists.ts'
import { asString, isObject, isString, type JsonObject } from '../../core/json/values.ts'
import { type ConversationBlock, isModelText, isPrompt, toolResultBlockId } from '../../core/state/block.ts'
import { type ConversationThread, MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { codex } from '../../programs/codex/program.ts'
import { type InputEnd, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import type { Source } from '../../reading/source.ts'
import { unwrapLogLine } from '../kit/lines.ts'
import { requestIdOf } from '../kit/requests.ts'
import { NO_PLACE } from '../kit/resumed-text.ts'
import { nameByRole, spawnUnlinkedAgents } from './agents/run.ts'
import { awaitReport, noteBrokenLine } from './blocks/history.ts'
import { showBuffered } from './blocks/turn.ts'
import { tokensOf } from './blocks/usage.ts'
import { CodexContext, type CodexMemory, UNNAMED } from './context.ts'
import { readAppServerMessage } from './events/app-server.ts'
import type { CodexEvent } from './events/event.ts'
import { readExecLine } from './events/exec.ts'
import { readRolloutLine } from './events/rollout.ts'
import { codexRules } from './format.ts'
import { numberIn } from './items/unnamed-item.ts'
import { NOTES } from './notes.ts'
import { isChildTurn } from './threads.ts'
import { translateEvent } from './translate.ts'

// A message takes these steps:
// - `files/` splits a text into messages
// - `events/` and `items/` read a message of any form as the same events and items
// - `translate.ts` and `threads.ts` find the thread of an event
// - `blocks/`, `requests/` and `agents/` translate the event into session events

/**
 * Reads three forms of a Codex session:
 * - the lines of a rollout, the file of a thread. The file of an agent needs the thread's id in each line:
 *   `codexTranscript` adds it.
 * - the lines of `codex exec --json`
 * - the messages of `codex app-server`, alone or in a log of both directions: `{ dir, msg }`
 */
export const codexSource: Source = /* @__PURE__ */ defineSource({
  transcripts: codexRules,
  notes: NOTES,
  begin: (session) => new CodexContext(session),
  translate,
  onBrokenLine: (agentId, context) => noteBrokenLine(agentId ?? MAIN, context),
  end,
  open,
})

function translate(message: unknown, context: CodexContext): void {
  const read = context.read(message)
  const events = isObject(read) ? readEvents(read, processOf(read, context)) : undefined
  if (!events) context.reportUnknown('unknown-message', isObject(read) ? nameOf(read) : 'no object')
  else if (events.length > 0) context.addMissingFacts({ program: codex.names[0] })
  if (isObject(read) && isAppServerForm(read) && bufferEarly(read, events ?? [], context)) return
  for (const event of events ?? []) translateEvent(event, context)
  if (isObject(read) && isObject(read.payload)) noteUnknownLine(read, events, context)
  if (isObject(read)) readEarly(read, context)
}

/** Remembers that a line of a rollout has an unknown type. As a broken one, it may repeat the entry beside it. */
function noteUnknownLine(
  { thread_id }: JsonObject,
  events: readonly CodexEvent[] | undefined,
  memory: CodexMemory,
): void {
  if (events?.some(({ type }) => type !== 'unknown') || events?.length === 0) return
  noteBrokenLine(asString(thread_id) ?? memory.notes.values.currentThread ?? MAIN, memory)
}

/** Returns the number of the process of `codex exec` that a line is of. An item shows that the process whose turn runs is a further one. */
function processOf({ item }: JsonObject, memory: CodexMemory): number {
  if (memory.notes.values.isBetweenProcesses && item && memory.state.turn.openBlocks === undefined)
    memory.beginProcess()
  return memory.notes.values.processes ?? 0
}

/** Reads a message of any form; undefined if no form knows it. `process` tells the items of several `codex exec` apart. */
function readEvents(message: JsonObject, process: number): readonly CodexEvent[] | undefined {
  if (isAppServerForm(message)) return readAppServerMessage(message)
  return isObject(message.payload) ? readRolloutLine(message) : readExecLine(message, process)
}

function isAppServerForm({ payload, type }: JsonObject): boolean {
  return !isObject(payload) && !isString(type)
}

function nameOf(message: JsonObject): string {
  const { type, method } = unwrapLogLine(message)
  return typeName(type ?? method)
}

function end(context: CodexContext): InputEnd {
  const { bufferedEntries, bufferedReports, bufferedCompactions, proposedPlans } = context.notes.values
  const waiting = [bufferedEntries, bufferedReports, bufferedCompactions, proposedPlans]
  for (const key of new Set(waiting.flatMap((each) => [...each.entries()].map(([name]) => name)))) {
    const threadId = key === MAIN ? (context.state.facts.id ?? UNNAMED) : key
    const entry = bufferedEntries.get(key)
    showBuffered(threadId, context)
    if (entry) awaitReport(threadId, entry, context)
  }
  reportEarly(context)
  for (const [callId] of context.notes.values.roles.entries()) nameByRole(callId, context)
  return context.endInput({ unplaced: spawnUnlinkedAgents(context) })
}

// The app-server may send messages of a thread before the message that shows what the thread is. It may be main that goes on as
// a fork, an agent, or another session. Such messages wait.

/** Buffers the message if it belongs to such a thread, and returns whether it does. */
function bufferEarly(message: JsonObject, [event]: readonly CodexEvent[], memory: CodexMemory): boolean {
  if (!event || !isEarly(event, memory)) return false
  memory.notes.buffer('earlyMessages', event.threadId ?? '', unwrapLogLine(message))
  return true
}

function isEarly(event: CodexEvent, memory: CodexMemory): boolean {
  const { threadId } = event
  if (threadId === undefined || memory.state.facts.id === undefined || event.type === 'thread') return false
  if (event.type === 'unknown' || memory.isKnownThread(threadId) || isChildTurn(event)) return false
  if (memory.notes.values.earlyMessages.get(threadId) || isRootTurn(event)) return true
  // Neither shows work.
  if (event.type === 'usage' || event.type === 'turn-ended') return true
  // While a turn or an agent runs, the thread is that of a further agent. Agents of earlier versions do not name the
  // turn that they work for.
  if (!isWorking(memory.state)) return true
  // The state does not have threads of other sessions, and no session's thread begins with an item.
  return memory.notes.values.isOpened === true && event.type !== 'turn-started'
}

/** A turn of a root thread works for no other turn. */
function isRootTurn(event: CodexEvent): boolean {
  return event.type === 'turn-started' && event.rootTurnId !== undefined && !isChildTurn(event)
}

function isWorking(state: SessionLookups): boolean {
  const { status, openBlocks } = state.turn
  return status === 'running' || openBlocks !== undefined || state.firstOpenAgent() !== undefined
}

/** Reads the early messages of the threads that the message has shown. A message shows only threads that it names. */
function readEarly(message: JsonObject, context: CodexContext): void {
  const { earlyMessages } = context.notes.values
  if (earlyMessages.isEmpty) return
  const named = textsIn(message)
  for (const id of named) {
    if (!context.notes.values.earlyMessages.get(id) || !context.isKnownThread(id)) continue
    for (const early of context.notes.takeBuffered('earlyMessages', id)) {
      for (const event of readAppServerMessage(early) ?? []) translateEvent(event, context)
      for (const text of textsIn(early)) named.push(text)
    }
  }
}

/** Returns the texts in a message. */
function textsIn(message: JsonObject): string[] {
  const parts = new Set<unknown>([message])
  for (const part of parts)
    if (typeof part === 'object') for (const each of Object.values(part ?? {})) parts.add(each)
  return [...parts].filter(isString)
}

/** Reports the messages of threads that no message has shown. They belong to other sessions. */
function reportEarly(context: CodexContext): void {
  for (const [id] of context.notes.values.earlyMessages.entries())
    for (const message of context.notes.takeBuffered('earlyMessages', id))
      for (const { type } of readAppServerMessage(message) ?? []) context.reportUnknown('other-session', type)
}

/**
 * Makes the notes that are needed to go on from a state. The state does not have the ids of turns, so their times
 * show which turns are over.
 */
function open(state: SessionConversationState, memory: CodexMemory): void {
  const { session, turn, blocks, subagents } = state
  const isRunning = turn.status === 'running'
  memory.notes.remember({ endedUntil: turn.endedAt, isOpened: session.id === undefined ? undefined : true })
  countProcesses(state, memory.notes)
  openRounds(state, memory.notes)
  const abandoned = (state.branches ?? []).flatMap((branch) => branch.blocks)
  openThread({ threadId: session.id ?? UNNAMED, thread: state, isRunning, abandoned }, memory)
  for (const { id } of abandoned)
    for (const blockId of [id, toolResultBlockId(id)])
      memory.notes.setEntry('removedItems', memory.itemKey(UNNAMED, blockId), true)
  // The lines of `codex exec` have no times.
  if (isRunning && blocks.filter(isOfReview).length % 2 === 1) memory.notes.remember({ isInReview: true })
  if (isRunning) noteUntil(MAIN, lastTimeOf(blocks, turn.startedAt) ?? '', memory.notes)
  for (const { toolUseId, agentId = toolUseId, status, ...thread } of subagents) {
    openThread({ threadId: agentId, thread, isRunning: !isFinal(status) }, memory)
    noteUntil(agentId, lastTimeOf(thread.blocks), memory.notes)
  }
}

/** Whether the block is one of the two notes of a review. */
function isOfReview(block: ConversationBlock): boolean {
  return block.type === 'system' && block.subtype === 'review'
}

/**
 * Notes the number of processes of `codex exec`, from the ids of blocks. Each process has one turn, whose tokens come
 * with its end. So a further process has the turn that runs after the tokens of the last process's text.
 */
function countProcesses(state: SessionConversationState, notes: CodexContext['notes']): void {
  const { blocks, session, turn } = state
  const known = greatest(blocks.map(processOfBlock))
  const isExec = (known > 0 || blocks.every(({ type }) => type === 'system')) && session.id !== undefined
  const isOver = turn.status !== 'idle' && turn.status !== 'running'
  const text = blocks.findLast(isModelText)
  const hasTokens = text && processOfBlock(text) === known && replyOf(state) === undefined
  const processes = isExec ? Math.max(1, hasTokens && !isOver ? known + 1 : known) : known
  if (processes > 0) notes.remember({ processes })
  // A process may warn before its turn.
  const hasBegun =
    known > 1 && blocks.every((block) => processOfBlock(block) < known || block.type === 'system')
  // After an error, the next line is the end of its turn, or of the turn of a process that has begun.
  const isBetween = isOver || blocks.at(-1)?.type === 'error'
  if (isExec && isBetween && !hasBegun) notes.remember({ isBetweenProcesses: true })
}

/** Returns the number of the process of `codex exec` that a block comes from, and 0 for one from another form. */
function processOfBlock(block: ConversationBlock): number {
  const id = block.type === 'subagent' ? block.toolUseId : block.id
  return Number(/^exec:(\d{1,9}):/.exec(id)?.[1] ?? 0)
}

/**
 * Notes a turn for each prompt, and the running turn if its prompt is still to come. The state does not show which
 * prompts steered a turn.
 */
function openRounds({ blocks, turn }: SessionConversationState, notes: CodexContext['notes']): void {
  const prompted = blocks.flatMap((block, at) =>
    isPrompt(block) ? [omitUndefined({ after: blocks[at - 1]?.id, hasPrompt: true })] : [],
  )
  const { status, startedAt } = turn
  const last = blocks.at(-1)
  const isEmpty = status === 'running' && last && (last.timestamp ?? '') < (startedAt ?? '')
  const rounds = isEmpty ? [...prompted, { after: last.id }] : prompted
  if (rounds.length > 0) notes.remember({ rounds })
}

interface OpenThread {
  readonly threadId: string
  readonly thread: ConversationThread
  readonly isRunning: boolean
  /** The blocks that the person took back. They keep the numbers in their ids. */
  readonly abandoned?: readonly ConversationBlock[]
}

function openThread({ threadId, thread, isRunning, abandoned = [] }: OpenThread, memory: CodexMemory): void {
  const { blocks, usage } = thread
  const key = memory.threadKey(threadId)
  const unnamed = greatest([...blocks, ...abandoned].map(({ id }) => numberIn(id) + 1))
  const total = usage.reduce((sum, entry) => sum + tokensOf(entry), 0)
  const reply = isRunning ? replyOf(thread) : undefined
  if (unnamed > 0) memory.notes.setEntry('unnamed', key, unnamed)
  if (total > 0) memory.notes.setEntry('totals', threadId, total)
  if (reply !== undefined) memory.notes.setEntry('replies', key, reply)
  for (const block of blocks) {
    if (isModelText(block) && block.status === 'pending')
      memory.notes.setEntry('resumedTexts', memory.notes.keyOf(key, block.id), NO_PLACE)
    if (block.type === 'request') openRequest(threadId, block, memory.notes)
  }
}

/** The ids of requests begin again with each connection, so the last one counts. */
function openRequest(
  threadId: string,
  { id: blockId, answer }: Extract<ConversationBlock, { readonly type: 'request' }>,
  notes: CodexContext['notes'],
): void {
  notes.setEntry('requests', requestIdOf(blockId), answer === undefined ? { threadId, blockId } : undefined)
}

/** Returns the last whole text, if it has no tokens. They may still come. */
function replyOf({ blocks, usage }: ConversationThread): string | undefined {
  const last = blocks.findLast((block) => isModelText(block) && block.status !== 'pending')
  return last === undefined || usage.some(({ messageId }) => messageId === last.id) ? undefined : last.id
}

function noteUntil(key: string, time: string | undefined, notes: CodexContext['notes']): void {
  if (time !== undefined) notes.setEntry('knownUntil', key, time)
}

/** Returns the last of the blocks' times and the given one. */
function lastTimeOf(blocks: readonly ConversationBlock[], time?: string): string | undefined {
  let last = time
  for (const { timestamp } of blocks)
    if (timestamp !== undefined && (last === undefined || timestamp > last)) last = timestamp
  return last
}
