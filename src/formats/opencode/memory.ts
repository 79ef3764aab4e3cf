import type { BlockOf } from '../../state/block.ts'
import type { UserContentPart } from '../../state/content.ts'
import type { SessionFacts } from '../../state/session.ts'
import type { Buffered } from '../translation/buffer.ts'
import { PersistentMap } from '../translation/persistent-map.ts'
import type { BusEvent } from './events/event.ts'

/** What is known of one of the program's sessions: main, or that of a subagent. */
export interface KnownSession {
  readonly id: string
  /** The session whose tool call started it. */
  readonly parentId?: string
  /** It is known whether another session started it. */
  readonly isTold: boolean
  /** A message of it has been met. */
  readonly isMet: boolean
  /** The program tells what the session cost. */
  readonly hasCost: boolean
  /** In units of 1e-9 US dollars, so that sums do not depend on their order. */
  readonly nanoDollars: number
  /** The assistant message that is not complete yet. */
  readonly openMessage?: string | undefined
  /** The message from which on the session was reverted, until the next prompt removes it. */
  readonly revertedTo?: string | undefined
}

/** What is known of a message. */
export interface KnownMessage {
  readonly id: string
  /** The program has told of the message itself, not only of its parts. */
  readonly isTold: boolean
  readonly isUser: boolean
  /** The model's summary of what went before it. */
  readonly isSummary: boolean
  readonly isComplete: boolean
  readonly model?: string
  readonly timestamp?: string
  /** By part: the blocks and calls that came of it. */
  readonly parts: PersistentMap<KnownPart>
  /** The text and reasoning that are being streamed. */
  readonly openParts: readonly string[]
}

/** What became of a part of a message. */
export interface KnownPart {
  readonly id: string
  readonly blockIds: readonly string[]
  /** What it says in the message of a person. */
  readonly content?: UserContentPart
  /** The call that starts a subagent. */
  readonly callId?: string
  /** It has come as a whole: a delta that comes later has been said already. */
  readonly isFinal?: boolean
  /** The events that built it, while it is being streamed: one that comes again adds nothing. */
  readonly seen?: PersistentMap<string>
}

/** A call of the tool that starts a subagent, or has one go on. */
export interface Task {
  readonly callId: string
  /** Counts the tasks in the order in which they were met. */
  readonly order: number
  /** The call whose subagent goes on, where it is not this one's own. */
  readonly resumes?: string
  /** The subagent's session. */
  readonly agentId?: string
  readonly prompt?: string
  /** The model has said what it asks for; before that the call is only announced. */
  readonly isStarted: boolean
  /** The call of the run that goes on or was the last. */
  readonly runId: string
  readonly isSettled: boolean
}

/** The events of a session of which nothing has told whose it is. */
interface HeldEvents {
  readonly sessionId: string
  /** Counts the sessions in the order in which they were met. */
  readonly order: number
  readonly last: Buffered<BusEvent>
}

/** Where main's turn stands. */
export type Turn = 'none' | 'running' | 'answered' | 'interrupted'

/** What the source has to remember of the messages so far. */
export interface OpencodeMemory {
  readonly facts: SessionFacts
  readonly turn: Turn
  /** The session that is shown as main: the first that nobody started. */
  readonly mainSession?: string
  readonly nanoDollars: number
  readonly taskCount: number
  /** How many events without an id have got a number instead. */
  readonly unnamedEvents: number
  /** By session id. */
  readonly held: PersistentMap<HeldEvents>
  readonly heldCount: number
  /** By event id: those that gave a block of their own. */
  readonly noted: PersistentMap<string>
  /** By session id. */
  readonly sessions: PersistentMap<KnownSession>
  /** By `keyOf` session and message. */
  readonly messages: PersistentMap<KnownMessage>
  /** By tool call id. */
  readonly tasks: PersistentMap<Task>
  /** By a subagent's session id: the call that started it. */
  readonly callIds: PersistentMap<string>
  /** By `keyOf` session and the model's id of a call: the part that has it. Some models use an id again. */
  readonly calls: PersistentMap<string>
  /** By request id: what was asked of the person. */
  readonly requests: PersistentMap<BlockOf<'system'>>
}

export const initialMemory: OpencodeMemory = Object.freeze({
  facts: {},
  turn: 'none',
  nanoDollars: 0,
  taskCount: 0,
  unnamedEvents: 0,
  held: new PersistentMap<HeldEvents>(),
  heldCount: 0,
  noted: new PersistentMap<string>(),
  sessions: new PersistentMap<KnownSession>(),
  messages: new PersistentMap<KnownMessage>(),
  tasks: new PersistentMap<Task>(),
  callIds: new PersistentMap<string>(),
  calls: new PersistentMap<string>(),
  requests: new PersistentMap<BlockOf<'system'>>(),
})
