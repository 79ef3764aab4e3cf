import { withChanges } from '../../core/json/fields.ts'
import { compareStrings } from '../../core/json/lists.ts'
import { asObject, isObject, type JsonObject } from '../../core/json/values.ts'
import type { SourceIssue } from '../issue.ts'
import { type CombinedTranscript, isCombined } from './combined.ts'
import { type Content, contentOf, type Entry, entriesOfLines } from './entries.ts'
import { fileValue } from './jsonl.ts'
import { type TimeRules, TranscriptOrder } from './transcript-order.ts'

/** A transcript of a session: main's, or that of an agent. */
export interface Transcript {
  /** The agent's own id. Absent for main. */
  readonly id?: string
  readonly content: Content
  /** The value of a file with facts about the agent. It is undefined if the file is broken. */
  readonly facts?: { readonly value: unknown }
}

/** How the transcripts of a session become one stream of entries. */
export interface TranscriptRules extends TimeRules {
  /** The field of a message that names its agent. Messages of an agent's transcript that lack it get it. */
  readonly agentField?: string
  /** Returns the message for the facts about an agent. */
  readonly agentFacts?: (agentId: string, facts: JsonObject) => JsonObject
  /** Whether a list is one message. Any other list holds messages. */
  readonly isMessageList?: (list: readonly unknown[]) => boolean
  /** Returns main's entries in the order in which the source reads them. */
  readonly arrange?: (entries: Iterable<Entry>) => Iterable<Entry>
}

/** Returns the transcripts of an input, main's first. Throws a `TypeError` if it is neither text nor a combined transcript. */
export function transcriptsOf(raw: string | CombinedTranscript): readonly [Transcript, ...Transcript[]] {
  if (typeof raw === 'string') {
    const content = contentOf(raw)
    return 'value' in content && isCombined(content.value) ? transcriptsOf(content.value) : [{ content }]
  }
  if (!isCombined(raw)) throw new TypeError('pass the transcript as text, or as { main, subagents }')
  const agents = raw.subagents.map(({ id, transcript, meta }) => {
    const content = contentOf(transcript)
    return meta === undefined ? { id, content } : { id, content, facts: { value: fileValue(meta) } }
  })
  return [{ content: contentOf(raw.main) }, ...agents]
}

/** Returns the entries of an input. Throws a `TypeError` if it is neither text nor a combined transcript. */
export function entriesIn(raw: string | CombinedTranscript, rules: TranscriptRules): Iterable<Entry> {
  return joinTranscripts(transcriptsOf(raw), rules)
}

/** Joins the entries of a session's transcripts. The first transcript is main's. */
export function joinTranscripts(
  [main, ...agents]: readonly [Transcript, ...Transcript[]],
  rules: TranscriptRules,
): Iterable<Entry> {
  const own = entriesOf(main.content, rules)
  const arranged = rules.arrange ? rules.arrange(own) : own
  if (agents.length === 0) return arranged
  return [arranged, ...agents.map((agent) => entriesOfAgent(agent, rules))]
    .flatMap((entries) => new TranscriptOrder(rules).placeAll([...entries]))
    .sort((left, right) => compareStrings(left.place.time, right.place.time))
    .map(({ entry }) => entry)
}

/** Returns the entries of a content. Programs collect the messages of a stream in a list. */
export function entriesOf(content: Content, { isMessageList }: TranscriptRules): Iterable<Entry> {
  if ('lines' in content) return entriesOfLines(content.lines, content.beginning)
  const { value } = content
  if (value === undefined) return [{ line: 1, issue: BROKEN }]
  return Array.isArray(value) && value.length > 0 && !isMessageList?.(value)
    ? value.map((message: unknown, at) => ({ line: at + 1, message }))
    : [{ line: 1, message: value }]
}

/** An agent without messages has no facts. */
function entriesOfAgent({ id = '', content, facts }: Transcript, rules: TranscriptRules): readonly Entry[] {
  const entries = Array.from(entriesOf(content, rules), (entry) => entryOfAgent(id, entry, rules))
  if (!facts || !entries.some((entry) => 'message' in entry)) return entries
  return [factsOfAgent(id, facts.value, rules), ...entries]
}

/** Returns an entry of an agent's transcript. Its message names the agent. */
export function entryOfAgent(id: string, entry: Entry, { agentField }: TranscriptRules): Entry {
  if (agentField === undefined || !('message' in entry) || !isObject(entry.message))
    return withChanges(entry, { transcript: id })
  const { line, message } = entry
  const isNamed = typeof message[agentField] === 'string'
  return { line, message: isNamed ? message : withChanges(message, { [agentField]: id }), transcript: id }
}

/** Returns the entry before the first message of an agent. It is a broken line if the file with the facts is broken. */
export function factsOfAgent(id: string, value: unknown, { agentFacts }: TranscriptRules): Entry {
  const place = { line: 0, transcript: id }
  if (value === undefined) return { ...place, issue: BROKEN }
  return { ...place, message: agentFacts?.(id, asObject(value)) }
}

const BROKEN: SourceIssue = { code: 'malformed-line', count: 1 }
