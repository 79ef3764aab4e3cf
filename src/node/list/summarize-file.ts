import { basename, dirname, extname, join } from 'node:path'
import { Allow, parse } from 'partial-json'
import { omitUndefined } from '../../core/json/fields.ts'
import { addTokens, sumUsage, type TokenSum } from '../../core/selectors/usage.ts'
import { isPrompt } from '../../core/state/block.ts'
import type { UserContentPart } from '../../core/state/content.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import type { Architecture, StoredFacts } from '../../programs/program.ts'
import type { Entry } from '../../reading/input/entries.ts'
import { fileValue } from '../../reading/input/jsonl.ts'
import type { FileReader } from '../../reading/input/transcript-files.ts'
import { type TimeRules, timeOf } from '../../reading/input/transcript-order.ts'
import { entriesIn } from '../../reading/input/transcripts.ts'
import type { Source } from '../../reading/source.ts'
import { detectEntries, isLines } from '../../wires/detect.ts'
import type { AgentFilePlaces, Format, StoredTokens } from '../../wires/format.ts'
import { sourceOf } from '../../wires/source-of.ts'
import { openContent, readTail } from '../files/read-piece.ts'
import { foldEntries } from '../fold.ts'
import { type FileEnds, isCut, readEnds } from './file-ends.ts'
import type { SessionSummary } from './session-summary.ts'

/** Reads files for a summary. */
export interface SummaryOptions {
  readonly reader: FileReader
  /** Gets the state at the end of a file of lines that the summary has read whole, as a reading of that file alone gives it. */
  readonly onWhole?: (state: SessionConversationState) => void
}

/** Summarizes a file from its ends. Returns undefined if the file holds no session, or a subagent's. */
export async function summarizeFile(
  path: string,
  format: Format<Architecture>,
  { reader, onWhole }: SummaryOptions,
): Promise<SessionSummary | undefined> {
  const beside = factsBeside(path, format, reader)
  if (beside.isSubagent === true) return undefined
  const ends = await readEnds(path)
  const { head, tail, isWhole } = ends
  if (isCut(ends)) return undefined
  const source = await sourceOf(format.name)
  const first = factsOfText(head, source, format, { isWhole })
  const last = factsOfText(tail, source, format, { isWhole, knownId: first.facts.id })
  if (first.facts.isSubagent === true && !format.storage.isAlone?.(path, reader)) return undefined
  // The beginning of a longer file, or one file of several, may show the id alone.
  const isAlone = isWhole && format.storage.readStored === undefined
  const isUnproven = isAlone || first.facts.id === undefined
  // The beginning may be a line that is too long to read.
  if (isUnproven && detectEntries([...first.entries, ...last.entries]) !== format.name) return undefined
  if (isWhole && format.storage.hasFilesWithoutPrompt && first.state.blocks.length === 0) return undefined
  if (onWhole && isWhole && isReadAs(format, head, first.entries)) onWhole(first.endState())
  const { isSubagent, ...stated } = { ...beside, ...first.facts, ...last.facts }
  const { session } = first.state
  return omitUndefined({
    id: session.id ?? format.storage.idOf?.(path) ?? basename(path, extname(path)),
    cwd: session.cwd,
    // A fold that has found no folder finds none again.
    startedIn:
      session.cwd === undefined ? undefined : firstFolder(first.entries, source, stated.cwd ?? session.cwd),
    costUsd:
      isWhole || !format.storage.hasCostOfEachReply
        ? (last.state.session.costUsd ?? session.costUsd)
        : undefined,
    ...stated,
    startedAt: utcTime(stated.startedAt) ?? firstTimeOf(first.entries, format.transcripts),
    updatedAt:
      utcTime(stated.updatedAt) ??
      firstTimeOf(last.entries.toReversed(), format.transcripts) ??
      firstTimeOf(first.entries.toReversed(), format.transcripts),
    path,
    format: format.name,
    program: session.program,
    firstPrompt: firstPromptOf(first.state),
    model: last.state.session.model ?? session.model,
    ...(isWhole && tokensOf(first.state)),
    agents: stated.agents ?? agentCount(path, format, reader, isWhole ? first.endState() : undefined),
  })
}

