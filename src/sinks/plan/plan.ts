import { sha256Hex } from '../../core/json/sha256.ts'
import { type ConversationBlock, isCall, isModelText, isPrompt } from '../../core/state/block.ts'
import type { UserContentPart } from '../../core/state/content.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import type { SubagentStatus } from '../../core/state/subagent.ts'
import type { SharedCall } from '../../programs/shared-tools.ts'

/** The content of a written session, apart from the words of its program. Times are ISO 8601, and none goes back. */
export interface SessionPlan {
  /** The new session's id, as a UUID. */
  readonly id: string
  readonly cwd: string
  readonly model: string
  readonly thread: ThreadPlan
}

/** A conversation: main's or an agent's. */
export interface ThreadPlan {
  /** `'main'`, or the agent's `toolUseId` in the state. */
  readonly place: string
  readonly entries: readonly PlanEntry[]
  readonly startedAt: string
  readonly endedAt: string
}

export type PlanEntry = PromptEntry | SummaryEntry | StepEntry

/** A message of the person, or of a parent agent. */
export interface PromptEntry {
  readonly kind: 'prompt'
  readonly id: string
  readonly time: string
  readonly parts: readonly UserContentPart[]
}

/** The summary of all earlier entries, from which the conversation went on. */
export interface SummaryEntry {
  readonly kind: 'summary'
  readonly id: string
  readonly time: string
  readonly text: string
}

/** A response of the model, with the results of all its calls. */
export interface StepEntry {
  readonly kind: 'step'
  readonly id: string
  readonly time: string
  readonly items: readonly StepItem[]
  /** The id of the model's message in the source. */
  readonly messageId?: string
}

export type StepItem = TextItem | CallItem

/** Text or thinking. */
interface TextItem {
  readonly kind: 'text' | 'thinking'
  readonly id: string
  readonly time: string
  readonly text: string
}

/** A call in the words of the program that is written. */
export interface CallItem {
  readonly kind: 'call'
  /** 24 hexadecimal digits. */
  readonly id: string
  readonly time: string
  readonly toolName: string
  readonly input: unknown
  /** The call by its meaning, if several programs have such a tool. */
  readonly shared?: SharedCall
  readonly result: CallResult
  /** The agent that the call starts. */
  readonly agent?: AgentPlan
}

export interface CallResult {
  readonly time: string
  readonly parts: readonly ResultPart[]
  readonly isError: boolean
  readonly exitCode?: number
  readonly durationMs?: number
  readonly changes?: readonly FileChange[]
}

/** A part of a result for the model. */
export type ResultPart = { readonly type: 'text'; readonly text: string } | ResultImage

export interface ResultImage {
  readonly type: 'image'
  readonly mediaType: string
  readonly data: string
}

/** A subagent. */
export interface AgentPlan {
  /** A UUID. */
  readonly id: string
  readonly type: string
  readonly description: string
  readonly prompt: string
  readonly status: SubagentStatus
  /** That of the agent, or else of its conversation. */
  readonly durationMs: number
  readonly thread: ThreadPlan
}

/** Makes new ids from those of the source: the same session gives the same ids, and no character of a source's id is in them. */
export interface IdMaker {
  /** Returns that many hexadecimal digits. */
  hex(length: number, ...names: readonly string[]): string
  uuid(...names: readonly string[]): string
}

/** Returns ids for one written session. */
export function idMaker(session: string): IdMaker {
  const hex = (length: number, ...names: readonly string[]) =>
    sha256Hex(JSON.stringify([session, ...names])).slice(0, length)
  return { hex, uuid: (...names) => uuidOf(hex(32, ...names)) }
}

/** Formats 32 hexadecimal digits as a UUID of version 5, which stands for the hash of a name. Some programs refuse later versions. */
function uuidOf(hex: string): string {
  const [time, middle, last] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16)]
  return `${time}-${middle}-5${last}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}

/**
 * Whether the conversation of an agent has its prompt. A stream may lack the prompt, and have notes of the program or
 * the prompt of a later run. So the prompt comes before the model's first block, or has the same words.
 */
export function showsPrompt(blocks: readonly ConversationBlock[], prompt: string): boolean {
  const first = blocks.find((block) => isPrompt(block) || isAnswer(block))
  return (
    (first !== undefined && isPrompt(first)) ||
    blocks.some((block) => isPrompt(block) && block.content === prompt)
  )
}

function isAnswer(block: ConversationBlock): boolean {
  return isModelText(block) || isCall(block) || block.type === 'tool_result'
}
