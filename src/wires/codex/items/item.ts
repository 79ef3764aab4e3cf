import type { UserContentPart } from '../../../core/state/content.ts'
import type { FileChange } from '../../../core/state/file-change.ts'
import type { AgentCall, CallStatus } from '../../../programs/codex/agent-call.ts'

interface ItemBase {
  readonly id: string
  /** ISO 8601. */
  readonly startedAt?: string | undefined
}

interface UserItem extends ItemBase {
  readonly kind: 'user'
  readonly content: readonly UserContentPart[]
}

/** Text or thinking of the model. */
export interface TextItem extends ItemBase {
  readonly kind: 'text' | 'thinking'
  readonly text: string
  /** The text is a plan that the person may accept. */
  readonly isPlan?: boolean
}

/** A call of a tool that is not about agents. */
export interface ToolItem extends ItemBase {
  readonly kind: 'tool'
  /** ISO 8601. */
  readonly completedAt?: string | undefined
  readonly toolName: string
  readonly input: unknown
  readonly status: CallStatus
  readonly output: unknown
  /** The exit code of a command. */
  readonly exitCode?: number | undefined
  readonly changes?: readonly FileChange[] | undefined
  /** In ms. */
  readonly durationMs?: number | undefined
}

/** A call that starts agents, waits for them or stops them. */
export interface AgentCallItem extends ItemBase, AgentCall {
  readonly kind: 'agent-call'
  /** ISO 8601. */
  readonly completedAt?: string | undefined
}

/** An agent has started, ended or received a message. */
export interface ActivityItem extends ItemBase {
  readonly kind: 'activity'
  readonly activity: string
  readonly agentId: string
  readonly agentPath?: string | undefined
}

interface CompactionItem extends ItemBase {
  readonly kind: 'compaction'
}

/** A note of the program. */
export interface NoteItem extends ItemBase {
  readonly kind: 'note'
  readonly subtype: string
  readonly message: string
  /** The note begins or ends a review. */
  readonly review?: 'entered' | 'exited'
}

/** An entry of a thread. A stored item has the same id as the live one. */
export type Item = UserItem | TextItem | ToolItem | AgentCallItem | ActivityItem | CompactionItem | NoteItem
