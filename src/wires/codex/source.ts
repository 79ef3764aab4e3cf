import { asString, isObject, isString, type JsonObject } from '../../core/json/values.ts'
import { MAIN } from '../../core/state/session.ts'
import { codex } from '../../programs/codex/program.ts'
import { type InputEnd, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import type { Source } from '../../reading/source.ts'
import { unwrapLogLine } from '../kit/lines.ts'
import { nameByRole, spawnUnlinkedAgents } from './agents/run.ts'
import { awaitReport, noteBrokenLine } from './blocks/history.ts'
import { showBuffered } from './blocks/turn.ts'
import { CodexContext, UNNAMED } from './context.ts'
import { readAppServerMessage } from './events/app-server.ts'
import type { CodexEvent } from './events/event.ts'
import { readExecLine } from './events/exec.ts'
import { readRolloutLine } from './events/rollout.ts'
import { codexRules } from './format.ts'
import { NOTES } from './notes.ts'
import { open } from './open.ts'
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
  context: CodexContext,
): void {
  if (events?.some(({ type }) => type !== 'unknown') || events?.length === 0) return
  noteBrokenLine(asString(thread_id) ?? context.notes.values.currentThread ?? MAIN, context)
}

/** Returns the number of the process of `codex exec` that a line is of. An item shows that the process whose turn runs is a further one. */
function processOf({ item }: JsonObject, context: CodexContext): number {
  if (context.notes.values.isBetweenProcesses && item && context.state.turn.openBlocks === undefined)
    context.beginProcess()
  return context.notes.values.processes ?? 0
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

// The app-server may send messages of a thread before the message that shows what the thread is: main that goes on as
// a fork, an agent, or another session. Such messages wait.

/** Buffers the message if it belongs to such a thread, and returns whether it does. */
function bufferEarly(message: JsonObject, [event]: readonly CodexEvent[], context: CodexContext): boolean {
  if (!event || !isEarly(event, context)) return false
  context.notes.buffer('earlyMessages', event.threadId ?? '', unwrapLogLine(message))
  return true
}

function isEarly(event: CodexEvent, context: CodexContext): boolean {
  const { threadId } = event
  if (threadId === undefined || context.state.facts.id === undefined || event.type === 'thread') return false
  if (event.type === 'unknown' || context.isKnownThread(threadId) || isChildTurn(event)) return false
  if (context.notes.values.earlyMessages.get(threadId) || isRootTurn(event)) return true
  // Neither shows work.
  if (event.type === 'usage' || event.type === 'turn-ended') return true
  // While a turn or an agent runs, the thread is that of a further agent. Agents of earlier versions do not name the
  // turn that they work for.
  if (!isWorking(context.state)) return true
  // The state does not have threads of other sessions, and no session's thread begins with an item.
  return context.notes.values.isOpened === true && event.type !== 'turn-started'
}

/** A turn of a root thread works for no other turn. */
function isRootTurn(event: CodexEvent): boolean {
  return event.type === 'turn-started' && event.rootTurnId !== undefined && !isChildTurn(event)
}

function isWorking(state: SessionLookups): boolean {
  const { status, openBlocks } = state.turn
  return status === 'running' || openBlocks !== undefined || state.hasOpenAgents()
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
