import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type BlockType, isPrompt } from '../../../src/core/state/block.ts'
import { isFinal } from '../../../src/core/state/subagent.ts'
import { claudeTranscript } from '../../../src/entries/claude.ts'
import {
  type Architecture,
  type BlockOf,
  createInitialConversationState,
  detectArchitecture,
  readTranscript,
  reduceSessionEvents,
  type SessionConversationState,
  TranscriptError,
} from '../../../src/entries/index.ts'
import type { CombinedTranscript, Ending } from '../../../src/entries/source-kit.ts'

const PUBLIC = join(import.meta.dirname, '../../../fixtures/public')

/** The outcome that a literal reading of the raw lines gives. The counts are those of main. */
export interface ExpectedOutcome {
  readonly refused?: boolean
  /** `open`: no line says how the agent ended. `any`: a teammate. */
  readonly subagents?: readonly {
    readonly toolUseId?: string
    readonly agentId?: string
    /** The agent's last text, where the raw lines name no call. */
    readonly finalText?: string
    /** `completed` is OpenCode's own word for `success`. */
    readonly status: 'success' | 'completed' | 'error' | 'open' | 'any'
  }[]
  /** The last texts of main, cut after 160 characters. */
  readonly finalTexts?: readonly string[]
  readonly texts?: number
  readonly thinking?: number
  readonly calls?: number
  readonly results?: number
  readonly prompts?: number
  /** The prompts that stand only in the queue. */
  readonly queuedPrompts?: readonly string[]
  readonly mainSession?: string
  readonly ending?: Ending
}

/** A session of somebody else, scrubbed: see `fixtures/README.md`. */
export interface PublicRecording {
  readonly name: string
  readonly about: string
  readonly defects: readonly string[]
  readonly expected: ExpectedOutcome
  /** The path of the file to read. */
  readonly main: string
  readonly architecture: Architecture
  readonly raw: string | CombinedTranscript
}

/** A program, as its folder is named. */
export type PublicProgram = 'claude-code' | 'opencode' | 'codex'

/** Returns the scrubbed recordings of a program. */
export function publicRecordings(program: PublicProgram): readonly PublicRecording[] {
  return readdirSync(join(PUBLIC, program))
    .sort()
    .map((name) => readRecording(program, name))
}

function readRecording(program: PublicProgram, name: string): PublicRecording {
  const folder = join(PUBLIC, program, name)
  const { about, defects = [], expected, main } = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8'))
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => /\.(jsonl|meta\.json)$/.test(path))
  const raw =
    program === 'claude-code' && main.endsWith('.jsonl')
      ? claudeTranscript(
          Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path, 'utf8')])),
        )
      : readFileSync(join(folder, main), 'utf8')
  const architecture = program === 'claude-code' ? 'claude-sdk' : program
  return { name, about, defects, expected, main: join(folder, main), architecture, raw }
}

/** Returns the part of `expected` that `outcomeOf` gives. */
export function expectedOutcome({ expected }: PublicRecording): ExpectedOutcome {
  const compared = Object.fromEntries(Object.entries(expected).filter(([name]) => COMPARED.has(name)))
  return { ...compared, ...(expected.subagents && { subagents: expected.subagents.map(withOurStatus) }) }
}

function withOurStatus(agent: ExpectedAgent): ExpectedAgent {
  return agent.status === 'completed' ? { ...agent, status: 'success' } : agent
}

const COMPARED: ReadonlySet<string> = new Set([
  'refused',
  'subagents',
  'finalTexts',
  'texts',
  'thinking',
  'calls',
  'results',
  'prompts',
  'queuedPrompts',
  'mainSession',
  'ending',
])

/** Whether the recording is not found to be one of the architecture, and the reader of that refuses it. */
function isRefused({ architecture, raw }: PublicRecording): boolean {
  if (detectArchitecture(raw) === architecture) return false
  try {
    readTranscript(architecture, raw)
    return false
  } catch (error) {
    return error instanceof TranscriptError && error.code === 'not-a-transcript'
  }
}

