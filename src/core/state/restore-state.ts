import { checkOf, type ShapeIssue } from '../json/check-shape.ts'
import { omitUndefined, shallowCopy, withChanges } from '../json/fields.ts'
import type { ConversationThread, SessionConversationState } from './session.ts'
import { stateShape } from './state-shape.ts'

/**
 * Returns the state that a value holds, as the reducer makes it: frozen, without references to objects of the value,
 * and with unknown fields. Adds an issue for each wrong part of the value, and returns undefined then. Throws what a
 * getter or a proxy of the value throws.
 */
export function restoreState(
  value: unknown,
  issues: ShapeIssue[],
  path: ShapeIssue['path'],
): SessionConversationState | undefined {
  return isState(value, issues, path) ? frozen(value) : undefined
}

function isState(
  value: unknown,
  issues: ShapeIssue[],
  path: ShapeIssue['path'],
): value is SessionConversationState {
  return checkState(value, issues, path)
}

const checkState = /* @__PURE__ */ checkOf(/* @__PURE__ */ stateShape())

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
