import { checkOf, type ShapeIssue } from '../json/check-shape.ts'
import { omitUndefined, shallowCopy, withChanges } from '../json/fields.ts'
import type { FieldsOf, Shape } from '../json/shape.ts'
import { BLOCK } from './block.ts'
import {
  type Branch,
  type ConversationThread,
  type MessageUsage,
  SESSION_FACTS,
  type SessionConversationState,
  type SubagentState,
  TOKEN_USAGE,
} from './session.ts'
import { SUBAGENT_FACTS } from './subagent.ts'
import { TODO } from './todo.ts'
import { SESSION_TURN } from './turn.ts'

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

/** Returns the shape of a state. */
export function stateShape(): Shape {
  const usage: FieldsOf<MessageUsage> = {
    messageId: 'name',
    final: 'boolean',
    'model?': 'string',
    'fromResult?': 'literal true',
    ...TOKEN_USAGE,
  }
  const thread: FieldsOf<ConversationThread> = {
    blocks: { listOf: BLOCK },
    usage: { listOf: { fields: usage } },
    'todos?': { listOf: { fields: TODO } },
  }
  const subagent: FieldsOf<SubagentState> = {
    ...thread,
    ...SUBAGENT_FACTS,
    'parentConversationId?': 'name',
    'prompt?': 'string',
    'runId?': 'name',
    'openBlocks?': { listOf: 'name' },
  }
  const branch: FieldsOf<Branch> = { id: 'name', blocks: { listOf: BLOCK } }
  const state: FieldsOf<SessionConversationState> = {
    ...thread,
    turn: { fields: SESSION_TURN },
    subagents: { listOf: { fields: subagent } },
    session: { fields: SESSION_FACTS },
    'branches?': { listOf: { fields: branch } },
  }
  return { fields: state }
}
