import type { ConversationThread, SubagentState } from '../../core/state/session.ts'
import type { IdMaker } from './ids.ts'
import type { LossCounter } from './losses.ts'
import type { ThreadPlan } from './plan.ts'

/** What the plan needs to know about the program that will read it. */
export interface PlanTarget {
  readonly program: string
  /** The program stores thinking apart from what the provider gets again. */
  readonly keepsThinking: boolean
  /** The agents whose conversations the program stores: none, those that main has called, or all. */
  readonly keepsAgents: 'none' | 'of main' | 'all'
}

/** Where a thread begins. */
export interface ThreadStart {
  /** `'main'` or the agent's `toolUseId`. */
  readonly place: string
  /** The number of agents above. */
  readonly depth: number
  readonly start: string
  /** The prompt of an agent, if the thread does not begin with it. */
  readonly prompt?: string | undefined
}

/** What all threads of a plan share. */
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
