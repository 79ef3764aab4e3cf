import type { JsonObject } from '../../json/values.ts'
import type { CommonNotes } from '../../session/notes/notes.ts'
import { PersistentMap } from '../../session/notes/persistent-map.ts'
import type { ResumedPlace } from '../../session/resume/resumed-text.ts'
import type { BlockOf } from '../../state/block.ts'
import type { UserContentPart } from '../../state/content.ts'
import type { TokenUsage } from '../../state/session.ts'

/** A text of the agent to which the next chunk may add. */
export interface OpenText {
  readonly blockId: string
  readonly kind: 'text' | 'thinking'
  readonly messageId?: string | undefined
  readonly content: string
}

/** A text or a call in the last turn of a resumed state. */
export interface ResumedItem {
  readonly kind: OpenText['kind'] | 'call'
  /** The message of a text, or the id of a call. A text may have none. */
  readonly id?: string | undefined
  /** The text. A call has none. */
  readonly content: string
}

/** The last turn of a resumed state, whose messages may come again, and the place that they have reached. */
export interface ResumedTurn {
  readonly items: readonly ResumedItem[]
  /** The text that was open when the state was resumed. */
  readonly openText?: OpenText | undefined
  /** The number of the item that comes again. Absent until a repeated message shows the place. */
  readonly index?: number | undefined
  /** The place in that item, or in the open text. */
  readonly place?: ResumedPlace | undefined
}

/** A person's message, of which further chunks may come. */
interface HeldMessage {
  readonly messageId?: string | undefined
  readonly parts: readonly UserContentPart[]
}

/** One conversation: main's or an agent's. */
export interface KnownThread {
  /** `main`, or the `toolUseId` of the agent. */
  readonly id: string
  /** The message of the last chunk. */
  readonly messageId?: string | undefined
  readonly openText?: OpenText | undefined
  readonly heldMessage?: HeldMessage | undefined
  /** Numbers the blocks of messages without an id. */
  readonly unnamed: number
  /** The program's own id of the turn. */
  readonly promptId?: string | undefined
  /** The tokens of the responses in the turn. */
  readonly turnTokens?: TokenUsage | undefined
  /** The tokens of main's agents in main's turn, which its report holds too. */
  readonly agentTokens?: TokenUsage | undefined
  /** The program has reported the tokens of the agent's turn. */
  readonly hasReported?: boolean | undefined
  /** The message whose response the program asks for again. */
  readonly retriedId?: string | undefined
  /** The report of main's turn holds the tokens of an agent that are not known. */
  readonly hasUnknownTokens?: boolean | undefined
  /** The last whole text. */
  readonly lastText?: string | undefined
  /** Present after a resume, until the thread gets a new block. */
  readonly resumedTurn?: ResumedTurn | undefined
}

/** A message of an agent. */
interface KnownMessage {
  readonly id: string
  /** The number of its blocks, and of the calls among them. */
  readonly blocks: number
  /** The whole message is known. Its chunks come again. */
  readonly isWhole?: boolean
  /** The time of its last chunk in the log. */
  readonly at?: number | undefined
}

/** A call. Each update has only the fields that have changed. */
export interface KnownCall {
  readonly id: string
  readonly conversationId: string
  readonly role: 'tool' | 'agent' | 'compaction'
  readonly toolName: string
  /** The fields of all updates so far. */
  readonly fields: JsonObject
  /** The output of a terminal. */
  readonly terminal?: string | undefined
  /** The tool's own record. */
  readonly response?: JsonObject | undefined
  readonly isEnded?: boolean
}

/** A session of the connection. A child session is an agent's. */
export interface KnownSession {
  readonly id: string
  readonly role: 'root' | 'child' | 'other' | 'new'
  readonly cwd?: string | undefined
  readonly model?: string | undefined
}

