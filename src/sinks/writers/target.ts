import type { PlanTarget } from '../plan/context.ts'
import type { LossCounter } from '../plan/losses.ts'
import type { IdMaker, SessionPlan } from '../plan/plan.ts'

/** The input of a target besides the plan. */
export interface WriteContext {
  readonly ids: IdMaker
  readonly losses: LossCounter
  /** The model that the caller wants to go on with. */
  readonly model: string | undefined
}

/** The files of a session in the words of its program. */
export interface WrittenFiles {
  /**
   * The texts by their path, which uses `/`: in the program's folder of sessions, or anywhere if the program imports
   * the file. The last one is main's.
   */
  readonly files: Readonly<Record<string, string>>
  /** The program has a database, and imports the file. */
  readonly isImported?: true
  /** The commands that resume the session, in order and by their words. A word that is the path of a file stands for the whole path. */
  readonly commands: readonly (readonly string[])[]
}

/** A program whose sessions can be written. */
export interface Target extends PlanTarget {
  write(plan: SessionPlan, context: WriteContext): WrittenFiles
}
