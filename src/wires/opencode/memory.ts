import type { Buffered } from '../../session/buffer.ts'
import type { CommonNotes } from '../../session/notes/notes.ts'
import { PersistentMap } from '../../session/notes/persistent-map.ts'
import type { ResumedPlace } from '../../session/resume/resumed-text.ts'
import type { AssistantTextBlock, BlockOf, ThinkingBlock, UserMessageBlock } from '../../state/block.ts'
import type { UserContentPart } from '../../state/content.ts'
import type { FileChange } from '../../state/file-change.ts'
import type { TurnStatus } from '../../state/turn.ts'
import type { BusEvent } from './events/event.ts'
import type { PartUpdate } from './routing/event-place.ts'

/** The known facts of one OpenCode session: the main session or a subagent's. */
export interface KnownSession {
  readonly id: string
  /** The session whose tool call started this one. */
  readonly parentId?: string | undefined
  /** OpenCode has reported either the parent or that there is none. */
  readonly isOriginKnown: boolean
  /** The turn of a subagent's session. */
  readonly turn: Turn
  /** The session is a subagent without a known call, and its run has been completed. */
  readonly isCompleted: boolean
  /** At least one message event of the session has arrived. */
  readonly hasMessages: boolean
  /** OpenCode reports the cost of the whole session, so the costs of its steps are not added up. */
  readonly reportsCost: boolean
  /** The cost in units of 1e-9 US dollars. Sums of integers do not depend on their order. */
  readonly nanoDollars: number
  /** The time of the last change, in ms since the epoch. An older `info` is a repeated one. */
  readonly updatedAt?: number | undefined
  /** The cost comes from a resumed state: it is the session's own, or that of several sessions, and their shares are not known. */
  readonly resumedCost?: 'own' | 'shared' | undefined
  /** The assistant message that is not complete yet. */
  readonly openMessageId?: string | undefined
  /** The message of the last bus event. An export resets it: the events that follow may begin anywhere. */
  readonly currentMessageId?: string | undefined
  /** The user message that the model's last message answers. */
  readonly answeredMessageId?: string | undefined
  /** The model's newest message that is complete, or that a resumed state holds. */
  readonly newestMessageId?: string | undefined
  /** The model that wrote the last message of a resumed state. */
  readonly resumedModel?: string | undefined
  readonly errors: readonly MessageError[]
  /** The session's error in this turn, and its block, while no message has reported it. */
  readonly unassignedError?: UnassignedError | undefined
  /** The root folder of the session's files. The paths in the sum of a turn's changes are relative to it. */
  readonly worktree?: string | undefined
  /** The user messages with changes that arrived before the worktree was known. */
  readonly unplacedMessageIds?: readonly string[] | undefined
  /** The first message of a pending revert. The next prompt removes this message and all later ones. */
  readonly revertMessageId?: string | undefined
}

/** An error that ended a message. */
export interface MessageError {
  readonly messageId: string
  /** The user message that the message answered. */
  readonly parentId?: string
  readonly code?: string
  readonly text?: string
}

/** An error that the session reported, but no message yet. */
interface UnassignedError {
  readonly blockId: string
  readonly code?: string
  readonly text?: string
}

/** The known facts of one message. */
export interface KnownMessage {
  readonly id: string
  /** OpenCode has reported the message itself, not only its parts. */
  readonly isReported: boolean
  readonly isUser: boolean
  /** The message is the model's summary of the earlier conversation. */
  readonly isSummary: boolean
  readonly isComplete: boolean
  /** The person has refused a call of the message without a comment: the model does not go on. */
  readonly isRefused?: boolean | undefined
  readonly model?: string | undefined
  readonly timestamp?: string | undefined
  /** By part id. */
  readonly parts: PersistentMap<KnownPart>
  /** The text and reasoning parts that are still growing. */
  readonly streamingPartIds: readonly string[]
  /** The parts that were removed. OpenCode never uses an id again, so later events of them are repeated ones. */
  readonly removedPartIds?: readonly string[] | undefined
  /** The last text part that a resumed state holds. The state has no earlier part that it does not show. */
  readonly lastResumedPartId?: string | undefined
  /** The sum of the turn's changes, with the paths as OpenCode writes them. */
  readonly changes?: readonly FileChange[] | undefined
}

/** The known facts of one part of a message. */
export interface KnownPart {
  readonly id: string
  /** The blocks that the part became. */
  readonly blockIds: readonly string[]
  /** The part's content in a user message. */
  readonly content?: UserContentPart
  /** The part's call, if it starts a subagent. */
  readonly subagentCallId?: string
  /** The part has arrived as a whole. Later deltas repeat known text. */
  readonly isFinal?: boolean
  /** The part itself, while no event has reported the role of its message. */
  readonly unattributed?: PartUpdate | undefined
  /** The events that built the part, while it is streaming. A repeated event adds nothing. */
  readonly seenEventIds?: PersistentMap<string>
  /** The output of a call that still runs. It grows: an update with a part of it is a repeated one. */
  readonly output?: string
  /** The start of a call, as its block shows it. */
  readonly timestamp?: string
  /** The part comes from a resumed state, which does not hold its id. Another id stands in for it. */
  readonly isPlaceholder?: boolean
  /** The id by which the part is sorted in its message, if not its own. */
  readonly sortId?: string
  /** The streaming text of a resumed state. Repeated events may build it again. */
  readonly resumedText?: ResumedText
}

