import { timeInMs } from '../../core/json/lists.ts'
import type { ConversationThread, SubagentState } from '../../core/state/session.ts'
import type { LossCounter } from './losses.ts'
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
  const ms = timeInMs(timestamp)
  return ms >= 0 && ms < LAST_TIME ? new Date(ms).toISOString() : undefined
}

const LAST_TIME = Date.parse('9999-01-01')
