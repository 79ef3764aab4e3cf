import type { JsonObject } from '../../json/values.ts'
import type { Buffered } from '../../session/buffer.ts'
import type { CommonNotes } from '../../session/notes/notes.ts'
import type { EachField } from '../../session/notes/notes-draft.ts'
import { PersistentMap } from '../../session/notes/persistent-map.ts'
import type { BlockOf } from '../../state/block.ts'
import type { TokenUsage } from '../../state/session.ts'
import type { LineBlocks, LinePlace } from './lines/line-place.ts'
import type { Task } from './tools/task-list.ts'

/** A block of a model message. */
export interface MessageBlock {
  readonly id: string
  /** The content block's own type, such as `tool_use`. */
  readonly contentType: string
  readonly toolUseId?: string
  /** The API's index of the block in its message, or the number of blocks before it if no line states the index. */
  readonly index: number
  /** The source has the whole block. Before that it has only the start and deltas. */
  readonly isWhole: boolean
  /**
   * The text so far of a block whose line has no known uuid, or the input so far of a call. A live line with the same text repeats
   * the block.
   */
  readonly unnamedText?: string
  /** The rest of `unnamedText` that a repeated stream of the block has not reached yet. Its deltas add nothing before that. */
  readonly repeatedText?: string
  /** The start of a block that streams, while the prompt of its turn may still follow. */
  readonly startedPart?: JsonObject
  /** The deltas after that start. */
  readonly textSoFar?: string
}

/** Names a model message: message ids are unique within a conversation only. */
export interface MessageRef {
  readonly conversationId: string
  readonly messageId: string
}

/** A model message of one conversation. */
export interface ModelMessage {
  /** In the order in which the blocks began. */
  readonly blocks: readonly MessageBlock[]
  readonly model?: string | undefined
  readonly usage?: TokenUsage | undefined
  readonly isUsageFinal: boolean
  /** The uuids of the message's deltas, while the message streams. A repeated delta adds nothing. */
  readonly deltaUuids?: PersistentMap<string> | undefined
  /** The message's stream has ended. */
  readonly isStopped?: boolean | undefined
}

/** The facts that messages state about an agent. An absent field is unknown. */
export interface AgentFacts {
  readonly agentId?: string
  /** The conversation that holds the call. */
  readonly parent?: string
  /** The conversation that holds the call, as the agent's meta file states it. The source has not read the call. */
  readonly parentFromMeta?: string
  /** A call for this agent exists, and its result will report the end. */
  readonly hasCall?: boolean
  readonly prompt?: string
  readonly name?: string
  readonly description?: string
  readonly messageId?: string
  readonly timestamp?: string
  /** The first run. The call's own result belongs to it. */
  readonly runId?: string
  readonly isBackground?: boolean
  /** The source has read the call, and no result of it so far. False after the result that launches a background agent. */
  readonly hasOpenCall?: boolean
  /** A member of a team: it works on in a session of its own, and no line has to report its end. */
  readonly isTeammate?: boolean
}

/** An agent that a tool call starts, and the progress of its run. */
export interface Agent extends AgentFacts {
  readonly toolUseId: string
  /** Counts the agents in the order in which the source registered them. */
  readonly order: number
  /** The run that a resume started. */
  readonly resumedRunId?: string | undefined
  readonly hasEnded?: boolean
  /** The end of the run, as the history states it. A live stream repeats it. */
  readonly storedEnd?: StoredEnd | undefined
  /** The agent has run more than once. Its first start, if a live stream repeats it, is not its current run. */
  readonly isResumed?: boolean
  /** The history has the agent's last resume, but does not name its run. A live stream may repeat earlier runs before it names that run. */
  readonly hasUnknownRun?: boolean
  /** The agent's last line reports that its request to the model failed. */
  readonly hasFailedRequest?: boolean
  /** The agent's call is on an abandoned branch. New facts of the agent must not bring the call's block back. */
  readonly isAbandoned?: boolean
  /** The agent's last line is its `SubagentStop` hook. */
  readonly hasStopHook?: boolean
}

/** The end of an agent's run in the history. */
export interface StoredEnd {
  readonly status: 'completed' | 'error'
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
  /** The result of the call may still come, with another end. Some versions report a failed agent as completed before. */
  readonly isProvisional?: boolean
}

