import type { CommonNotes } from '../../session/notes/notes.ts'
import { PersistentMap } from '../../session/notes/persistent-map.ts'
import type { ResumedPlace } from '../../session/resume/resumed-text.ts'
import type { BlockOf } from '../../state/block.ts'
import type { UserContentPart } from '../../state/content.ts'
import type { TokenUsage } from '../../state/session.ts'

/** A message in the model's history, or one that the program has reported. The other of the two makes it a block. */
export interface HeldMessage {
  readonly role: 'user' | 'assistant'
  readonly id?: string | undefined
  readonly content: readonly UserContentPart[]
  readonly time?: string | undefined
}

/** The known facts of one thread: main's or an agent's. */
export interface KnownThread {
  readonly id: string
  /** Numbers the threads in the order of their first messages. */
  readonly order: number
  readonly isMain: boolean
  /** The thread belongs to another session of the same server. */
  readonly isOther?: boolean
  /** The call that started the agent. */
  readonly callId?: string
  readonly parentId?: string
  /** The place among the agents, such as `/root/inspector`. */
  readonly agentPath?: string
  readonly model?: string
  /** The current or last turn. */
  readonly turnId?: string | undefined
  readonly hasTurns?: boolean
  /** The agent's current run. */
  readonly run: 'none' | 'running' | 'ended'
  /** The program reports messages as `events` without ids or as `items`, or the file has neither: `history`. */
  readonly reports?: 'events' | 'items' | 'history'
  /** An entry of the history that waits for its report. */
  readonly heldEntry?: HeldMessage | undefined
  /** A report that waits for its entry, which may have an id. */
  readonly heldReport?: HeldMessage | undefined
  /** A compaction whose item is still to come. */
  readonly heldCompaction?: HeldCompaction | undefined
  /** Numbers the blocks of entries without an id. */
  readonly unnamed: number
  /** The texts that are not complete yet. */
  readonly openTextIds: readonly string[]
  /** The last text of the reply whose tokens are still to come. */
  readonly replyId?: string | undefined
  /** The tokens of all replies so far. */
  readonly total: number
  /** The tokens of all replies so far, as `codex exec` reports them. */
  readonly sum?: TokenUsage
  /** The searches that an event has reported, while their entries are still to come. */
  readonly searches?: number
  /** The calls that start agents whose threads are not known yet. */
  readonly announcedIds?: readonly string[]
  /** The last text of the model in this turn. */
  readonly lastText?: string | undefined
  /** The last time in a resumed state. A turn that started before is a repeated one. */
  readonly resumedUntil?: string | undefined
  /** The running turn of a resumed state has blocks after its prompt, so its start has been read. */
  readonly hasResumedWork?: boolean
}

interface HeldCompaction {
  readonly summary?: string | undefined
  readonly time?: string | undefined
}

/** An open text of a resumed state, and the place that repeated deltas have reached in it. */
interface ResumedText {
  readonly kind: 'text' | 'thinking'
  readonly content: string
  /** Absent while nothing shows the place. */
  readonly place?: ResumedPlace | undefined
}

/** The known facts of one item or call. */
export interface KnownItem {
  readonly id: string
  /** The item has ended. `by` is the message that ended it: an item is more certain than the output of its call. */
  readonly endedBy?: 'item' | 'output'
  /** The call, while it has no result. */
  readonly call?: BlockOf<'tool_use'> | undefined
  /** The time of the call's entry. */
  readonly time?: string | undefined
  /** The text of the patch that the call applies. */
  readonly patch?: string | undefined
  /** The output of a command that still runs. */
  readonly output?: string | undefined
  /** The call is no block of its own: it wrote a plan, or started an agent. */
  readonly role?: 'plan' | 'agent'
  /** The time of the last delta, and the deltas of that time. An older or equal one is repeated. */
  readonly deltaTime?: string | undefined
  readonly deltas?: readonly string[] | undefined
  /** The open text of a resumed state. Its deltas may be repeated ones. */
  readonly resumedText?: ResumedText | undefined
}

/** The facts from earlier messages that the source needs to translate the next one. Treat it as opaque. */
export interface CodexMemory extends CommonNotes {
  readonly mainId?: string | undefined
  /** The thread of messages that name none. */
  readonly currentId?: string | undefined
  /** The number of processes of `codex exec` so far. */
  readonly processes: number
  /** The state was resumed between two turns of `codex exec`. Each process has one turn, and the next one may have begun. */
  readonly isBetweenProcesses?: boolean | undefined
  readonly threadCount: number
  readonly threads: PersistentMap<KnownThread>
  /** By `compositeKey` of thread and item. */
  readonly items: PersistentMap<KnownItem>
  /** The turns that have ended. A repeated message must not start them again. */
  readonly endedTurns: PersistentMap<string>
  /** By the id of the JSON-RPC request. */
  readonly requests: PersistentMap<BlockOf<'request'>>
  /** The end of the turn of a resumed state. A turn that started before is a repeated one. */
  readonly resumedUntil?: string | undefined
}

export const initialMemory: CodexMemory = Object.freeze({
  processes: 0,
  threadCount: 0,
  threads: /* @__PURE__ */ new PersistentMap<KnownThread>(),
  items: /* @__PURE__ */ new PersistentMap<KnownItem>(),
  endedTurns: /* @__PURE__ */ new PersistentMap<string>(),
  requests: /* @__PURE__ */ new PersistentMap<BlockOf<'request'>>(),
})
