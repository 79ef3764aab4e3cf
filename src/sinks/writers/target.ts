import type { LossCounter } from './losses.ts'
import type { IdMaker } from './plan/ids.ts'
import type { SessionPlan } from './plan/plan.ts'
import type { PlanTarget } from './plan/plan-session.ts'

/** What a target needs besides the plan. */
export interface WriteContext {
  readonly ids: IdMaker
  readonly losses: LossCounter
}

/** The files of a session in the words of its program. */
export interface WrittenFiles {
  /** The texts by their path: in the program's folder of sessions, or anywhere if the program imports the file. It uses `/`. */
  readonly files: Readonly<Record<string, string>>
  /** Lines for the ends of files that the program shares between its sessions, by their path in the same folder. */
  readonly appends?: Readonly<Record<string, string>>
  /** The commands that resume the session, in order and by their words. A word that is the path of a file stands for the whole path. */
  readonly commands: readonly (readonly string[])[]
}

/** A program whose sessions can be written. */
export interface Target extends PlanTarget {
  write(plan: SessionPlan, context: WriteContext): WrittenFiles
}
