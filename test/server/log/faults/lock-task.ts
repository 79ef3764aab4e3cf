/** The task of a process or a thread that wants a folder. */
export interface LockTask {
  readonly folder: string
  readonly name: string
  /** When it begins, in epoch milliseconds. */
  readonly at: number
  readonly count: number
  readonly pauseMs: number
}

export interface LockResult {
  /** The numbers of the events whose append was confirmed. */
  readonly confirmed: readonly number[]
  /** Why it stopped, if it did. */
  readonly code?: string
}
