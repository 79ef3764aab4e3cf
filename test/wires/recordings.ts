import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { foldSessionEvents } from '../../src/core/reducer/reduce.ts'
import type { AssistantTextBlock, BlockType } from '../../src/core/state/block.ts'
import {
  type Architecture,
  type BlockOf,
  type ConversationBlock,
  type ConversationThread,
  createInitialConversationState,
  findConversation,
  type ReducerIssue,
  type SessionConversationState,
  type SessionEvent,
} from '../../src/entries/index.ts'
import type { CombinedTranscript } from '../../src/reading/input/combined.ts'
import type { Ending, ReadIssue, SourceIssue } from '../../src/reading/source.ts'
import { claudeTranscript } from '../../src/wires/claude/files/session-files.ts'
import { readTranscript } from '../../src/wires/transcript.ts'

const fixtures: string = fileURLToPath(new URL('../../fixtures/', import.meta.url))

/** The folder with the current version's recordings of real sessions. Each `meta.json` describes how the recording was made. */
export const folder: string = join(fixtures, 'claude-code/')

/** Earlier versions with other files, and sessions of the current version with plans, edits and costs. */
const OTHERS = ['1.0.128', '2.0.77', '2.1.197', 'requests']

/** The expected result in a recording's `meta.json`. */
export interface Expected {
  readonly subagents?: 0 | readonly ExpectedSubagent[]
  /** The texts of main. */
  readonly finalTexts?: readonly string[]
  readonly lastText?: string
  readonly toolUses?: number
  readonly toolErrors?: number
  readonly compactBoundaries?: number
  readonly error?: boolean
  readonly interrupted?: boolean
  /** Every list of main's plan, as text and status. */
  readonly todos?: readonly (readonly (readonly [string, string])[])[]
  readonly fileChanges?: readonly { readonly path: string; readonly kind: 'create' | 'update' }[]
  /** What the person was asked, and the answer: null if there is none. */
  readonly requests?: readonly { readonly tool: string; readonly answer: string | null }[]
  /** A note for readers of the file. */
  readonly note?: string
}

export interface ExpectedSubagent {
  /** `main` or the label of another subagent. */
  readonly parent: string
  /** A label for `parent`. It is not the agent type. */
  readonly name?: string
  readonly finalText?: string
  readonly texts?: readonly string[]
  readonly failed?: boolean
}

interface Meta {
  readonly steps: readonly { readonly stream: string; readonly argv: readonly string[] }[]
  readonly expected: Expected & { readonly sameAs?: string }
}

/** One session: the program's output, and its files on disk. */
export interface Recording {
  readonly name: string
  readonly expected: Expected
  /** The streams of all its processes, one after the other. */
  readonly stream: string
  /** The lines that the client wrote, if they were recorded. */
  readonly stdin: string
  readonly files: Readonly<Record<string, string>>
  readonly disk: CombinedTranscript
  /** The path of the session's own file. */
  readonly sessionPath: string
  /** Whether the stream has the text and thinking of subagents. */
  readonly isForwarding: boolean
  /** Whether the stream has the person's prompts. */
  readonly isReplaying: boolean
}

export const recordings: readonly Recording[] = readdirSync(folder)
  .sort()
  .map((name) => readRecording(folder, name))

export const earlierRecordings: readonly Recording[] = OTHERS.flatMap((version) => {
  const home = join(fixtures, `claude-code-${version}`)
  const read = readdirSync(home)
    .sort()
    .map((name) => readRecording(home, name))
  return read.map((each) => ({ ...each, name: `${each.name} of ${version}` }))
})

/** Recordings of requests, plans, changes to files and costs. */
export const requestRecordings: readonly Recording[] = readdirSync(join(fixtures, 'claude-code-requests'))
  .sort()
  .map((name) => readRecording(join(fixtures, 'claude-code-requests'), name))

/** The recordings of all versions. */
export const allRecordings: readonly Recording[] = [...recordings, ...earlierRecordings, ...requestRecordings]

export function recording(name: string): Recording {
  const found = recordings.find((each) => each.name === name)
  if (!found) throw new RangeError(`no recording ${name}`)
  return found
}

function readMeta(home: string, name: string): Meta {
  return JSON.parse(readFileSync(join(home, name, 'meta.json'), 'utf8'))
}

function readRecording(home: string, name: string): Recording {
  const { steps, expected } = readMeta(home, name)
  const paths = readdirSync(join(home, name, 'transcript'), { recursive: true, encoding: 'utf8' })
    .map((path) => join(home, name, 'transcript', path))
    .filter((path) => statSync(path).isFile())
    .sort()
  const files = Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]))
  const stdin = join(home, name, 'stdin.ndjson')
  const flags = new Set(steps.flatMap(({ argv }) => argv))
  return {
    name,
    expected: expected.sameAs === undefined ? expected : readMeta(folder, expected.sameAs).expected,
    stream: steps.map(({ stream }) => readFileSync(join(home, name, stream), 'utf8')).join(''),
    stdin: existsSync(stdin) ? readFileSync(stdin, 'utf8') : '',
    files,
    disk: claudeTranscript(files),
    sessionPath: paths.find((path) => path.endsWith('.jsonl') && !path.includes('/subagents/')) ?? '',
    isForwarding: flags.has('--forward-subagent-text'),
    isReplaying: flags.has('--replay-user-messages'),
  }
}

/** The whole result of reading an input. */
export interface Replayed {
  readonly state: SessionConversationState
  readonly events: readonly SessionEvent[]
  readonly issues: readonly SourceIssue[]
  readonly reducerIssues: readonly ReducerIssue[]
  readonly ending: Ending
}

export function replay(raw: string | CombinedTranscript): Replayed {
  return replayAs('claude-sdk', raw)
}

/** Reads a whole input of a format. */
export function replayAs(architecture: Architecture, raw: string | CombinedTranscript): Replayed {
  const { events, issues, ending } = readTranscript(architecture, raw)
  const { state, issues: reducerIssues } = foldSessionEvents(createInitialConversationState(), events)
  return { state, events, issues: issues.filter(isSourceIssue), reducerIssues, ending }
}

/** Whether the source itself reports the issue, and not the reducer. */
export function isSourceIssue(issue: ReadIssue): issue is SourceIssue {
  return !('eventType' in issue)
}

/** Returns the JSON values of a text's lines, without the code under test. */
export function messagesIn(text: string): readonly unknown[] {
  return text.split('\n').flatMap((line): readonly unknown[] => (line === '' ? [] : [JSON.parse(line)]))
}

/** All conversations of a session, main first. */
export function threadsOf(state: SessionConversationState): readonly ConversationThread[] {
  return [state, ...state.subagents]
}

export function blocksOf(
  state: SessionConversationState,
  conversationId = 'main',
): readonly ConversationBlock[] {
  return findConversation(state, conversationId)?.blocks ?? []
}

/** A conversation's blocks of one type. */
export function ofType<Type extends BlockType>(
  { blocks }: ConversationThread,
  type: Type,
): readonly BlockOf<Type>[] {
  return blocks.filter((block): block is BlockOf<Type> => block.type === type)
}

export function textsOf(thread: ConversationThread): readonly string[] {
  return ofType(thread, 'assistant_text').map(({ content }: AssistantTextBlock) => content)
}

export function notesOf(thread: ConversationThread, subtype: string): readonly BlockOf<'system'>[] {
  return ofType(thread, 'system').filter((block) => block.subtype === subtype)
}