/** Reads a recording, and returns the facts about it that `expected` has. */
export function outcomeOf(recording: PublicRecording): ExpectedOutcome {
  const { architecture, raw, expected } = recording
  if (expected.refused) return { refused: isRefused(recording) }
  const { events, ending } = readTranscript(architecture, raw)
  const state = reduceSessionEvents(createInitialConversationState(), events)
  const agents = (expected.subagents ?? []).map((agent) => withStatus(agent, state))
  const outcome: ExpectedOutcome = {
    subagents: agents,
    finalTexts: textsOf(state).slice(-(expected.finalTexts?.length ?? 0) || Number.POSITIVE_INFINITY),
    texts: textsOf(state).length,
    thinking: countOf(state, 'thinking'),
    // OpenCode's `task` is a tool part like others.
    calls: countOf(state, 'tool_use') + (architecture === 'opencode' ? countOf(state, 'subagent') : 0),
    results: countOf(state, 'tool_result') + answeredAgents(state, recording),
    prompts: architecture === 'opencode' ? promptTexts(state) : state.blocks.filter(isPrompt).length,
    queuedPrompts: promptsOnce(expected.queuedPrompts ?? [], state),
    ...(state.session.id !== undefined && { mainSession: state.session.id }),
    ending,
  }
  const names = Object.keys(outcome).filter((name) => name in expected)
  return Object.fromEntries(names.map((name) => [name, Reflect.get(outcome, name)]))
}

type ExpectedAgent = NonNullable<ExpectedOutcome['subagents']>[number]

function withStatus(agent: ExpectedAgent, { subagents }: SessionConversationState): ExpectedAgent {
  const found = subagents.find((each) =>
    agent.toolUseId === undefined ? hasText(each, agent.finalText) : each.toolUseId === agent.toolUseId,
  )
  const isOpen = !found || !isFinal(found.status) || found.openBlocks !== undefined
  const status = isOpen ? 'open' : found.status
  return { ...agent, status: agent.status === 'any' ? 'any' : status }
}

function hasText({ blocks }: Pick<SessionConversationState, 'blocks'>, text: string | undefined): boolean {
  return blocks.some((block) => block.type === 'assistant_text' && block.content === text)
}

/** The result of an agent's call is no block. So the raw lines decide, and OpenCode has each result in its call's part. */
function answeredAgents(
  { blocks }: SessionConversationState,
  { architecture, raw }: PublicRecording,
): number {
  const main = typeof raw === 'string' ? raw : raw.main
  const answered = new Set([...main.matchAll(/"tool_use_id": ?"([^"]*)"/g)].map(([, toolUseId]) => toolUseId))
  const isAnswered = (toolUseId: string) => architecture === 'opencode' || answered.has(toolUseId)
  return blocks.filter((block) => block.type === 'subagent' && isAnswered(block.toolUseId)).length
}

function textsOf({ blocks }: SessionConversationState): readonly string[] {
  return blocks.flatMap((block) => (block.type === 'assistant_text' ? shortened(block.content) : []))
}

function shortened(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}

/** Returns the texts that are a prompt of main exactly once. */
function promptsOnce(texts: readonly string[], { blocks }: SessionConversationState): readonly string[] {
  const prompts = blocks
    .filter(isPrompt)
    .map(({ content }) => (typeof content === 'string' ? shortened(content) : ''))
  return texts.filter((text) => prompts.filter((prompt) => prompt === text).length === 1)
}

/** OpenCode's raw lines hold the texts of a prompt as parts, and `expected` counts them one by one. */
function promptTexts({ blocks }: SessionConversationState): number {
  return blocks.filter(isPrompt).flatMap(textParts).length
}

function textParts({ content }: BlockOf<'user_message'>): readonly unknown[] {
  return typeof content === 'string' ? [content] : content.filter(({ type }) => type === 'text')
}

function countOf({ blocks }: SessionConversationState, type: BlockType): number {
  return blocks.filter((block) => block.type === type).length
}
