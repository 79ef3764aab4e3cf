import { type FieldsOf, mergeFields, type Variants, type VariantsOf } from '../json/shape.ts'
import { BLOCK, type BlockBase, type BlockType, type ConversationBlock } from '../state/block.ts'
import { SESSION_FACTS, type SessionFacts, TOKEN_USAGE, type TokenUsage } from '../state/session.ts'
import { COMPLETION_FACTS, type CompletionFacts, SPAWN_FACTS, type SpawnFacts } from '../state/subagent.ts'
import { TODO, type Todo } from '../state/todo.ts'
import { TURN_OUTCOME, type TurnOutcome } from '../state/turn.ts'

/** The place and the time of an event. */
export interface EventContext {
  /** `'main'` (the default), or a subagent's `toolUseId` or `agentId`. */
  readonly conversationId?: string
  /** ISO 8601. The subagent's block takes the time of the spawn. Any other block brings its own time. */
  readonly timestamp?: string
}

interface EventBase extends EventContext {
  /** The same two fields, as the origin document of these events writes them. A field beside the others wins over the one in here. */
  readonly context?: EventContext
}

/** Each block of the union without its `conversationId`. */
type WithoutConversation<Block> = Block extends unknown ? Omit<Block, 'conversationId'> : never

/** A block in an event. The event's `conversationId` wins over the block's own. */
export type IncomingBlock = WithoutConversation<ConversationBlock> & { readonly conversationId?: string }

/** Creates a block or replaces it as a whole. A `subagent` block counts as the spawn that it describes. */
interface BlockUpsertEvent extends EventBase {
  readonly type: 'block:upsert'
  readonly block: IncomingBlock
}

/** Appends to a block's text, or to the `inputText` of a tool call or of a subagent's block. */
interface BlockDeltaEvent extends EventBase {
  readonly type: 'block:delta'
  readonly blockId: string
  readonly delta: string
}

/** Removes a block, after a retraction or a revert. */
interface BlockRemovedEvent extends EventBase {
  readonly type: 'block:removed'
  readonly blockId: string
}

/** A subagent starts. `conversationId` is its parent. */
interface SubagentSpawnedEvent extends EventBase, SpawnFacts {
  readonly type: 'subagent:spawned'
  readonly toolUseId: string
  readonly prompt: string
  readonly subagentType?: string
  readonly agentId?: string
  /** The id that stood for the call in earlier events, before the call was known. The agent under that id is this one. */
  readonly formerId?: string
  readonly runId?: string
  /** The model message that holds the call. */
  readonly messageId?: string
}

/** A finished subagent runs again: same identity, new run. */
interface SubagentResumedEvent extends EventBase {
  readonly type: 'subagent:resumed'
  readonly toolUseId: string
  /**
   * A later input goes on where a cut ended the run. The cut's blocks are pending again, and the run is the same: its
   * id, prompt, output and duration stay. An agent that was only announced is announced again. The event changes
   * nothing for an agent that no cut ended.
   */
  readonly continues?: true
  readonly runId?: string
  readonly prompt?: string
}

/** A subagent's run has ended. */
interface SubagentCompletedEvent extends EventBase, CompletionFacts {
  readonly type: 'subagent:completed'
  readonly toolUseId: string
  /**
   * The input ended, and not the run: a later input may go on with it. The event changes nothing for an unknown agent
   * or one that has ended, and links no `agentId`. The status is `error` as a rule.
   */
  readonly cut?: true
  readonly agentId?: string
  readonly runId?: string
  readonly status: 'completed' | 'error'
}

/** Main's turn has started. The event changes nothing for a subagent. */
interface SessionRunningEvent extends EventBase {
  readonly type: 'session:running'
  /**
   * A later input goes on where a cut ended the turn. The cut's blocks are pending again, and the turn keeps its
   * start. The event changes nothing for a turn that no cut ended.
   */
  readonly continues?: true
}

/** A conversation's turn is over. Its pending blocks become final. The event of main ends the turn. */
interface SessionIdleEvent extends EventBase {
  readonly type: 'session:idle'
  /** Without an outcome, a running turn is `finished`, or `interrupted` by a cut. */
  readonly outcome?: TurnOutcome
  /**
   * The input ended, and not the turn: a later input may go on with it. The event changes nothing unless main's turn
   * runs. It changes nothing for a subagent, whose cut is a `subagent:completed`.
   */
  readonly cut?: true
  /** The reason of a turn that failed, in the program's words. */
  readonly error?: string
}

