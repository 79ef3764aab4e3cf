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

/** Returns the shape of a state. */
export function stateShape(): Shape {
  const usage: FieldsOf<MessageUsage> = {
    messageId: 'string',
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
    'parentConversationId?': 'string',
    'prompt?': 'string',
    'runId?': 'string',
    'openBlocks?': { listOf: 'string' },
  }
  const branch: FieldsOf<Branch> = { id: 'string', blocks: { listOf: BLOCK } }
  const state: FieldsOf<SessionConversationState> = {
    ...thread,
    turn: { fields: SESSION_TURN },
    subagents: { listOf: { fields: subagent } },
    session: { fields: SESSION_FACTS },
    'branches?': { listOf: { fields: branch } },
  }
  return { fields: state }
}
