import type { ConversationThread, SubagentState } from '../../core/state/session.ts'
import type { IdMaker, ThreadPlan } from './plan.ts'

/** The facts that the plan needs about the program that will read it. */
export interface PlanTarget {
  readonly program: string
  /** The program stores thinking apart from what the provider gets again. */
  readonly keepsThinking: boolean
  /** The agents whose conversations the program stores: none, those that main has called, or all. */
  readonly keepsAgents: 'none' | 'of main' | 'all'
}

/** The place at which a thread begins. */
export interface ThreadStart {
  /** `'main'` or the agent's `toolUseId`. */
  readonly place: string
  /** The number of agents above. */
  readonly depth: number
  readonly start: string
  /** The prompt of an agent, if the thread does not begin with it. */
  readonly prompt?: string | undefined
}

/** The facts that all threads of a plan share. */
export interface PlanContext {
  readonly destination: PlanTarget
  readonly ids: IdMaker
  readonly losses: LossCounter
  /** The program that made the calls. */
  readonly source: string | undefined
  /** The agents whose calls are still to come, by those calls. An agent leaves the map when its call is planned. */
  readonly agents: Map<string, SubagentState>
  planThread(thread: ConversationThread, start: ThreadStart): ThreadPlan
}

/** The time of a session whose source has none. */
const NO_TIME = '1970-01-01T00:00:00.000Z'

/** Returns the first time in a conversation. */
export function firstTime({ blocks }: ConversationThread, otherwise = NO_TIME): string {
  for (const { timestamp } of blocks) {
    const time = isoOf(timestamp)
    if (time !== undefined) return time
  }
  return otherwise
}

/** Returns the later of two times; the second if the first is none. */
export function laterTime(timestamp: string | undefined, floor: string): string {
  const time = isoOf(timestamp)
  return time !== undefined && time > floor ? time : floor
}

/** Returns the time of the next millisecond. */
export function nextMs(time: string): string {
  return new Date(Date.parse(time) + 1).toISOString()
}

/** Gives each entry its own time, or that of the entry before: programs sort by time, so none may go back. */
export class Clock {
  #time: string

  constructor(start: string) {
    this.#time = start
  }

  at(timestamp: string | undefined): string {
    this.#time = laterTime(timestamp, this.#time)
    return this.#time
  }
}

/** Returns the time in UTC with milliseconds, so that times sort as texts. Undefined for a time that no program can store. */
function isoOf(timestamp: string | undefined): string | undefined {
  const ms = Date.parse(timestamp ?? '')
  return ms >= 0 && ms < LAST_TIME ? new Date(ms).toISOString() : undefined
}

const LAST_TIME = Date.parse('9999-01-01')

/**
 * A kind of content that a written session lacks, although the state has it:
 * - `thinking`: the model's thinking, which a provider takes only with its own signature
 * - `program-note`: messages and skills that the program wrote in the person's place
 * - `system-note`: hooks, retries and other reports of the program
 * - `dropped-text`: a text that its own model no longer reads, since the program has taken it back
 * - `turn-failure`: the error that ended a turn
 * - `request`: questions to the person, and their answers
 * - `abandoned-branch`: the blocks that the person left by a rewind
 * - `subagent-conversation`: an agent's own conversation; its call and its report are there
 * - `running-call`: the result of a call that still ran; a text says so in its place
 * - `attachment`: an image or a file that the program cannot take; its name is there
 * - `failure-mark`: that a result is an error; its text is there
 * - `file-changes`: the diffs that a result states
 * - `plan`: the list of todos
 * - `result-without-call`: a result whose call is not in the conversation
 * - `usage`: the tokens of a message, which the other provider did not count
 */
export type LossKind =
  | 'thinking'
  | 'program-note'
  | 'system-note'
  | 'dropped-text'
  | 'turn-failure'
  | 'request'
  | 'abandoned-branch'
  | 'subagent-conversation'
  | 'running-call'
  | 'attachment'
  | 'failure-mark'
  | 'file-changes'
  | 'plan'
  | 'result-without-call'
  | 'usage'

/** The content of one kind that a written session lacks. */
export interface Loss {
  readonly kind: LossKind
  readonly count: number
  /** The conversations, each once: `'main'` or an agent's `toolUseId`. */
  readonly places: readonly string[]
}

/** Counts losses while a session is written. */
export class LossCounter {
  readonly #losses = new Map<LossKind, { count: number; readonly places: Set<string> }>()

  add(kind: LossKind, place: string, count = 1): void {
    if (count === 0) return
    const loss = this.#losses.get(kind) ?? { count: 0, places: new Set<string>() }
    loss.count += count
    loss.places.add(place)
    this.#losses.set(kind, loss)
  }

  /** Returns the losses in the order of their first place. */
  list(): readonly Loss[] {
    return [...this.#losses].map(([kind, { count, places }]) => ({ kind, count, places: [...places] }))
  }
}
