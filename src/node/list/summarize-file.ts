import { basename, dirname, extname } from 'node:path'
import { Allow, parse } from 'partial-json'
import { omitUndefined } from '../../core/json/fields.ts'
import { sumUsage } from '../../core/selectors/usage.ts'
import { isPrompt } from '../../core/state/block.ts'
import type { UserContentPart } from '../../core/state/content.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import type { Architecture, StoredFacts } from '../../programs/program.ts'
import type { Entry } from '../../reading/input/entries.ts'
import { fileValue } from '../../reading/input/jsonl.ts'
import { type TimeRules, timeOf } from '../../reading/input/transcript-order.ts'
import { entriesIn } from '../../reading/input/transcripts.ts'
import type { Source } from '../../reading/source.ts'
import { detectEntries } from '../../wires/detect.ts'
import type { FolderReader, Format, StoredTokens } from '../../wires/format.ts'
import { sourceOf } from '../../wires/source-of.ts'
import { foldEntries } from '../fold.ts'
import { agentCount } from './agent-count.ts'
import { readEnds } from './file-ends.ts'
import { utcTime } from './last-time.ts'
import type { SessionSummary } from './session-summary.ts'

/** Summarizes a file from its ends. Returns undefined if the file holds no session, or a subagent's. */
export async function summarizeFile(
  path: string,
  format: Format<Architecture>,
  reader: FolderReader,
): Promise<SessionSummary | undefined> {
  const beside = factsBeside(path, format, reader)
  if (beside.isSubagent === true) return undefined
  const { head, tail, isWhole } = await readEnds(path)
  const source = await sourceOf(format.name)
  const first = factsOfText(head, source, format)
  const last = factsOfText(tail, source, format)
  if (first.facts.isSubagent === true) return undefined
  if (first.facts.id === undefined && detectEntries(first.entries) !== format.name) return undefined
  if (isWhole && format.storage.hasFilesWithoutPrompt && first.state.blocks.length === 0) return undefined
  const { isSubagent, ...stated } = { ...beside, ...first.facts, ...last.facts }
  const { session } = first.state
  return omitUndefined({
    id: session.id ?? basename(path, extname(path)),
    cwd: session.cwd,
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
    tokens: isWhole ? tokensOf(first.state) : undefined,
    agents: stated.agents ?? agentCount(path, format, reader, isWhole ? first.endState() : undefined),
  })
}

/** Returns the facts in a file beside the session's own. The program may not have written it yet. */
function factsBeside(path: string, { storage }: Format<Architecture>, reader: FolderReader): StoredFacts {
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
): TextFacts {
  const entries = [...entriesIn(text, transcripts)]
  const messages = entries.filter(isMessage)
  const values = messages.length > 0 ? messages.map(({ message }) => message) : [cutValue(text)]
  const facts: StoredFacts = Object.assign({}, ...values.map((value) => storage.facts(value)))
  const { session } = foldEntries(source, source.open(), entries)
  return {
    facts,
    state: session.state,
    endState: () => source.end(session).session.state,
    entries,
  }
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

/** Returns the value of a text, or the fields at the beginning of a value that is cut. */
function cutValue(text: string): unknown {
  const value = fileValue(text)
  if (value !== undefined || !text.trimStart().startsWith('{')) return value
  try {
    return parse(text, Allow.ALL)
  } catch {
    return undefined
  }
}

/** In UTF-16 units. A prompt may hold a whole file. */
const MAX_PROMPT = 1_000

function firstPromptOf({ blocks }: SessionConversationState): string | undefined {
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

/** Returns the tokens of main. Undefined if no message states any. */
export function tokensOf({ usage }: SessionConversationState): StoredTokens | undefined {
  const { messages, ...tokens } = sumUsage(usage).final
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = tokens
  return messages === 0
    ? undefined
    : omitUndefined({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens })
}
