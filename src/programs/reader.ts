import type { JsonObject } from '../core/json/values.ts'
import type { UserMessageOrigin } from '../core/state/block.ts'
import type { FileChange } from '../core/state/file-change.ts'
import type { SubagentState, TokenUsage } from '../core/state/session.ts'
import type { Todo } from '../core/state/todo.ts'
import type { TurnOutcome } from '../core/state/turn.ts'
import type { StoredFacts } from './program.ts'

/** A call as a protocol shows it. The protocol may have no field for the name of the tool. */
export interface ShownCall {
  readonly toolUseId?: string | undefined
  /** The name, if an update has reported it so far. */
  readonly toolName?: string | undefined
  readonly title?: string | undefined
  /** The protocol's kind of the tool, such as `execute`. */
  readonly kind?: string | undefined
  readonly input: unknown
  /** The further facts of the update. */
  readonly meta?: JsonObject | undefined
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
  /** The place of the agent in its team. */
  readonly description?: string | undefined
  readonly isFailed: boolean
  /** It is the end of an agent, and no call of the model. */
  readonly isEnd?: true
  /** The program reports the agent's work and its end nowhere else. */
  readonly isUnreported?: true
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

/** A result as its program means it. An absent fact is that of the protocol. */
export interface ReadResult {
  readonly output?: unknown
  readonly isError?: boolean | undefined
  readonly exitCode?: number | undefined
}

/** A message of the program's own beside a protocol, in words that hold for any program. */
export type OwnMessage =
  | {
      readonly type: 'agent-started'
      /** The session of the agent. */
      readonly sessionId: string
      readonly agentType?: string | undefined
      /** As in the call that started the agent. */
      readonly description?: string | undefined
    }
  | {
      readonly type: 'agent-ended'
      readonly sessionId: string
      readonly status: AgentEnd['status']
      readonly output?: string | undefined
      readonly durationMs?: number | undefined
    }
  /** A response of the model, with the tokens of its own session. */
  | { readonly type: 'response'; readonly usage: TokenUsage }
  | {
      readonly type: 'turn-ended'
      readonly promptId: string
      readonly outcome: TurnOutcome
      readonly error?: string | undefined
      readonly model?: string | undefined
      /** The tokens of the turn. Those of the main session's turn hold those of all agents too. */
      readonly usage?: TokenUsage | undefined
      /** The cost of the turn with all agents, if the program states it. */
      readonly cost?: { readonly usd: number; readonly isPartial: boolean } | undefined
      /** The session has copied the turn from another one. */
      readonly isCopy: boolean
    }
  /** The person has rewound the conversation to before the prompt with that number, from 0 on. */
  | { readonly type: 'rewound'; readonly promptIndex: number }
  | { readonly type: 'compacted'; readonly id: string }
  | { readonly type: 'question'; readonly title: string; readonly options: readonly string[] }
  /** The connection to the model broke. The text of the next response goes on with that of the last one. */
  | { readonly type: 'retrying'; readonly id: string; readonly reason: string }
  /** The message adds nothing to a conversation. */
  | { readonly type: 'ignored' }

/** A request for a permission, in the words of its program. */
interface ShownPermission {
  readonly toolName: string
  /** The action that the tool is about to do, or the question. */
  readonly words: string
  /** The request is a question of the model. Its options are the answers. */
  readonly isQuestion: boolean
}

/** A request, a notification or a response of the program's own. */
export interface ForeignMessage {
  readonly method: string
  /** The parameters, or the result of a response. */
  readonly params: JsonObject
  readonly isResponse: boolean
}

/** How a program keeps each session in a folder that has the name of the session's id. The folders of agents are beside that of main. */
export interface SessionFolder {
  /** The name of the file with the messages. */
  readonly messages: string
  /** The name of the file with facts about the session. */
  readonly facts: string
  /** The folder inside that of main which has the id of each agent as a name, and the name of the file in each. */
  readonly agents: readonly [folder: string, file: string]
  /** Returns the facts in the file. */
  readFacts(value: JsonObject): StoredFacts
  /** Returns the time of a message, as ISO 8601; undefined if it has the time of the next one. */
  timeOf(message: JsonObject): string | undefined
}

/** A line of a program's own stream of main, which names no session: an update of the protocol, or a message of the program's own. */
export type StreamLine =
  | { readonly update: JsonObject }
  | {
      readonly own: OwnMessage
      /** The session of the stream, if the line states it. */
      readonly sessionId?: string
    }

/** How a program prints the messages of the protocol as a stream of its own, without their envelopes. */
export interface ProgramStream {
  /** Reads a line; returns undefined for any other one. */
  read(line: JsonObject): StreamLine | undefined
  /** Whether the line has fields that only this stream has together. */
  isProof(line: JsonObject): boolean
}

/** A question that the model asked by a call. */
export interface AskedQuestion {
  readonly title: string
  /** The labels of the answers to choose from. */
  readonly options: readonly string[]
  readonly answer?: string
}

/** The ids of an update. */
interface UpdateIds {
  readonly promptId: string
  readonly messageId: string
  /** Counts the updates of a message up. A line of a file with the whole message has the number of its last piece. */
  readonly number?: number | undefined
}

/**
 * Reads what a program's calls and messages mean, for a protocol that may carry any program. A program without such a
 * function has nothing of its own to say.
 */
export interface ProgramReader {
  /** The tool that the program runs in the place of one that it does not have. Such a call has failed, although it completes. */
  readonly unknownTool?: string
  /** The tool whose call is the compaction of the conversation. */
  readonly compactionTool?: string
  /** The program reports the end of each turn. A text without such a report is no end. */
  readonly reportsTurns?: boolean
  /** A prompt that comes during a turn waits for the end of that turn. */
  readonly queuesPrompts?: boolean
  /** The program reports the end of each agent in the background. The end of main's turn is not theirs. */
  readonly reportsAgentEnds?: boolean
  /** Each call of main comes before its request. Any other request is that of an agent whose calls are not sent. */
  readonly announcesCalls?: boolean
  /** Only the result of a call names the agent that it started. So an agent with an own id that runs is in the background. */
  readonly resultsNameAgents?: boolean
  /** Whether nothing but the end of the turn may report the end of a running agent, by what the state alone has of it. */
  readonly isUnreported?: (agent: SubagentState) => boolean
  /** The work of an agent is sent as that of its parent, and a text of it may be followed by one of the parent. */
  readonly mergesAgents?: boolean
  /** The prompt that asks for a compaction. A file has the compaction before it. */
  readonly compactionPrompt?: string
  /** The fields of a call whose first values are the model's. Later ones are for display. */
  readonly firstFields?: readonly string[]
  /** The files in which the program stores the protocol's messages. */
  readonly sessionFolder?: SessionFolder
  /** The stream that the program prints beside its connections. */
  readonly stream?: ProgramStream
  /** Returns the id that the model gave to a call. */
  callId?(sent: string): string
  /** Reads the call in a request for a permission. */
  permission?(toolCall: JsonObject): ShownPermission
  /** Returns the name of a call's tool; undefined if nothing shows it. */
  toolName?(call: ShownCall): string | undefined
  /** Returns the input that the model has given, if the protocol shows another one. */
  input?(call: ShownCall): unknown
  /** Returns a call about agents that names their ids; undefined for any other call. */
  agentsCall?(call: ShownCall): AgentsCall | undefined
  /** Returns the result of a call that started an agent. */
  agentResult?(answered: AnsweredCall): AgentResult
  /** Returns a report without what the program has added. */
  agentReport?(text: string): string
  /** Returns the result of a call from the tool's own record, the text for the client's display, and the raw output. */
  result?(record: JsonObject, shown: unknown, raw: unknown): ReadResult
  /** Returns the changes to files that a successful call has made; undefined if its tool changes none. */
  fileChanges?(answered: AnsweredCall): readonly FileChange[] | undefined
  /** Returns the plan after a call; undefined if the call does not change it. Such a program sends no plan of its own. */
  todosAfter?(call: AnsweredCall['call'], before: readonly Todo[]): readonly Todo[] | undefined
  /**
   * Returns why the program wrote a message in the person's place; undefined for a person's own. A `reminder` is no
   * part of the conversation.
   */
  messageOrigin?(text: string): UserMessageOrigin | 'interruption' | 'reminder' | undefined
  /** Returns the end of a background agent that a notification reports. */
  notifiedEnd?(text: string): AgentEnd | undefined
  /** Whether an update follows a notification that an agent in the background has ended, without its id. */
  isNotified?(meta: JsonObject): boolean
  /** Reads a message that the protocol does not have; undefined for an unknown one. */
  ownMessage?(message: ForeignMessage): OwnMessage | undefined
  /** Returns the question that a call which has ended has put to the person, and the answer. A file may have no request for it. */
  askedQuestion?(call: ShownCall, rawOutput: unknown): AskedQuestion | undefined
  /** Returns the answer to a question of the program's own. */
  answer?(result: JsonObject): string | undefined
  /** Returns the ids of the turn and of the message that an update belongs to, from its further facts. */
  idsOf?(meta: JsonObject): UpdateIds | undefined
  /** Returns the tokens of a response that an update states in its further facts. */
  tokensOf?(meta: JsonObject): TokenUsage | undefined
  /** Returns the words of a chunk of thinking. Each chunk of a program with this is a whole thought. */
  wholeThought?(chunk: string): string
  /** Returns a warning that looks like a text of the model; undefined for such a text. */
  warning?(text: string, messageId: string | undefined): string | undefined
  /** Whether such a warning tells why the turn has failed, if it is the last block. */
  isFailure?(warning: string): boolean
}
