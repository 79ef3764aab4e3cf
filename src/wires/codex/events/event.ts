import type { UserContentPart } from '../../../core/state/content.ts'
import type { RequestAnswer, RequestFacts } from '../../../core/state/request.ts'
import type { SessionFacts, TokenUsage } from '../../../core/state/session.ts'
import type { Todo } from '../../../core/state/todo.ts'
import type { TurnOutcome } from '../../../core/state/turn.ts'
import type { SourceIssueCode } from '../../../reading/source.ts'
import type { Item, TurnError } from '../items/item.ts'
import type { StoredCall } from '../items/stored-call.ts'
import type { RewindPlace } from '../notes.ts'

/** The thread and the time of an event. */
export interface EventPlace {
  /** Absent if the message does not name its thread: it belongs to the thread of its file or its stream. */
  readonly threadId?: string | undefined
  /** ISO 8601. */
  readonly time?: string | undefined
  /** The number of the line in its file. */
  readonly ordinal?: number | undefined
}

/** A place in a turn. */
interface TurnPlace extends EventPlace {
  readonly turnId?: string | undefined
}

/** A thread exists. A root thread was started by a client, and a child thread by an agent. */
interface ThreadEvent extends EventPlace {
  readonly type: 'thread'
  readonly id: string
  readonly form: 'rollout' | 'exec' | 'app-server'
  readonly parentId?: string | undefined
  /** The thread whose messages this one goes on from. */
  readonly forkedFromId?: string | undefined
  /** The program does not store the thread. */
  readonly isTemporary?: boolean | undefined
  /** The kind of an agent that the program starts without a call, such as `review`. */
  readonly agentKind?: string | undefined
  /** The number of the first line of the other thread, or of an earlier file of this thread, that does not belong to it. */
  readonly keptUntil?: number | undefined
  /** The place among the agents, such as `/root/inspector`. */
  readonly agentPath?: string | undefined
  /** The name that the program gives the agent, if it has no place. */
  readonly nickname?: string | undefined
  readonly role?: string | undefined
  readonly facts: SessionFacts
}

interface TurnStartedEvent extends TurnPlace {
  readonly type: 'turn-started'
  /** The turn of main that this turn works for. */
  readonly rootTurnId?: string | undefined
  /** The number of its line. */
  readonly ordinal?: number | undefined
}

/** The person has taken turns back. */
interface RewoundEvent extends EventPlace {
  readonly type: 'rewound'
  /** Absent if the message has no place. */
  readonly place?: RewindPlace | undefined
}

/** A client requests to take turns back. */
interface RewindRequestEvent {
  readonly type: 'rewind-request'
  readonly requestId: string
  readonly threadId: string
  readonly place: RewindPlace
}

/** The response to a client's request. */
interface ResponseEvent {
  readonly type: 'response'
  readonly requestId: string
  /** The thread in the response. */
  readonly threadId?: string | undefined
  /** The last turn of the thread in the response. */
  readonly lastTurnId?: string | undefined
  readonly isError: boolean
}

interface TurnEndedEvent extends TurnPlace {
  readonly type: 'turn-ended'
  readonly outcome: TurnOutcome
  readonly error?: TurnError | undefined
  /** The end in whole seconds, as ISO 8601. It is the same in all forms. */
  readonly endedAt?: string | undefined
  /** In ms. */
  readonly durationMs?: number | undefined
  /** The last text of the model. */
  readonly lastText?: string | undefined
  /** The program states that the model had no last text. */
  readonly isWithoutText?: boolean
  /** The program ends with the turn, and stops its agents. */
  readonly endsProcess?: true
}

interface ItemEvent extends TurnPlace {
  readonly type: 'item'
  readonly item: Item
  readonly isCompleted: boolean
  /** An `entry` of the model's history, or an `event` of a version without items. Absent for an item. */
  readonly origin?: 'entry' | 'event'
  /** A message of the app-server has the item. */
  readonly isStreamed?: true
  /** The time of that message. */
  readonly sentAt?: string | undefined
}

interface DeltaEvent extends TurnPlace {
  readonly type: 'delta'
  readonly itemId: string
  readonly kind: 'text' | 'thinking' | 'output'
  readonly delta: string
}

/** A plan replaces the one before. */
interface PlanEvent extends EventPlace {
  readonly type: 'plan'
  readonly todos: readonly Todo[]
}