/** Whether a reading of the text reads these entries, in this order and with this format. */
function isReadAs(
  { name, transcripts }: Format<Architecture>,
  text: string,
  entries: readonly Entry[],
): boolean {
  return (
    transcripts.arrange === undefined &&
    text.endsWith('\n') &&
    isLines(text) &&
    detectEntries(entries) === name
  )
}

/** Returns the facts in a file beside the session's own. The program may not have written it yet. */
function factsBeside(path: string, { storage }: Format<Architecture>, reader: FileReader): StoredFacts {
  const factsPath = storage.factsPath?.(path)
  if (factsPath === undefined || !reader.names(dirname(factsPath)).includes(basename(factsPath))) return {}
  return storage.facts(reader.value(factsPath))
}

interface TextFacts {
  readonly facts: StoredFacts
  readonly state: SessionConversationState
  /** Returns the state at the end of the session. Only then, some agents are known. */
  readonly endState: () => SessionConversationState
  readonly entries: readonly Entry[]
}

/** Folds the messages of a text. The source finds the prompt, the model and the folder as it does in a whole session. */
function factsOfText(
  text: string,
  source: Source,
  { storage, transcripts }: Format<Architecture>,
  { isWhole, knownId }: Pick<FileEnds, 'isWhole'> & { readonly knownId?: string | undefined },
): TextFacts {
  let entries: readonly Entry[] = [...entriesIn(text, transcripts)]
  const cut = isWhole || entries.some(isMessage) ? undefined : cutValue(text)
  if (cut !== undefined) entries = [{ line: 1, message: cut }]
  // A subagent's file that is read alone is arranged like that of a session.
  const { arrange, ...plain } = transcripts
  const stored = arrange ? [...entriesIn(text, plain)] : []
  const facts = ownFacts(
    (stored.some(isMessage) ? stored : entries)
      .filter(isMessage)
      .map(({ message }) => storage.facts(message)),
    knownId,
  )
  const { session } = foldEntries(source, source.open(), entries)
  let end: SessionConversationState | undefined
  return {
    facts,
    state: session.state,
    endState: () => {
      end ??= source.end(session).session.state
      return end
    },
    entries,
  }
}

/** Joins the facts of values. The first id names the session: a fork repeats the facts of the session that it copies. */
function ownFacts(all: readonly StoredFacts[], knownId: string | undefined): StoredFacts {
  const ownId = knownId ?? all.find(({ id }) => id !== undefined)?.id
  return Object.assign({}, ...all.filter(({ id = ownId }) => id === ownId))
}

/** The first lines of all programs state the working folder. */
const FOLDER_LINES = 20

/** Returns the first working folder that the entries state, if it is another one. */
function firstFolder(entries: readonly Entry[], source: Source, cwd: string | undefined): string | undefined {
  let session = source.open()
  for (const entry of entries.slice(0, FOLDER_LINES)) {
    session = foldEntries(source, session, [entry]).session
    const first = session.state.session.cwd
    if (first !== undefined) return first === cwd ? undefined : first
  }
  return undefined
}

/** Returns the time of the first entry that states one. */
function firstTimeOf(entries: readonly Entry[], rules: TimeRules): string | undefined {
  for (const entry of entries) {
    const time = utcTime(timeOf(entry, rules))
    if (time !== undefined) return time
  }
  return undefined
}

function isMessage(entry: Entry): entry is Extract<Entry, { readonly message: unknown }> {
  return 'message' in entry
}

/** Returns the fields at the beginning of a value whose end was not read. */
function cutValue(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    return parse(text, Allow.ALL)
  } catch {
    return undefined
  }
}

/** In UTF-16 units. A prompt may hold a whole file. */
const MAX_PROMPT = 1_000

