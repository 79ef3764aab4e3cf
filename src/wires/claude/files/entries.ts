import { asObject, asString } from '../../../json/values.ts'
import type { CombinedTranscript, SubagentTranscript } from '../../../session/input/combined.ts'
import {
  type Entry,
  entriesOfLines,
  entryOfTranscript,
  factsEntry,
  unwrapCombined,
} from '../../../session/input/entries.ts'
import { fileValue } from '../../../session/input/jsonl.ts'
import { entriesOfText, joinByTime } from '../../../session/input/timed-entries.ts'
import type { FilePart } from '../../format.ts'
import { isProgramAgent } from '../routing/program-agents.ts'
import { agentIdOfFile, agentIdOfMeta } from './session-files.ts'

/** Returns the messages of an input. Joins several transcripts in the order of their messages' time. */
export function claudeEntries(raw: string | CombinedTranscript): Iterable<Entry> {
  const input = unwrapCombined(raw)
  return typeof input === 'string' ? entriesOfText(input) : entriesOfCombined(input)
}

function entriesOfCombined({ main, subagents }: CombinedTranscript): readonly Entry[] {
  const transcripts = [[...entriesOfText(main)], ...subagents.map(entriesOfSubagent)]
  return joinByTime(transcripts)
}

/** A subagent's lines name their agent. A line without that name belongs to the transcript's agent. */
function entriesOfSubagent({ id, transcript, meta }: SubagentTranscript): readonly Entry[] {
  const lines = Array.from(entriesOfLines(transcript), (entry) => lineOfAgent(id, entry))
  return meta === undefined || !lines.some((entry) => 'message' in entry)
    ? lines
    : [metaOfAgent(id, factsEntry(fileValue(meta))), ...lines]
}

/** Returns the part of a session that a file holds: main's lines, a subagent's lines, or the facts about a subagent. */
export function claudeFilePart(path: string): FilePart {
  const ofMeta = agentIdOfMeta(path)
  if (ofMeta !== undefined)
    return { agentId: ofMeta, isFacts: true, complete: (entry) => metaOfAgent(ofMeta, entry) }
  const ofLines = agentIdOfFile(path)
  if (ofLines !== undefined)
    return {
      agentId: ofLines,
      isProgramAgent: isProgramAgent(ofLines),
      isFacts: false,
      complete: (entry) => lineOfAgent(ofLines, entry),
    }
  return { isFacts: false, complete: (entry) => entry }
}

/** The facts that a meta file may hold. A running program adds others later, and they change nothing. */
const META_FACTS = ['toolUseId', 'parentAgentId', 'spawnDepth', 'agentType', 'description', 'requestShape']

/** The agent's meta file becomes line 0, before the agent's first line. An agent without messages has no meta line. */
function metaOfAgent(agentId: string, entry: Entry): Entry {
  const place = { line: 0, transcript: agentId }
  if ('issue' in entry) return { ...place, issue: entry.issue }
  const facts = Object.entries(asObject(entry.message)).filter(([name]) => META_FACTS.includes(name))
  return { ...place, message: { type: 'agent_meta', agentId, meta: Object.fromEntries(facts) } }
}

function lineOfAgent(id: string, entry: Entry): Entry {
  const isNamed = 'message' in entry && asString(asObject(entry.message).agentId) !== undefined
  return entryOfTranscript(id, entry, isNamed ? undefined : { agentId: id })
}