/** Tokens of one reply, or of the whole thread so far. */
interface UsageEvent extends EventPlace {
  readonly type: 'usage'
  /** The tokens of the thread so far. They tell a new report from a repeated one. */
  readonly total: number
  /** The tokens of the last reply. Absent if the message has only those of the thread. */
  readonly last?: TokenUsage | undefined
  readonly sum?: TokenUsage | undefined
  /**
   * Whether a request failed because it did not fit: Codex then sets the thread's total to the context window, and
   * all other counts to 0.
   */
  /** The tokens in the context, if they are not those of the last reply. */
  readonly contextTokens?: number
  readonly isContextFull?: true | undefined
}

interface SettingsEvent extends EventPlace {
  readonly type: 'settings'
  readonly model?: string | undefined
}

interface RequestEvent extends EventPlace {
  readonly type: 'request'
  /** The id of the JSON-RPC request. */
  readonly requestId: string
  readonly request: RequestFacts
}

interface AnswerEvent extends EventPlace {
  readonly type: 'answer'
  readonly requestId: string
  /** Absent if the message only states that the request is over. */
  readonly answer?: RequestAnswer | undefined
}

/** A note of the program. */
interface NoteEvent extends EventPlace {
  readonly type: 'note'
  readonly subtype: string
  readonly message: string
}

/** The reply was cut, and the program requests it again. */
interface RetryEvent extends TurnPlace {
  readonly type: 'retry'
  readonly message: string
}

/** The stream of `codex exec` reports an error. The turn's failure follows. */
interface ErrorEvent extends EventPlace {
  readonly type: 'error'
  readonly message: string
}

/** The model's call, as the model wrote it. */
interface CallEvent extends EventPlace {
  readonly type: 'call'
  /** Its id may be empty. */
  readonly call: StoredCall
  /** Absent if the result has an entry of its own. */
  readonly output?: unknown
}

/** The result of a call, as the model reads it. */
interface OutputEvent extends EventPlace {
  readonly type: 'output'
  readonly callId: string
  readonly output: unknown
}

/** A message in the model's history. The program's own events show which of them are a person's or the model's. */
interface MessageEvent extends EventPlace {
  readonly type: 'message'
  readonly role: 'user' | 'assistant'
  readonly id?: string | undefined
  readonly content: readonly UserContentPart[]
}

/** The program reports a message without an id. */
interface AnnouncedEvent extends EventPlace {
  readonly type: 'announced'
  readonly role: 'user' | 'assistant'
  readonly content: readonly UserContentPart[]
}

/** A command goes on after the answer to its call. */
interface ProcessEvent extends EventPlace {
  readonly type: 'process'
  readonly callId: string
  readonly processId: string
}

interface CompactedEvent extends EventPlace {
  readonly type: 'compacted'
  readonly summary?: string | undefined
  /** The messages that the model still has beside the summary. */
  readonly kept?: readonly KeptMessage[] | undefined
}

/** A message of the model's history, or a call with its result, by the id of the call. */
export type KeptMessage =
  | { readonly role: 'user' | 'assistant'; readonly content: readonly UserContentPart[] }
  | { readonly callId: string }

/** A message between agents. */
interface AgentMessageEvent extends EventPlace {
  readonly type: 'agent-message'
  readonly id?: string | undefined
  /** The paths of the agents. */
  readonly author: string
  readonly kind: string
  /** Absent if it is encrypted. */
  readonly text?: string | undefined
}

interface UnknownEvent extends EventPlace {
  readonly type: 'unknown'
  readonly code: SourceIssueCode
  readonly name: string
}

/** An event of a Codex session. The three forms of a session give the same events, as far as they carry them. */
export type CodexEvent =
  | ThreadEvent
  | TurnStartedEvent
  | TurnEndedEvent
  | RewoundEvent
  | RewindRequestEvent
  | ResponseEvent
  | ItemEvent
  | DeltaEvent
  | PlanEvent
  | UsageEvent
  | SettingsEvent
  | RequestEvent
  | AnswerEvent
  | NoteEvent
  | RetryEvent
  | ErrorEvent
  | CallEvent
  | OutputEvent
  | MessageEvent
  | AnnouncedEvent
  | ProcessEvent
  | CompactedEvent
  | AgentMessageEvent
  | UnknownEvent

/** The event of that type. */
export type CodexEventOf<Type extends CodexEvent['type']> = Extract<CodexEvent, { readonly type: Type }>

/** Reports a part of a message whose type is unknown. */
export function unknownBlock(name: string, { threadId, time }: EventPlace): CodexEventOf<'unknown'> {
  return { type: 'unknown', threadId, time, code: 'unknown-block', name }
}
