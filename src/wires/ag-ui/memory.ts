import type { JsonObject } from '../../json/values.ts'
import type { CommonNotes } from '../../session/notes/notes.ts'
import { PersistentMap } from '../../session/notes/persistent-map.ts'
import type { ConversationBlock } from '../../state/block.ts'

/** A block that the source itself shows. The reducer makes the blocks of subagents. */
export type ShownBlock = Exclude<ConversationBlock, { readonly type: 'subagent' }>

/** The place of a message, call or block: its conversation, and its own id there. */
export interface Place {
  readonly conversationId: string
  readonly id: string
}

/** A text or call whose deltas may come. */
export interface KnownStream {
  /** Further deltas may come. */
  readonly isOpen?: boolean | undefined
  /** The number of UTF-16 units that have come again, if the stream repeats the text. */
  readonly repeated?: number | undefined
  /** The arguments of a call so far, as a JSON text. */
  readonly args?: string | undefined
}

/** A block, as the events so far lead to it. */
export interface KnownBlock extends KnownStream {
  readonly block: ShownBlock
  /** Grows with each new block. */
  readonly order: number
}

/** An agent that works for another. */
export interface KnownAgent extends KnownStream {
  /** The `toolUseId`. */
  readonly id: string
  /** The order of its block among the other blocks. */
  readonly order: number
  /** A suspended agent goes on in a later run. */
  readonly status: 'announced' | 'running' | 'suspended' | 'ended'
  /** The agent has ended with an error. */
  readonly isFailed?: boolean
  /** The conversation that has the agent's block. */
  readonly parentId?: string | undefined
  /** The run in which the agent started last. */
  readonly startedIn?: string | undefined
  readonly prompt?: string | undefined
  readonly agentId?: string | undefined
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
}

/** A stream of chunks. Each conversation has at most one. */
interface Lane {
  /** The conversation. */
  readonly id: string
  readonly kind: 'text' | 'thinking' | 'call'
  /** The id of the message or call, as the protocol has it. */
  readonly streamId: string
}

/** The run that is open. */
interface KnownRun {
  readonly id: string
  /** The run has ended before, and its events come again. */
  readonly isRepeated?: boolean
}

/** The facts from earlier events that the source needs to translate the next one. Treat it as opaque. */
export interface AgUiSourceMemory extends CommonNotes {
  /** By conversation and id. */
  readonly blocks: PersistentMap<PersistentMap<KnownBlock>>
  /** The ids of the pending blocks, by conversation and id. */
  readonly pending: PersistentMap<PersistentMap<string>>
  readonly agents: PersistentMap<KnownAgent>
  /** The `toolUseId` by the `subagentRunId`. */
  readonly agentRuns: PersistentMap<string>
  /** The conversation of each message and call of an agent, by the id in the protocol. */
  readonly owners: PersistentMap<string>
  /** The number of blocks so far. */
  readonly count: number
  readonly lanes: PersistentMap<Lane>
  readonly run?: KnownRun | undefined
  /** The ids of the runs that have ended. */
  readonly endedRuns: PersistentMap<string>
  /** A run has begun before, so an event between two runs starts no turn. */
  readonly hasRuns: boolean
  /** The blocks of open requests that only a run's interrupts show, by the id of the interrupt. */
  readonly interrupts: PersistentMap<Place>
  /** The shared state, in the field `state`. */
  readonly shared: JsonObject
  /** The agents' own ids in the shared state, by their `toolUseId`. */
  readonly agentIds: PersistentMap<string>
  /** Numbers the reasoning messages of servers that give none an id. */
  readonly unnamed: number
}

export const initialMemory: AgUiSourceMemory = Object.freeze({
  blocks: /* @__PURE__ */ new PersistentMap<PersistentMap<KnownBlock>>(),
  pending: /* @__PURE__ */ new PersistentMap<PersistentMap<string>>(),
  agents: /* @__PURE__ */ new PersistentMap<KnownAgent>(),
  agentRuns: /* @__PURE__ */ new PersistentMap<string>(),
  owners: /* @__PURE__ */ new PersistentMap<string>(),
  count: 0,
  lanes: /* @__PURE__ */ new PersistentMap<Lane>(),
  endedRuns: /* @__PURE__ */ new PersistentMap<string>(),
  hasRuns: false,
  interrupts: /* @__PURE__ */ new PersistentMap<Place>(),
  shared: {},
  agentIds: /* @__PURE__ */ new PersistentMap<string>(),
  unnamed: 0,
})
