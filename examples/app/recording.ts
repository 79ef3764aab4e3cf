import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { detectArchitecture, readTranscript, type SessionEvent } from 'agentfold'

/** Reads the events of a recording. Throws an `Error` if no format recognizes it. */
export async function readRecording(path: string): Promise<readonly SessionEvent[]> {
  const raw = await readFile(path, 'utf8')
  const architecture = detectArchitecture(raw)
  if (!architecture) throw new Error(`${path}: not a session of Claude Code or OpenCode`)
  return readTranscript(architecture, raw).events
}

/** Gives the events at about their original pace, `speed` times as fast, after `start` resolves. */
export async function* replay(
  events: readonly SessionEvent[],
  { speed, start }: { readonly speed: number; readonly start: Promise<void> },
): AsyncGenerator<SessionEvent> {
  await start
  for (const event of events) {
    await setTimeout(PAUSES_MS[event.type] / speed)
    yield event
  }
}

/** Streams have no times for deltas. A model takes longer to start a block than to continue it. */
const PAUSES_MS: Readonly<Record<SessionEvent['type'], number>> = {
  'block:upsert': 300,
  'block:delta': 60,
  'block:removed': 100,
  'subagent:spawned': 400,
  'subagent:resumed': 400,
  'subagent:completed': 100,
  'session:running': 0,
  'session:idle': 100,
  'session:updated': 0,
  'usage:reported': 0,
  'todos:updated': 0,
  'branch:abandoned': 0,
}