/** A block whose text grows. A summary of the conversation is a user message. */
export type StreamingBlock =
  | AssistantTextBlock
  | ThinkingBlock
  | (Omit<UserMessageBlock, 'content'> & { readonly content: string })

/** The text of a streaming part in a resumed state, and the place that repeated events have reached in it. */
export interface ResumedText {
  readonly block: StreamingBlock
  /** Absent while nothing shows the place. */
  readonly place?: ResumedPlace | undefined
}

/** A part of a resumed state whose message the state does not name, with the facts of that message. */
export interface ResumedPart {
  readonly part: KnownPart
  readonly message: Pick<KnownMessage, 'isUser' | 'isSummary' | 'timestamp'>
}

/** A call of the tool `task`, which starts or resumes a subagent. */
export interface KnownTask {
  readonly callId: string
  /** Numbers the calls in the order of their first events. */
  readonly order: number
  /** The call that started the subagent, if this call resumes it. */
  readonly resumedCallId?: string
  /** The subagent's session. */
  readonly agentId?: string
  readonly prompt?: string
  /** The call's target is known. Until then the subagent is pending. */
  readonly isStarted: boolean
  /** The call that began the current or last run. */
  readonly runId: string
  readonly hasEnded: boolean
}

/** The requests that a call made, in their order. */
interface CallRequests {
  readonly ids: readonly string[]
}

/** The events of a session whose conversation is not known yet. */
export interface BufferedSession {
  readonly sessionId: string
  /** Numbers the sessions in the order of their first buffered events. */
  readonly order: number
  /** Numbers the sessions in the order of the first events that prove work. An idle session has none. */
  readonly workOrder?: number
  readonly last: Buffered<BusEvent>
}

/** The turn of a session. An idle session keeps the turn's outcome. */
export type Turn = Exclude<TurnStatus, 'finished'> | 'answered'

/** The facts from earlier messages that the source needs to translate the next one. Treat it as opaque. */
export interface OpencodeMemory extends CommonNotes {
  /** The session of the conversation `'main'`: the first one that works, or that the input sees begin, and has no parent. */
  readonly mainSessionId?: string | undefined
  /** The cost of all sessions, in units of 1e-9 US dollars. */
  readonly nanoDollars: number
  readonly taskCount: number
  /** Numbers the blocks of events that have no id. */
  readonly eventsWithoutId: number
  /** By session id. */
  readonly bufferedSessions: PersistentMap<BufferedSession>
  /** Counts all events that were ever buffered. */
  readonly bufferedEventCount: number
  /** The retry and error events that became a block, by event id. */
  readonly eventIdsWithBlock: PersistentMap<string>
  /** The idle events that arrived, by event id. A repeated one must not complete the blocks of a later turn. */
  readonly idleEventIds: PersistentMap<string>
  /** By session id. */
  readonly sessions: PersistentMap<KnownSession>
  /** By `compositeKey` of session id and message id. */
  readonly messages: PersistentMap<KnownMessage>
  /** The messages that were removed, by the same key. */
  readonly removedMessages: PersistentMap<string>
  /** By `compositeKey` of session id and part id. */
  readonly resumedParts: PersistentMap<ResumedPart>
  /** By tool call id. */
  readonly tasks: PersistentMap<KnownTask>
  /** The call that started a subagent, by the subagent's session id. */
  readonly callIdBySession: PersistentMap<string>
  /**
   * The part that owns a call id, by `compositeKey` of scope and call id. Some models use a call id twice: a later part has an entry by
   * session, message and call id.
   */
  readonly partIdByCall: PersistentMap<string>
  /** By request id. */
  readonly requests: PersistentMap<BlockOf<'request'>>
  /** The requests that a call made, by `compositeKey` of session id and `toolUseId`. */
  readonly callRequests: PersistentMap<CallRequests>
}

export const initialMemory: OpencodeMemory = Object.freeze({
  nanoDollars: 0,
  taskCount: 0,
  eventsWithoutId: 0,
  bufferedSessions: /* @__PURE__ */ new PersistentMap<BufferedSession>(),
  bufferedEventCount: 0,
  eventIdsWithBlock: /* @__PURE__ */ new PersistentMap<string>(),
  idleEventIds: /* @__PURE__ */ new PersistentMap<string>(),
  sessions: /* @__PURE__ */ new PersistentMap<KnownSession>(),
  messages: /* @__PURE__ */ new PersistentMap<KnownMessage>(),
  removedMessages: /* @__PURE__ */ new PersistentMap<string>(),
  resumedParts: /* @__PURE__ */ new PersistentMap<ResumedPart>(),
  tasks: /* @__PURE__ */ new PersistentMap<KnownTask>(),
  callIdBySession: /* @__PURE__ */ new PersistentMap<string>(),
  partIdByCall: /* @__PURE__ */ new PersistentMap<string>(),
  requests: /* @__PURE__ */ new PersistentMap<BlockOf<'request'>>(),
  callRequests: /* @__PURE__ */ new PersistentMap<CallRequests>(),
})
