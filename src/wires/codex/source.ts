import { isObject, isString, type JsonObject } from '../../core/json/values.ts'
import { MAIN } from '../../core/state/session.ts'
import { codex } from '../../programs/codex/program.ts'
import { type InputEnd, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { unwrapLogLine } from '../kit/log-line.ts'
import { spawnUnlinkedAgents } from './agents/spawn.ts'
import { awaitReport, noteBrokenLine } from './blocks/history.ts'
import { showBuffered } from './blocks/turn.ts'
import { CodexContext, UNNAMED } from './context.ts'
import { bufferEarly, readEarly, reportEarly } from './early-messages.ts'
import { readAppServerMessage } from './events/app-server.ts'
import type { CodexEvent } from './events/event.ts'
import { readExecLine } from './events/exec.ts'
import { readRolloutLine } from './events/rollout.ts'
import { NOTES } from './notes.ts'
import { open } from './open.ts'
import { translateEvent } from './translate.ts'

// A message takes these steps:
// - `files/` splits a text into messages
// - `events/` and `items/` read a message of any form as the same events and items
// - `translate.ts` and `threads.ts` find the thread of an event
// - `blocks/`, `requests/` and `agents/` translate the event into session events

/**
 * Reads three forms of a Codex session:
 * - the lines of a rollout, the file of a thread. The file of an agent needs the thread's id in each line: `codexTranscript` adds it.
 * - the lines of `codex exec --json`
 * - the messages of `codex app-server`, alone or in a log of both directions: `{ dir, msg }`
 */
export const codexSource: Source = /* @__PURE__ */ defineSource({
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
  if (isObject(read)) readEarly(read, context)
}

/** Returns the number of the process of `codex exec` that a line is of. An item shows that the process whose turn runs is a further one. */
function processOf({ item }: JsonObject, context: CodexContext): number {
  if (context.notes.isBetweenProcesses && item && context.turn.openBlocks === undefined)
    context.beginProcess()
  return context.notes.processes ?? 0
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
  const { bufferedEntries, bufferedReports, bufferedCompactions } = context.notes
  const keys = [...bufferedEntries.entries(), ...bufferedReports.entries(), ...bufferedCompactions.entries()]
  for (const [key] of keys) {
    const threadId = key === MAIN ? (context.facts.id ?? UNNAMED) : key
    const entry = bufferedEntries.get(key)
    showBuffered(threadId, context)
    if (entry) awaitReport(threadId, entry, context)
  }
  reportEarly(context)
  return context.endInput({ unplaced: spawnUnlinkedAgents(context) })
}
