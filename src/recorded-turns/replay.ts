/** The life cycle of a replay of a conversation. `completed` and `failed` are its ends. */
export type ReplayLifecycleState = 'pending' | 'completed' | 'failed'

/** The states that a replay can go to from each state. */
const NEXT: Readonly<Record<ReplayLifecycleState, readonly ReplayLifecycleState[]>> = {
  pending: ['pending', 'completed', 'failed'],
  completed: [],
  failed: [],
}

/**
 * Why a replay cannot change:
 * - `terminal-state`: it has ended. A server answers 409
 * - `unknown-state`: a value is no state of a replay. A server answers 400 if it is the new one
 */
export type ReplayLifecycleErrorCode = 'terminal-state' | 'unknown-state'

/** A replay cannot go from one state to another one. `path` names the argument. */
export class ReplayLifecycleTransitionError extends Error {
  readonly code: ReplayLifecycleErrorCode
  readonly path: readonly ['from' | 'to']
  readonly from: unknown
  readonly to: unknown

  constructor(
    code: ReplayLifecycleErrorCode,
    path: readonly ['from' | 'to'],
    { from, to }: { readonly from: unknown; readonly to: unknown },
  ) {
    super(
      code === 'terminal-state'
        ? `the replay is ${String(from)} and stays so`
        : `${path[0]}: pass one of ${Object.keys(NEXT).join(', ')}`,
    )
    this.name = 'ReplayLifecycleTransitionError'
    this.code = code
    this.path = path
    this.from = from
    this.to = to
  }
}

/** Whether the value is a state of a replay. */
export function isReplayState(value: unknown): value is ReplayLifecycleState {
  return typeof value === 'string' && Object.hasOwn(NEXT, value)
}

/** Whether the value is a state in which a replay never changes. */
export function isTerminalReplayState(state: unknown): boolean {
  return isReplayState(state) && NEXT[state].length === 0
}

/**
 * Returns the new state of a replay. A pending one may stay pending or end. Throws a `ReplayLifecycleTransitionError`
 * if it has ended already, also for the same end, or if a value is no state.
 */
export function transitionReplay(from: ReplayLifecycleState, to: ReplayLifecycleState): ReplayLifecycleState {
  if (!isReplayState(from)) throw new ReplayLifecycleTransitionError('unknown-state', ['from'], { from, to })
  if (!isReplayState(to)) throw new ReplayLifecycleTransitionError('unknown-state', ['to'], { from, to })
  if (!NEXT[from].includes(to))
    throw new ReplayLifecycleTransitionError('terminal-state', ['from'], { from, to })
  return to
}
