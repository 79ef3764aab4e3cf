import { asFiniteNumber, asObject, asString, isObject } from '../../../core/json/values.ts'
import { threadOrigin } from '../events/rollout.ts'

/** The facts that the head of a rollout states about its thread. */
export interface RolloutHead {
  readonly path: string
  readonly id: string
  /** The root thread of the session. */
  readonly sessionId?: string | undefined
  readonly parentId?: string | undefined
  /** The thread that this one goes on from. */
  readonly forkedFromId?: string | undefined
  /** The base of a file that does not repeat the earlier lines. */
  readonly base?: HistoryBase | undefined
}

interface HistoryBase {
  readonly threadId: string
  /** The number of the base's first line that does not belong to the thread. */
  readonly end: number
}

/** A later process compresses a file that nobody has used for some time. */
const NAME = /(?:^|[\\/])rollout-[^\\/]*\.jsonl(?:\.zst)?$/

/** Whether a file with that name can be a rollout. */
export function isRolloutName(path: string): boolean {
  return NAME.test(path)
}

/** Returns the head of a rollout from the values of its first lines; undefined if the file is no rollout. */
export function readHead(path: string, values: Iterable<unknown>): RolloutHead | undefined {
  for (const value of values) {
    if (!isObject(value) || value.type !== 'session_meta') return undefined
    const meta = asObject(value.payload)
    const id = asString(meta.id)
    const base = asObject(meta.history_base)
    const baseId = asString(base.thread_id)
    if (id === undefined) return undefined
    return {
      path,
      id,
      sessionId: asString(meta.session_id),
      ...threadOrigin(meta),
      base:
        baseId === undefined
          ? undefined
          : { threadId: baseId, end: asFiniteNumber(base.end_ordinal_exclusive) ?? 0 },
    }
  }
  return undefined
}
