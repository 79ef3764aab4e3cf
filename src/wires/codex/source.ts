import { isObject } from '../../json/values.ts'
import { codex } from '../../programs/codex/program.ts'
import { agentIssue, type InputEnd, typeName } from '../../session/context.ts'
import { defineSource } from '../../session/define-source.ts'
import type { Source } from '../../session/source.ts'
import { spawnUnlinkedAgents } from './agents/unlinked-agents.ts'
import { showHeld } from './blocks/turn.ts'
import { CodexContext } from './context.ts'
import { unwrapLogLine } from './events/app-server.ts'
import { readEvents } from './events/read.ts'
import { NOTES } from './memory-shape.ts'
import { resume } from './resume/resume.ts'
import { translateEvent } from './routing/translate-event.ts'

// A message takes these steps:
// - `files/` splits a text into messages
// - `events/` and `items/` read a message of any form as the same events and items
// - `routing/` finds the thread of an event
// - `blocks/`, `requests/`, `changes/` and `agents/` translate the event into session events
// - `memory.ts` holds the facts from earlier events

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
  end,
  open: resume,
})

function translate(message: unknown, context: CodexContext): void {
  const read = context.read(message)
  const events = isObject(read) ? readEvents(read, context.memory.processes) : undefined
  if (!events) context.reportUnknown('unknown-message', isObject(read) ? nameOf(read) : 'no object')
  else if (events.length > 0) context.addMissingFacts({ program: codex.names[0] })
  for (const event of events ?? []) translateEvent(event, context)
}

function nameOf(message: Readonly<Record<string, unknown>>): string {
  const { type, method } = unwrapLogLine(message)
  return typeName(type ?? method)
}

function end(context: CodexContext): InputEnd {
  for (const { id } of context.memory.threads.values()) showHeld(id, context)
  const unlinked = spawnUnlinkedAgents(context)
  const { ending, issues } = context.endInput()
  return { ending, issues: [...unlinked.map((id) => agentIssue('unplaced-message', id)), ...issues] }
}