/** An agent that works for another. */
export interface KnownAgent {
  readonly id: string
  readonly order: number
  readonly agentId?: string | undefined
  readonly run: 'announced' | 'running' | 'ended'
  readonly hasOutput?: boolean
  readonly isInBackground?: boolean
  /** The conversation that its child session belongs to. */
  readonly parentId?: string | undefined
  /** The program has reported that the agent runs again. Its next work shows that the report is no repeated one. */
  readonly isRestarting?: boolean
}

/** The prompts with the same words. */
export interface KnownPrompts {
  /** The key that stands for the words. */
  readonly id: string
  /** The number of prompts with these words. */
  readonly known: number
  /** The number of those that the current replay, or the connection, has repeated so far. */
  readonly seen: number
  /** The number of those that the client has sent again after their replay. */
  readonly repeated: number
}

/** A request of the client that has no response yet. */
export interface ClientCall {
  readonly id: string
  readonly method: string
  readonly sessionId?: string | undefined
  readonly promptId?: string | undefined
  readonly cwd?: string | undefined
  /** The key of the words of the prompt. */
  readonly words?: string | undefined
  /** A prompt that has its response. The same request may come again. */
  readonly isAnswered?: boolean
}

/** A prompt with the words of an earlier one. The first update of its turn shows whether it is the same prompt. */
interface HeldPrompt {
  /** The JSON-RPC id of its request. */
  readonly id?: string | undefined
  readonly parts: readonly UserContentPart[]
}

/** The facts from earlier messages that the source needs to translate the next one. Treat it as opaque. */
export interface AcpMemory extends CommonNotes {
  readonly rootId?: string | undefined
  readonly sessions: PersistentMap<KnownSession>
  readonly threads: PersistentMap<KnownThread>
  /** By `compositeKey` of conversation and message. */
  readonly messages: PersistentMap<KnownMessage>
  readonly calls: PersistentMap<KnownCall>
  readonly agents: PersistentMap<KnownAgent>
  /** The `toolUseId` by the agent's own id. */
  readonly agentIds: PersistentMap<string>
  readonly agentCount: number
  readonly prompts: PersistentMap<KnownPrompts>
  /** The last prompt of main. */
  readonly promptId?: string | undefined
  readonly heldPrompt?: HeldPrompt | undefined
  /** By the id of the JSON-RPC request. */
  readonly clientCalls: PersistentMap<ClientCall>
  /** The methods of the agent's requests without a response, by the id of the JSON-RPC request. */
  readonly agentCalls: PersistentMap<string>
  /** The number of prompts without a response. */
  readonly openPrompts: number
  /** The memory comes from a state, which does not have the ids of earlier requests. */
  readonly isResumed?: boolean | undefined
  /** One of the open prompts comes from a resumed state, which does not have the id of its request. */
  readonly hasUnnamedPrompt?: boolean | undefined
  /** The client's prompts are in the input, so an update without a prompt starts no turn. */
  readonly hasPrompts: boolean
  /** The JSON-RPC id of the request whose response ends the replay. */
  readonly loadId?: string | undefined
  /** By the id of the JSON-RPC request. */
  readonly requests: PersistentMap<BlockOf<'request'>>
}

export const initialMemory: AcpMemory = Object.freeze({
  sessions: /* @__PURE__ */ new PersistentMap<KnownSession>(),
  threads: /* @__PURE__ */ new PersistentMap<KnownThread>(),
  messages: /* @__PURE__ */ new PersistentMap<KnownMessage>(),
  calls: /* @__PURE__ */ new PersistentMap<KnownCall>(),
  agents: /* @__PURE__ */ new PersistentMap<KnownAgent>(),
  agentIds: /* @__PURE__ */ new PersistentMap<string>(),
  agentCount: 0,
  prompts: /* @__PURE__ */ new PersistentMap<KnownPrompts>(),
  clientCalls: /* @__PURE__ */ new PersistentMap<ClientCall>(),
  agentCalls: /* @__PURE__ */ new PersistentMap<string>(),
  openPrompts: 0,
  hasPrompts: false,
  requests: /* @__PURE__ */ new PersistentMap<BlockOf<'request'>>(),
})
