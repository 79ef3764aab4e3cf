import type { FieldsOf, ShapeOf } from '../json/shape.ts'

/** How a turn ended: by itself, stopped by a person or a crash, or with an error. */
export type TurnOutcome = 'finished' | 'interrupted' | 'failed'

/** The status of main's turn. It is `idle` before the first turn. */
export type TurnStatus = 'idle' | 'running' | TurnOutcome

/** Main's current or last turn. An absent field is unknown. */
export interface SessionTurn {
  readonly status: TurnStatus
  /** ISO 8601, from the source. */
  readonly startedAt?: string
  /** ISO 8601, from the source. */
  readonly endedAt?: string
  /** The time between start and end, in ms. */
  readonly durationMs?: number
  /** The reason of a turn that failed, in the program's words. */
  readonly error?: string
  /**
   * The ids of main's blocks that the end of an input finalized. It is there, perhaps empty, if that end stopped the
   * turn, and neither the program nor a person did. The block leaves the list when it ends by itself or is removed.
   */
  readonly openBlocks?: readonly string[]
}

/** The shape of an outcome. */
export const TURN_OUTCOME: ShapeOf<TurnOutcome> = {
  oneOf: { finished: true, interrupted: true, failed: true },
}

/** The shape of a turn. */
export const SESSION_TURN: FieldsOf<SessionTurn> = {
  status: { oneOf: { idle: true, running: true, finished: true, interrupted: true, failed: true } },
  'startedAt?': 'name',
  'endedAt?': 'name',
  'durationMs?': 'finite number',
  'error?': 'string',
  'openBlocks?': { listOf: 'name' },
}
