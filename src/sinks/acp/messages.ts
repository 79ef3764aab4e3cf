/** The parts of ACP's protocol version 1 that a replay uses. Lists are mutable, because the SDK's own types do not accept others. */

/** Facts outside the protocol. Clients that know Claude's agent find the parent's call here. */
export type UpdateMeta = {
  readonly claudeCode: { readonly parentToolUseId?: string; readonly toolName?: string }
}

interface Update {
  readonly _meta?: UpdateMeta
}

/** A text, an image or a file. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mimeType: string; readonly data: string }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly mimeType?: string
    }
  | {
      readonly type: 'resource'
      readonly resource: { readonly uri: string; readonly blob: string; readonly mimeType: string }
    }

/** A message of the person or the model, or a part of one. The chunks of a message have the same `messageId`. */
export interface MessageChunk extends Update {
  readonly sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk'
  readonly messageId: string
  readonly content: ContentBlock
}

/** The kind of a tool call, which chooses its icon. */
export type AcpToolKind =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'think'
  | 'fetch'
  | 'switch_mode'
  | 'other'

/** The status of a tool call. It is `pending` while its input streams or a person has to allow it. */
export type ToolCallStatus = 'pending' | 'in_progress' | 'completed' | 'failed'

/** A change to a file: one of its hunks, or the whole text of a new or removed file. */
export interface ToolCallDiff {
  readonly type: 'diff'
  readonly path: string
  /** Null for a new file. */
  readonly oldText: string | null
  readonly newText: string
  /** The kind of the change, as Codex's agent states it. */
  readonly _meta: { readonly kind: 'add' | 'update' | 'delete' | 'move' }
}

/** A part of a tool call's output. */
export type ToolCallContent = { readonly type: 'content'; readonly content: ContentBlock } | ToolCallDiff

/** A file that a tool call reads or changes, and the line. */
export interface ToolCallLocation {
  readonly path: string
  readonly line?: number
}

/** The fields that the two updates of a tool call share. */
interface ToolCallFields extends Update {
  readonly toolCallId: string
  readonly status: ToolCallStatus
  readonly content?: ToolCallContent[]
  readonly rawOutput?: unknown
}

/** A tool call. A finished call has its output. */
export interface ToolCallStart extends ToolCallFields {
  readonly sessionUpdate: 'tool_call'
  readonly title: string
  readonly name?: string
  readonly kind: AcpToolKind
  readonly locations?: ToolCallLocation[]
  readonly rawInput?: unknown
}

/** The end of a call that started an agent. */
export interface ToolCallEnd extends ToolCallFields {
  readonly sessionUpdate: 'tool_call_update'
}

/** The agent's plan. It replaces the plan before it. */
export interface PlanUpdate extends Update {
  readonly sessionUpdate: 'plan'
  readonly entries: PlanEntry[]
}

/** One entry of a plan. */
export interface PlanEntry {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed'
  /** ACP requires a priority, and a session has none. */
  readonly priority: 'medium'
}

/** The tokens in the context, and the cost so far. */
export interface UsageUpdate extends Update {
  readonly sessionUpdate: 'usage_update'
  /** The tokens in the context. */
  readonly used: number
  /** The tokens that the context can hold. */
  readonly size: number
  readonly cost?: { readonly amount: number; readonly currency: 'USD' }
}

/** The title of the session, and the end of its last turn. */
export interface SessionInfoUpdate extends Update {
  readonly sessionUpdate: 'session_info_update'
  readonly title?: string
  /** ISO 8601. */
  readonly updatedAt?: string
}

/** An update that every client knows. */
export type SessionUpdate =
  | MessageChunk
  | ToolCallStart
  | ToolCallEnd
  | PlanUpdate
  | UsageUpdate
  | SessionInfoUpdate

/** Announces a child session in its parent's session, or reports the child's present work. */
export interface SubagentUpdate {
  readonly sessionUpdate: 'subagent_update'
  /** The child's session. */
  readonly sessionId: string
  readonly title?: string
  readonly description?: string
  readonly state?: ChildState
  readonly _meta?: AnnouncementMeta
}

/** The call that started the child. ACP and the agents have no name for it, so it has one of this library. */
export type AnnouncementMeta = { readonly agentfold: { readonly toolCallId: string } }

/** The present work of a child. */
export type ChildState =
  | { readonly state: 'running' }
  | { readonly state: 'idle'; readonly stopReason: 'end_turn' }
  | {
      readonly state: 'idle'
      readonly stopReason: 'error'
      /** An error of JSON-RPC. Absent if the agent left no words. */
      readonly error?: { readonly code: number; readonly message: string }
    }

/** A message between a parent and its child, in the session of either. */
export interface SessionMessage {
  readonly sessionUpdate: 'session_message'
  readonly messageId: string
  readonly senderSessionId: string
  readonly recipientSessionId: string
  readonly content: ContentBlock[]
  /** The message's id in the sender's session, if the update is in the recipient's. */
  readonly senderMessageId?: string
  /** The message's id in the recipient's session, if the update is in the sender's. */
  readonly recipientMessageId?: string
}

/** An update for clients that know child sessions: ACP's unstable `clientCapabilities.subagents`. */
export type ChildSessionUpdate = SubagentUpdate | SessionMessage

/** The `params` of a `session/update` notification. */
export interface SessionNotification<Update = SessionUpdate> {
  readonly sessionId: string
  readonly update: Update
}