/** A call's result that the source has read before the call. */
interface EarlyResult {
  readonly part: JsonObject
  readonly timestamp?: string
  readonly toolUseResult: JsonObject
  readonly decision?: JsonObject
}

/** A message that waits in the program's queue. A message with images has no text there. */
export interface QueuedMessage {
  readonly text: string | undefined
  /** A line of its own holds the message too. */
  readonly hasLine: boolean
}

/** A prompt that so far only the queue holds. */
interface QueuedPrompt {
  readonly text: string
  readonly blockId: string
}

/** The lines that wait together: `agent:<id>` for those of one agent, `inline` for those of agents inside the session's own file. */
export type BufferGroup = string

/** Lines that wait until their agent's call is known. */
export interface BufferedLines {
  readonly group: BufferGroup
  readonly first: JsonObject
  readonly last: Buffered<JsonObject>
}

/** The source's memory of all messages so far. Treat it as opaque. */
export interface ClaudeMemory extends CommonNotes {
  /** A live stream reports the end of its turns. A file does not. */
  readonly isStream: boolean
  /** The source has read the beginning of a turn in the stream. */
  readonly hasInit: boolean
  /** The end of an earlier input has interrupted the turn, and not a person. */
  readonly isInterruptedByEnd?: boolean | undefined
  /** The id of the stream's first session. A file's lines may name several ids, because some versions resume under a new one. */
  readonly streamedSession?: string | undefined
  /** The compacted conversation. The program's next message in it is the summary. */
  readonly compactedConversation?: string | undefined
  /** The messages that wait while the model works, the first one first. */
  readonly queue: readonly QueuedMessage[]
  /** The prompts that left the queue, and that no line of their own holds yet. */
  readonly queuedPrompts: readonly QueuedPrompt[]
  /** By group: the lines that wait for their agent. */
  readonly buffered: PersistentMap<BufferedLines>
  readonly agentCount: number
  /** The number of lines without a uuid. Each of them has a number in its place. */
  readonly linesWithoutUuid: number
  /** By subagent's conversation: the conversations whose first prompt the source has read. */
  readonly promptedConversations: PersistentMap<string>
  /** By `promptKey`: the conversation of a prompt whose line has no known uuid. A line with the same content repeats it. */
  readonly unnamedPrompts: PersistentMap<string>
  /** By `compositeKey` of conversation and tool use: the answered calls whose result's line has no known uuid. */
  readonly unnamedResults: PersistentMap<string>
  /** By conversation: the id of the message that streams. */
  readonly streamingMessages: PersistentMap<string>
  /** By conversation: the id of the last message that streamed. It stays after the message's end. */
  readonly streamedMessages: PersistentMap<string>
  /** The messages that main streams before the prompt of its turn. Absent if the stream has the prompt, or a whole block of the answer. */
  readonly unpromptedMessages?: readonly string[] | undefined
  /** The message of main's last line in the stream, if the source has not read the message's start: it joined the stream later. */
  readonly joinedMessage?: string | undefined
  /** The message of main's last block in the history, if that is a call: a stream may still report the message's final tokens. */
  readonly unfinishedMessage?: string | undefined
  /** By conversation and message id. */
  readonly messages: PersistentMap<PersistentMap<ModelMessage>>
  /** By uuid: the lines that the source has read. */
  readonly readLines: PersistentMap<LineBlocks>
  /** The uuid of the last line in the tree of main's file. */
  readonly lastLine?: string | undefined
  /** The anchor of the last line of the model in that tree, or of the last line without a parent. */
  readonly lastAnchor?: string | undefined
  /** By uuid: the places of the last lines in that tree. */
  readonly places: PersistentMap<LinePlace>
  /** The number of lines read since `places` was last empty. */
  readonly placeCount: number
  /** By uuid: the places of lines before them. */
  readonly olderPlaces: PersistentMap<LinePlace>
  /** By the anchor of prompts in main's file: the uuid of the first prompt of the active branch. */
  readonly promptsByAnchor: PersistentMap<string>
  /** By conversation and tool use: the calls that wait for their result. */
  readonly pendingCalls: PersistentMap<PersistentMap<BlockOf<'tool_use'>>>
  /** By `compositeKey` of conversation and tool use: the results that arrived before their call. */
  readonly earlyResults: PersistentMap<EarlyResult>
  /** The session's task list. */
  readonly tasks: readonly Task[]
  /** By tool use id: main's calls on abandoned branches that had no result. A later result belongs to the branch. */
  readonly abandonedCalls: PersistentMap<string>
  /** The ids of main's messages before which the program saved the files. */
  readonly checkpoints: PersistentMap<string>
  /** Main's last user message. The program may write after it that it saved the files. */
  readonly lastUserMessage?: BlockOf<'user_message'> | undefined
  /** The program's requests to the person, with their answers. The key is the tool use id, or the request's own id if it names no call. */
  readonly requests: PersistentMap<BlockOf<'request'>>
  /** By the program's id of a request: its key in `requests`. */
  readonly requestCalls: PersistentMap<string>
  /** By tool use id. */
  readonly agents: PersistentMap<Agent>
  /** By tool use id: the agents' last texts. An agent's report is its last text. */
  readonly lastTexts: PersistentMap<string>
  /** By tool use id: the ids of unfinished agents. A check for one need not visit all agents. */
  readonly unfinishedAgents: PersistentMap<string>
  /** By agent id: the facts of agents whose call the source has not read, for example a call of an earlier run of the program. */
  readonly agentsWithoutCall: PersistentMap<AgentFacts>
  /** By agent id. */
  readonly toolUseIdByAgent: PersistentMap<string>
  /** By tool use id: the calls whose resume has begun. The value is the agent's call if the result will report its end. */
  readonly resumeCalls: PersistentMap<string>
}

