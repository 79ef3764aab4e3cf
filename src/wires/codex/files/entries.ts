import type { CombinedTranscript, SubagentTranscript } from '../../../session/input/combined.ts'
import { type Entry, entryOfTranscript, unwrapCombined } from '../../../session/input/entries.ts'
import { entriesOfText, joinByTime } from '../../../session/input/timed-entries.ts'
import type { FilePart } from '../../format.ts'
import { threadIdOfName } from './rollout-file.ts'

/** Returns the messages of an input. Joins several rollouts in the order of their lines' time. */
export function codexEntries(raw: string | CombinedTranscript): Iterable<Entry> {
  const input = unwrapCombined(raw)
  return typeof input === 'string' ? entriesOfText(input) : entriesOfCombined(input)
}

function entriesOfCombined({ main, subagents }: CombinedTranscript): Iterable<Entry> {
  if (subagents.length === 0) return entriesOfText(main)
  const transcripts = [[...entriesOfText(main)], ...subagents.map(entriesOfAgent)]
  return joinByTime(transcripts)
}

function entriesOfAgent({ id, transcript }: SubagentTranscript): readonly Entry[] {
  return Array.from(entriesOfText(transcript), (entry) => entryOfThread(id, entry))
}

/** A line does not name its thread. Those of an agent get the name. */
function entryOfThread(id: string, entry: Entry): Entry {
  return entryOfTranscript(id, entry, { thread_id: id })
}

/** Returns the part of a session that a rollout holds: main's lines if it is the session's own file, else those of an agent. */
export function codexFilePart(path: string, sessionPath?: string): FilePart {
  const id = path === sessionPath ? undefined : threadIdOfName(path)
  if (id === undefined) return { isFacts: false, complete: (entry) => entry }
  return { agentId: id, isFacts: false, complete: (entry) => entryOfThread(id, entry) }
}
