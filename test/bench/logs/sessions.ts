import { readFileSync } from 'node:fs'
import {
  createInitialConversationState,
  readTranscript,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import type { SessionLog } from '../../../src/entries/log.ts'
import type { Architecture } from '../../../src/programs/program.ts'
import { repeated } from '../repeated.ts'

/** Returns the events of a recording. */
export function recordedEvents(architecture: Architecture, path: string): readonly SessionEvent[] {
  return readTranscript(architecture, readFileSync(`fixtures/${path}`, 'utf8')).events
}

/** Returns the first events of one long session: a recording of Claude Code with partial messages, over and over. */
export function longSession(length: number): readonly SessionEvent[] {
  const once = readFileSync('fixtures/claude-code/03-tools/stream.ndjson', 'utf8')
  const raw = repeated(once, '14a4353a-7c99-4d30-a32a-8e21a7d43c30', 2 * length)
  return readTranscript('claude-sdk', raw).events.slice(0, length)
}

/** Divides events into those that a producer appends together. */
export function batchesOf(
  events: readonly SessionEvent[],
  length: number,
): readonly (readonly SessionEvent[])[] {
  return Array.from({ length: Math.ceil(events.length / length) }, (_, at) =>
    events.slice(at * length, (at + 1) * length),
  )
}

/** Appends the batches, each after the answer to the one before, and returns the number of the last event. */
export async function appendAll(
  log: SessionLog,
  id: string,
  batches: readonly (readonly SessionEvent[])[],
): Promise<number> {
  let seq = 0
  for (const batch of batches) seq = await log.append(id, batch, { expectedSeq: seq })
  return seq
}

/** Returns the state of one process that folds the events. */
export function foldOf(events: readonly SessionEvent[]): SessionConversationState {
  return reduceSessionEvents(createInitialConversationState(), events)
}

/** A number as the documentation has it. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
