import { describeIssue, type ShapeIssue, SnapshotError } from '../../core/json/check-shape.ts'
import { isTooDeep, MAX_DEPTH } from '../../core/json/depth.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { isObject } from '../../core/json/values.ts'
import { restoreState } from '../../core/state/restore-state.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import { type Cursor, checkPlace, isSeq } from './sequence.ts'

/** A state and its place in the log. */
export interface PlacedState extends Cursor {
  readonly state: SessionConversationState
  /** The number of the last event in the state. Events that a store still holds back do not count. */
  readonly seq: number
  /** Proves which events the state has, if the log gives digests. */
  readonly digest?: string
}

/** A state and its place as plain JSON. */
export interface Snapshot extends PlacedState {
  readonly version: typeof VERSION
}

const VERSION = 1

/**
 * Returns the state with its place in the log as plain JSON. Folding the events after that place gives the state of
 * the whole log, even if events before that place arrive again.
 */
export function snapshot({ state, epoch, seq, digest }: PlacedState): Snapshot {
  checkPlace({ epoch, seq })
  return { version: VERSION, epoch, seq, ...omitUndefined({ digest }), state }
}

/** Reads a snapshot, and keeps unknown fields of the state. Throws a `SnapshotError` for any other value. */
export function restore(value: unknown): PlacedState {
  try {
    return read(value)
  } catch (error) {
    // A getter or a proxy of the value threw.
    throw error instanceof SnapshotError
      ? error
      : new SnapshotError('not-a-snapshot', 'not a snapshot: unreadable')
  }
}

function read(value: unknown): PlacedState {
  if (!isObject(value)) throw new SnapshotError('not-a-snapshot', 'not a snapshot: the value is no object')
  // A subagent's block is four levels deeper in a snapshot than in its event.
  if (isTooDeep(value, MAX_DEPTH + 4)) throw new SnapshotError('not-a-snapshot', 'not a snapshot: too deep')
  const { version, epoch, seq, digest, state } = value
  if (typeof version === 'number' && version !== VERSION)
    throw new SnapshotError(
      'unknown-version',
      `a snapshot of version ${version}, but this library reads version ${VERSION}`,
    )
  const issues: ShapeIssue[] = []
  const isRight =
    version === VERSION &&
    typeof epoch === 'string' &&
    isSeq(seq) &&
    (digest === undefined || typeof digest === 'string')
  const restored = isRight ? restoreState(state, issues, ['state']) : undefined
  if (!isRight || !restored)
    throw new SnapshotError('not-a-snapshot', `not a snapshot: ${reasonOf(issues)}`, issues)
  return { state: restored, epoch, seq, ...omitUndefined({ digest }) }
}

function reasonOf([first]: readonly ShapeIssue[]): string {
  return first ? describeIssue(first) : 'it needs version, epoch and seq'
}
