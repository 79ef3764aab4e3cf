import type { BlockOf } from '../../../core/state/block.ts'
import type { FileSource } from '../../../core/state/content.ts'
import type { FileChange } from '../../../core/state/file-change.ts'
import type { MessageUsage } from '../../../core/state/session.ts'
import type { SubagentStatus } from '../../../core/state/subagent.ts'
import type { Todo } from '../../../core/state/todo.ts'

// These types are our own, so that a program without the AI SDK compiles too. They are aliases with mutable lists, so
// that they are assignable to those of its package. Nobody changes them.

/** A message of the AI SDK, with the metadata, the data parts and the tool parts of a session. */
export type SessionUIMessage = {
  /** The id of the person's message, or that id with `:answer`. */
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly metadata: SessionUIMetadata
  readonly parts: SessionUIPart[]
}

/** The facts of a message. Pass it to `UIMessage` of the AI SDK as the type of the metadata. */
export type SessionUIMetadata = {
  /** `'main'` or the `toolUseId` of the agent. */
  readonly conversationId: string
  /** The time of the first block, in ISO 8601. */
  readonly startedAt?: string
  /** The time of the last block, in ISO 8601. */
  readonly endedAt?: string
  /** The model of the last response that names one. */
  readonly model?: string
  /** The tokens of each response in the message. */
  readonly responses?: MessageUsage[]
  /** How the last turn ended, if it did not end by itself. Only the last message of the main conversation has it. */
  readonly outcome?: 'failed' | 'interrupted'
  /** Why the last turn failed, if the program or `failure` of `pipe` said it. */
  readonly error?: string
  /** The agent's plan. Only the last answer of a conversation has it. */
  readonly todos?: Todo[]
  /** For a message of the person: the program saved the files before it. */
  readonly checkpoint?: boolean
  /** The files that the turn of a prompt has changed, if the program sums them up. */
  readonly changes?: FileChange[]
}

/** The data parts, by their name without `data-`. Pass it to `UIMessage` of the AI SDK as the type of the data parts. */
export type SessionUIData = {
  /** A permission or a question, and its answer. */
  readonly request: BlockOf<'request'>
  readonly system: BlockOf<'system'>
  readonly error: BlockOf<'error'>
  readonly 'skill-load': BlockOf<'skill_load'>
  /** A message that the program wrote in the person's place. */
  readonly 'user-message': BlockOf<'user_message'>
  /** A result that its call's part cannot hold: of a denied or unknown call, or a failure that is more than text. */
  readonly 'tool-result': BlockOf<'tool_result'>
  /** A call with the id of another call in the same message. */
  readonly 'tool-use': BlockOf<'tool_use'>
  /** The files that a call has changed. */
  readonly 'file-changes': { readonly toolUseId: string; readonly changes: FileChange[] }
  /** A part of the conversation that the person abandoned. */
  readonly branch: { readonly messages: SessionUIMessage[] }
  /** A file of the person whose place is not a URL. */
  readonly file: { readonly source: FileSource; readonly name?: string }
}

/** The facts of a block that the AI SDK has no field for. */
export type BlockMetadata = {
  readonly agentfold: {
    readonly blockId: string
    readonly messageId?: string
    readonly model?: string
    readonly timestamp?: string
    /** In ms. */
    readonly durationMs?: number
    readonly redacted?: boolean
    /** The block ended with an error. */
    readonly isError?: boolean
  }
}

/** A text of the person. */
export type PersonTextPart = { readonly type: 'text'; readonly text: string }

/** A text of the model. */
export type AnswerTextPart = {
  readonly type: 'text'
  readonly text: string
  readonly state: 'streaming' | 'done'
  readonly providerMetadata: BlockMetadata
}

/** Thinking of the model. */
export type ReasoningPart = {
  readonly type: 'reasoning'
  readonly id: string
  readonly text: string
  readonly state: 'streaming' | 'done'
  readonly providerMetadata: BlockMetadata
}

/** An image or a file of the person. */
export type FilePart = {
  readonly type: 'file'
  readonly mediaType: string
  readonly url: string
  readonly filename?: string
}

/** The start of a response of the model. */
export type StepStartPart = { readonly type: 'step-start' }

/** A data part. Its id is the id of the block. */
export type DataPart = {
  [Name in keyof SessionUIData]: {
    readonly type: `data-${Name}`
    readonly id: string
    readonly data: SessionUIData[Name]
  }
}[keyof SessionUIData]

/** A request for a permission that waits. */
export type OpenApproval = { readonly id: string }
/** A permission that the person gave or refused. */
export type Approval<Approved extends boolean> = {
  readonly id: string
  readonly approved: Approved
  /** The person's own words. */
  readonly reason?: string
}

/** A tool call, or an agent whose `toolName` is `subagent` and whose `output` is an `AgentOutput`. */
export type ToolPart = {
  readonly type: 'dynamic-tool'
  readonly toolName: string
  readonly toolCallId: string
  readonly callProviderMetadata: BlockMetadata
} & ToolState

/** The state of a tool call. */
export type ToolState =
  | { readonly state: 'input-streaming'; readonly input?: unknown; readonly rawInput?: string }
  | { readonly state: 'input-available'; readonly input: unknown }
  | { readonly state: 'approval-requested'; readonly input: unknown; readonly approval: OpenApproval }
  | { readonly state: 'approval-responded'; readonly input: unknown; readonly approval: Approval<boolean> }
  | { readonly state: 'output-denied'; readonly input: unknown; readonly approval: Approval<false> }
  | {
      readonly state: 'output-available'
      readonly input: unknown
      readonly output: unknown
      /** Whether an agent still runs, so that its output grows. */
      readonly preliminary?: boolean
      readonly approval?: Approval<true>
      readonly resultProviderMetadata?: BlockMetadata
    }
  | {
      readonly state: 'output-error'
      readonly input: unknown
      readonly errorText: string
      readonly approval?: Approval<true>
      readonly resultProviderMetadata?: BlockMetadata
    }

/** The output of an agent's tool part. */
export type AgentOutput = {
  readonly status: SubagentStatus
  /** The agent's own conversation, with the agents below it. Absent if the conversation is not known, or elsewhere. */
  readonly messages?: SessionUIMessage[]
  readonly agentId?: string
  /** The text that the parent received. */
  readonly output?: string
  /** In ms. */
  readonly durationMs?: number
}

/** A part of a message. */
export type SessionUIPart =
  | PersonTextPart
  | AnswerTextPart
  | ReasoningPart
  | FilePart
  | StepStartPart
  | ToolPart
  | DataPart