/** New facts of the session. */
interface SessionUpdatedEvent extends EventBase {
  readonly type: 'session:updated'
  readonly facts: SessionFacts
}

/** Tokens of one message. `final: false` marks provisional figures. */
interface UsageReportedEvent extends EventBase {
  readonly type: 'usage:reported'
  readonly messageId: string
  readonly usage: TokenUsage
  readonly final: boolean
  readonly model?: string
  /** The result of an agent's run states the tokens of its last message, without the id of that message. */
  readonly fromResult?: true
}

/** The agent's plan has changed. The event replaces the whole list of its conversation. */
interface TodosUpdatedEvent extends EventBase {
  readonly type: 'todos:updated'
  readonly todos: readonly Todo[]
}

/**
 * The person has rewound main. The blocks leave it, and the state keeps them as a branch. Later events may add to the
 * branch. The event changes nothing for a subagent.
 */
interface BranchAbandonedEvent extends EventBase {
  readonly type: 'branch:abandoned'
  /** The id of the `system` block that marks the rewind. */
  readonly branchId: string
  readonly blockIds: readonly string[]
}

/** An event that the reducer folds. */
export type SessionEvent =
  | BlockUpsertEvent
  | BlockDeltaEvent
  | BlockRemovedEvent
  | SubagentSpawnedEvent
  | SubagentResumedEvent
  | SubagentCompletedEvent
  | SessionRunningEvent
  | SessionIdleEvent
  | SessionUpdatedEvent
  | UsageReportedEvent
  | TodosUpdatedEvent
  | BranchAbandonedEvent

/** The fields of every block in an event, which need not name its conversation. */
const INCOMING_FIELDS: FieldsOf<Omit<BlockBase, 'conversationId'> & Pick<IncomingBlock, 'conversationId'>> = {
  id: 'name',
  'conversationId?': 'name',
  'timestamp?': 'name',
}

/** The shape of a block in an event. */
const INCOMING_BLOCK: Variants<BlockType> = { fields: INCOMING_FIELDS, byType: BLOCK.byType }

const CONTEXT: FieldsOf<EventContext> = { 'conversationId?': 'name', 'timestamp?': 'name' }

/** The shape of an event. */
export const EVENT: VariantsOf<SessionEvent, EventBase> = {
  fields: /* @__PURE__ */ mergeFields(CONTEXT, { 'context?': { fields: CONTEXT } }),
  byType: {
    'block:upsert': { block: INCOMING_BLOCK },
    'block:delta': { blockId: 'name', delta: 'string' },
    'block:removed': { blockId: 'name' },
    'subagent:spawned': /* @__PURE__ */ mergeFields(SPAWN_FACTS, {
      toolUseId: 'name',
      prompt: 'string',
      'subagentType?': 'string',
      'agentId?': 'name',
      'formerId?': 'name',
      'runId?': 'name',
      'messageId?': 'name',
    }),
    'subagent:resumed': {
      toolUseId: 'name',
      'runId?': 'name',
      'prompt?': 'string',
      'continues?': 'literal true',
    },
    'subagent:completed': /* @__PURE__ */ mergeFields(COMPLETION_FACTS, {
      toolUseId: 'name',
      'agentId?': 'name',
      'runId?': 'name',
      status: { oneOf: { completed: true, error: true } },
      'cut?': 'literal true',
    }),
    'session:running': { 'continues?': 'literal true' },
    'session:idle': { 'outcome?': TURN_OUTCOME, 'error?': 'string', 'cut?': 'literal true' },
    'session:updated': { facts: { fields: SESSION_FACTS } },
    'usage:reported': {
      messageId: 'name',
      usage: { fields: TOKEN_USAGE },
      final: 'boolean',
      'model?': 'string',
      'fromResult?': 'literal true',
    },
    'todos:updated': { todos: { listOf: { fields: TODO } } },
    'branch:abandoned': { branchId: 'name', blockIds: { listOf: 'name' } },
  },
}

/** The `type` of every event. */
export type SessionEventType = SessionEvent['type']

/** The event of that type. */
export type EventOf<Type extends SessionEventType> = Extract<SessionEvent, { readonly type: Type }>
