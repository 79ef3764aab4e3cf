import type { JsonObject } from '../json/values.ts'
import type { UserMessageOrigin } from '../state/block.ts'
import type { FileChange } from '../state/file-change.ts'

/** A call as a protocol shows it. The protocol may have no field for the name of the tool. */
export interface ShownCall {
  /** The name, if an update has told it so far. */
  readonly toolName?: string | undefined
  readonly title?: string | undefined
  /** The protocol's kind of the tool, such as `execute`. */
  readonly kind?: string | undefined
  readonly input: unknown
  /** The input may still be to come. */
  readonly isPending: boolean
}

/** A call that has ended, and its result. */
export interface AnsweredCall {
  readonly call: { readonly toolName: string; readonly input: unknown }
  /** The tool's own record. It has no fields if the program sends none. */
  readonly record: JsonObject
  /** The result for the model. */
  readonly output: unknown
}

/** The result of a call that started an agent. An absent fact is unknown. */
interface AgentResult {
  readonly agentId?: string | undefined
  /** The agent works in the background. Its report comes later. */
  readonly isLaunch?: boolean | undefined
  readonly isError?: boolean | undefined
  readonly report?: string | undefined
  readonly durationMs?: number | undefined
  readonly prompt?: string | undefined
  readonly agentType?: string | undefined
  readonly description?: string | undefined
}

/** A call about agents that names them by their own ids. */
export interface AgentsCall {
  readonly toolName: string
  readonly agentIds: readonly string[]
  readonly prompt?: string | undefined
  readonly isFailed: boolean
  /** The agents that have ended, in the words of the call. */
  readonly ends: readonly AgentEnd[]
  /** The input and the output as the program's own wire shows them. */
  readonly input: unknown
  readonly output: unknown
}

/** The end of an agent, in the words of its program. One of the two ids names the agent. */
export interface AgentEnd {
  readonly agentId?: string | undefined
  readonly toolUseId?: string | undefined
  readonly status: 'completed' | 'error'
  readonly output?: string | undefined
}

/**
 * Reads what a program's calls and messages mean, for a protocol that may carry any program. A program without such a function has nothing of
 * its own to say.
 */
export interface ProgramReader {
  /** The tool that the program runs in the place of one that it does not have. Such a call has failed, although it completes. */
  readonly unknownTool?: string
  /** The tool whose call is the compaction of the conversation. */
  readonly compactionTool?: string
  /** Returns the name of a call's tool; undefined if nothing shows it. */
  toolName?(call: ShownCall): string | undefined
  /** Returns a call about agents that names their ids; undefined for any other call. */
  agentsCall?(call: ShownCall): AgentsCall | undefined
  /** Returns the result of a call that started an agent. */
  agentResult?(answered: AnsweredCall): AgentResult
  /** Returns a report without what the program has added. */
  agentReport?(text: string): string
  /** Returns the changes to files that a successful call has made; undefined if its tool changes none. */
  fileChanges?(answered: AnsweredCall): readonly FileChange[] | undefined
  /** Returns why the program wrote a message in the person's place; undefined for a person's own. */
  messageOrigin?(text: string): UserMessageOrigin | 'interruption' | undefined
  /** Returns the end of a background agent that a notification reports. */
  notifiedEnd?(text: string): AgentEnd | undefined
  /** Returns a warning that looks like a text of the model; undefined for such a text. */
  warning?(text: string, messageId: string | undefined): string | undefined
}
