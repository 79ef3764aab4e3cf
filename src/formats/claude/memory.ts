import type { JsonObject } from '../../json/values.ts'
import type { BlockOf } from '../../state/block.ts'
import type { SessionFacts, TokenUsage } from '../../state/session.ts'
import type { Buffered } from '../translation/buffer.ts'
import { PersistentMap } from '../translation/persistent-map.ts'

/** A block of a model message whose start was streamed. */
export interface MessageBlock {
  readonly id: string
  /** The content block's own type, such as `tool_use`. */
  readonly contentType: string
  readonly toolUseId?: string
  /** Its place in the message: the API's index. */
  readonly at: number
  /** The whole block was there; before that only its start and deltas. */
  readonly isWhole: boolean
}

/** A model message of one conversation. */
export interface ModelMessage {
  /** In the order in which they began. */
  readonly streamed: readonly MessageBlock[]
  /** The place behind the last block that came whole without having been streamed. */
  readonly wholeEnd: number
  readonly model?: string
  readonly usage?: TokenUsage
  readonly isUsageFinal: boolean
  /** The uuids of its deltas, while it is being streamed: a delta that comes again adds nothing. */
  readonly deltas?: PersistentMap<string>
  /** Its stream has ended. */
  readonly isStopped?: boolean
}

/** An agent that a tool call starts. A field that is absent is not known. */
export interface Agent {
  readonly toolUseId: string
  /** Counts the agents in the order in which they were met. */
  readonly order: number
  readonly agentId?: string
  /** The conversation that holds the call. */
  readonly parent?: string
  /** The conversation that holds the call, which has not been met yet. */
  readonly statedParent?: string
  /** There is a call somewhere, which will tell how it ended. */
  readonly hasCall?: boolean
  readonly prompt?: string
  readonly name?: string
  readonly description?: string
  readonly messageId?: string
  readonly timestamp?: string
  /** The first run: the call's own result belongs to it. */
  readonly runId?: string
  /** The run that a resume started. */
  readonly resumedRunId?: string
  readonly isBackground?: boolean
  readonly isSettled?: boolean
  readonly lastText?: string
  /** The last that came of it is that its request to the model failed. */
  readonly isFailed?: boolean
}

/** Where the blocks of a model's line went; other lines have none here. */
interface Place {
  readonly conversationId: string
  readonly blockIds: readonly string[]
}

/** The lines of an agent whose call is not known yet. */
export interface Stray {
  readonly agentId: string
  readonly first: JsonObject
  readonly last: Buffered<JsonObject>
}

/**
 * Where main's turn stands: `none` has begun yet, it is `running`, the model has `answered`, the program has `ended` it,
 * or the user has `interrupted` it.
 */
export type Turn = 'none' | 'running' | 'answered' | 'ended' | 'interrupted'

/** What the source has to remember of the messages so far. */
export interface ClaudeMemory {
  readonly facts: SessionFacts
  readonly turn: Turn
  /** A live stream says itself when it ends; a file does not. */
  readonly isStream: boolean
  /** The conversation that was compacted: the program's next message in it is the summary. */
  readonly compacted?: string | undefined
  /** The lines of a subagent in the session's own file. */
  readonly sidechain?: Buffered<JsonObject> | undefined
  /** By agent id. */
  readonly strays: PersistentMap<Stray>
  readonly agentCount: number
  /** How many lines without an id have got a number instead. */
  readonly unnamedLines: number
  /** By subagent's conversation: that its first message has been met. */
  readonly prompted: PersistentMap<string>
  /** By conversation: the message that is being streamed. */
  readonly streaming: PersistentMap<string>
  /** By `keyOf` conversation and message. */
  readonly messages: PersistentMap<ModelMessage>
  /** By uuid: the lines that have been read. */
  readonly lines: PersistentMap<Place>
  /** By `keyOf` conversation and tool use: the calls that wait for their result. */
  readonly calls: PersistentMap<BlockOf<'tool_use'>>
  /** By tool use id. */
  readonly agents: PersistentMap<Agent>
  /** By tool use id: the agents that have not settled, each under its id: to ask all of them costs with each that there was. */
  readonly openAgents: PersistentMap<string>
  /** By agent id: what is known of agents whose call has not been met, as when an earlier process made it. */
  readonly strangers: PersistentMap<Partial<Agent>>
  /** By agent id. */
  readonly toolUseIds: PersistentMap<string>
  /** The calls whose resume has begun, by tool use id. */
  readonly resumes: PersistentMap<string>
}

export const initialMemory: ClaudeMemory = Object.freeze({
  facts: {},
  turn: 'none',
  isStream: false,
  strays: new PersistentMap<Stray>(),
  agentCount: 0,
  unnamedLines: 0,
  prompted: new PersistentMap<string>(),
  streaming: new PersistentMap<string>(),
  messages: new PersistentMap<ModelMessage>(),
  lines: new PersistentMap<Place>(),
  calls: new PersistentMap<BlockOf<'tool_use'>>(),
  agents: new PersistentMap<Agent>(),
  openAgents: new PersistentMap<string>(),
  strangers: new PersistentMap<Partial<Agent>>(),
  toolUseIds: new PersistentMap<string>(),
  resumes: new PersistentMap<string>(),
})