/** The memory before the first message. */
export const initialMemory: ClaudeMemory = Object.freeze({
  isStream: false,
  hasInit: false,
  queue: [],
  queuedPrompts: [],
  buffered: /* @__PURE__ */ new PersistentMap<BufferedLines>(),
  agentCount: 0,
  linesWithoutUuid: 0,
  promptedConversations: /* @__PURE__ */ new PersistentMap<string>(),
  unnamedPrompts: /* @__PURE__ */ new PersistentMap<string>(),
  unnamedResults: /* @__PURE__ */ new PersistentMap<string>(),
  streamingMessages: /* @__PURE__ */ new PersistentMap<string>(),
  streamedMessages: /* @__PURE__ */ new PersistentMap<string>(),
  messages: /* @__PURE__ */ new PersistentMap<PersistentMap<ModelMessage>>(),
  readLines: /* @__PURE__ */ new PersistentMap<LineBlocks>(),
  places: /* @__PURE__ */ new PersistentMap<LinePlace>(),
  placeCount: 0,
  olderPlaces: /* @__PURE__ */ new PersistentMap<LinePlace>(),
  promptsByAnchor: /* @__PURE__ */ new PersistentMap<string>(),
  pendingCalls: /* @__PURE__ */ new PersistentMap<PersistentMap<BlockOf<'tool_use'>>>(),
  earlyResults: /* @__PURE__ */ new PersistentMap<EarlyResult>(),
  tasks: [],
  abandonedCalls: /* @__PURE__ */ new PersistentMap<string>(),
  checkpoints: /* @__PURE__ */ new PersistentMap<string>(),
  requests: /* @__PURE__ */ new PersistentMap<BlockOf<'request'>>(),
  requestCalls: /* @__PURE__ */ new PersistentMap<string>(),
  agents: /* @__PURE__ */ new PersistentMap<Agent>(),
  lastTexts: /* @__PURE__ */ new PersistentMap<string>(),
  unfinishedAgents: /* @__PURE__ */ new PersistentMap<string>(),
  agentsWithoutCall: /* @__PURE__ */ new PersistentMap<AgentFacts>(),
  toolUseIdByAgent: /* @__PURE__ */ new PersistentMap<string>(),
  resumeCalls: /* @__PURE__ */ new PersistentMap<string>(),
})

/** Returns a copy of the message, or a new one. All messages of a batch have the same fields, so that V8 reads them fast. */
export function copyMessage(message?: ModelMessage): EachField<ModelMessage> {
  return {
    blocks: message?.blocks ?? [],
    model: message?.model,
    usage: message?.usage,
    isUsageFinal: message?.isUsageFinal ?? false,
    deltaUuids: message?.deltaUuids,
    isStopped: message?.isStopped,
  }
}