/** Returns the beginning of the first prompt. */
export function firstPromptOf({ blocks }: SessionConversationState): string | undefined {
  const prompt = blocks.find(isPrompt)
  if (!prompt) return undefined
  const { content } = prompt
  return promptText(typeof content === 'string' ? content : content.map(textOf).join(''))
}

function textOf(part: UserContentPart): string {
  return part.type === 'text' ? part.text : ''
}

/** Returns the beginning of a prompt; undefined if it has no text. */
export function promptText(text: string | undefined): string | undefined {
  return text?.trim() ? text.trim().slice(0, MAX_PROMPT) : undefined
}

/** Returns the tokens of main, with those that a later report may replace. There are none if no message states any. */
export function tokensOf({
  usage,
}: SessionConversationState): Pick<SessionSummary, 'tokens' | 'isProvisional'> {
  const { final, provisional } = sumUsage(usage)
  const tokens = storedTokens(addTokens(final, provisional))
  return omitUndefined({ tokens, isProvisional: provisional.messages > 0 || undefined })
}

/** Returns a sum of tokens as a list has it. Undefined if no message states any. */
export function storedTokens({ messages, ...tokens }: TokenSum): StoredTokens | undefined {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = tokens
  return messages === 0
    ? undefined
    : omitUndefined({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens })
}

/**
 * Returns the number of a session's agents; undefined if only the whole session says it. `state` is that of the
 * session's own file, and absent if the file was not read to its end.
 */
function agentCount(
  path: string,
  { files }: Format,
  reader: FileReader,
  state: SessionConversationState | undefined,
): number | undefined {
  const places = files.agentFiles(path, reader)
  if (files.hasAllAgents) return state?.subagents.length
  // The agents of such a program may have started others in files that nothing names.
  if (!places) return state?.blocks.length && state.subagents.length === 0 ? 0 : undefined
  const stored = new Set(storedAgents(path, files, places, reader))
  if (places.folder === undefined) return stored.size
  if (!state) return stored.size === 0 ? undefined : stored.size
  return countAll(stored, state)
}

/** Returns the ids of the agents with a file. It reads the beginnings of files whose names do not show the session. */
function storedAgents(
  path: string,
  files: Format['files'],
  { folder, namedFiles, isBeside }: AgentFilePlaces,
  reader: FileReader,
): readonly string[] {
  const place = folder ?? dirname(path)
  const names = reader.names(place).filter((name) => folder !== undefined || isBeside(name))
  const paths = new Set([path, ...names.map((name) => join(place, name)), ...(namedFiles?.(reader) ?? [])])
  const [, ...agents] = files.transcripts([...paths], reader, path)
  return agents.flatMap(({ id }) => id ?? [])
}

/** The files have the nested agents too. The state has the agents without a file, and some of them have no known id. */
function countAll(stored: ReadonlySet<string>, { subagents }: SessionConversationState): number {
  const ids = new Set([...stored, ...subagents.flatMap(({ agentId }) => agentId ?? [])])
  return Math.max(ids.size, subagents.length)
}

/** In bytes. Most last lines are shorter. */
const TAIL_SIZE = 2 ** 13

/** Returns the last time that the last lines of a file state. Undefined if they state none. */
export async function lastTimeOf(path: string, rules: TimeRules): Promise<string | undefined> {
  // The first line may be cut, and is then no JSON.
  for (const line of (await readTail(await openContent(path), TAIL_SIZE)).split('\n').reverse()) {
    const message = line.trim() === '' ? undefined : fileValue(line)
    if (message === undefined) continue
    const time = utcTime(timeOf({ line: 0, message }, rules))
    if (time !== undefined) return time
  }
  return undefined
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/

const NANOSECONDS = '2026-01-01T00:00:00.000000000Z'.length

/** Returns an ISO 8601 time in UTC. Undefined for any other text. */
export function utcTime(text: string | undefined): string | undefined {
  if (text === undefined || !ISO.test(text)) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return undefined
  // Digits below those of a nanosecond only order messages.
  return text.endsWith('Z') && text.length <= NANOSECONDS ? text : new Date(ms).toISOString()
}
