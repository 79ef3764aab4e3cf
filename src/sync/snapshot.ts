import { isTooDeep, MAX_DEPTH } from '../json/depth.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { checkOf, describeIssue, type ShapeIssue } from '../json/shape/check-shape.ts'
import { SnapshotError } from '../json/snapshot-error.ts'
import { isObject } from '../json/values.ts'
import { shallowCopy, withChanges } from '../json/with-changes.ts'
import type { ConversationThread, SessionConversationState } from '../state/session.ts'
import { type Cursor, checkPlace, isSeq } from './sequence.ts'
import { stateShape } from './state-shape.ts'

/** A state and its place in the log. */
export interface PlacedState extends Cursor {
  readonly state: SessionConversationState
  /** The number of the last event in the state. Events that a store still holds back do not count. */
  readonly seq: number
}

/** A state and its place as plain JSON. */
export interface Snapshot extends PlacedState {
  readonly version: typeof VERSION
}

const VERSION = 1

/**
 * Returns the state with its place in the log as plain JSON. Folding the events after that place gives the state of the whole log,
 * even if events before that place arrive again.
 */
export function snapshot({ state, epoch, seq }: PlacedState): Snapshot {
  checkPlace({ epoch, seq })
  return { version: VERSION, epoch, seq, state }
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
  const { version, epoch, seq, state } = value
  if (typeof version === 'number' && version !== VERSION)
    throw new SnapshotError(
      'unknown-version',
      `a snapshot of version ${version}, but this library reads version ${VERSION}`,
    )
  const issues: ShapeIssue[] = []
  const isRight = version === VERSION && typeof epoch === 'string' && isSeq(seq)
  if (!isRight || !isState(state, issues))
    throw new SnapshotError('not-a-snapshot', `not a snapshot: ${reasonOf(issues)}`, issues)
  return { state: frozen(state), epoch, seq }
}

function isState(value: unknown, issues: ShapeIssue[]): value is SessionConversationState {
  return checkState(value, issues, ['state'])
}

const checkState = /* @__PURE__ */ checkOf(/* @__PURE__ */ stateShape())

function reasonOf([first]: readonly ShapeIssue[]): string {
  return first ? describeIssue(first) : 'it needs version, epoch and seq'
}

/** Freezes the same objects as the reducer, but only copies of them, because the value belongs to the caller. */
function frozen(state: SessionConversationState): SessionConversationState {
  const subagents = state.subagents.map((subagent) =>
    Object.freeze(withChanges(subagent, frozenThread(subagent))),
  )
  const session = Object.freeze(shallowCopy(state.session))
  const turn = Object.freeze(shallowCopy(state.turn))
  const branches = state.branches?.map((branch) =>
    Object.freeze(withChanges(branch, { blocks: frozenItems(branch.blocks) })),
  )
  const parts = omitUndefined({ ...frozenThread(state), turn, subagents, session, branches })
  return Object.freeze(withChanges(state, parts))
}

function frozenThread({ blocks, usage, todos }: ConversationThread): ConversationThread {
  return omitUndefined({
    blocks: frozenItems(blocks),
    usage: frozenItems(usage),
    todos: todos && frozenItems(todos),
  })
}

function frozenItems<Item extends object>(items: readonly Item[]): readonly Item[] {
  return items.map((item) => Object.freeze(shallowCopy(item)))
}
