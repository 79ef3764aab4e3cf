import { assertNever } from '../../../json/assert-never.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { isSameList } from '../../../selectors/memoize.ts'
import { type BlockOf, type ConversationBlock, messageIdOf } from '../../../state/block.ts'
import type { MessageUsage } from '../../../state/session.ts'
import type { Todo } from '../../../state/todo.ts'
import { personParts, plainPart } from '../messages/block-parts.ts'
import { agentPart, callPart, isShownInCall, resultParts } from '../messages/tool-part.ts'
import type {
  AgentOutput,
  SessionUIMessage,
  SessionUIMetadata,
  SessionUIPart,
  StepStartPart,
} from '../messages/ui-message.ts'
import type { TurnBlocks } from './split-turns.ts'
import type { TurnIndex } from './turn-index.ts'

/** A message of a conversation, with everything that makes it quick to update. */
export interface TurnView extends TurnBlocks {
  readonly index: TurnIndex
  readonly message: SessionUIMessage
  readonly entries: readonly Entry[]
  /** The values outside the blocks that the parts were made with. */
  readonly outside: readonly unknown[]
}

/** The parts of one block, and the other values that they were made with. */
interface Entry {
  readonly block: ConversationBlock
  readonly inputs: readonly unknown[]
  readonly parts: readonly SessionUIPart[]
}

/** The other parts of the session that the parts of a message show. */
export interface TurnContext {
  call(toolUseId: string): BlockOf<'tool_use'> | undefined
  result(toolUseId: string): BlockOf<'tool_result'> | undefined
  request(toolUseId: string): BlockOf<'request'> | undefined
  /** Whether a call in the message itself started the agent. */
  hasAgent(toolUseId: string): boolean
  /** The output of an agent that this conversation started. */
  agent(toolUseId: string): AgentOutput | undefined
  /** The abandoned branch whose mark the block is. */
  branch(blockId: string): readonly SessionUIMessage[] | undefined
}

/** The facts of a message that its own blocks do not have. */
interface TurnFacts {
  readonly conversationId: string
  readonly responses: readonly MessageUsage[]
  readonly todos: readonly Todo[] | undefined
}

const STEP_START: StepStartPart = { type: 'step-start' }

/** Returns the view of a message. Parts, metadata and message stay the same objects as long as nothing in them changes. */
export function viewTurn(
  turn: TurnBlocks & { readonly index: TurnIndex; readonly outside: readonly unknown[] },
  known: TurnView | undefined,
  { context, facts }: { readonly context: TurnContext; readonly facts: TurnFacts },
): TurnView {
  const isKnown = known?.blocks === turn.blocks && isSameList(known.outside, turn.outside)
  const entries = isKnown ? known.entries : entriesOf(turn.blocks, known?.entries ?? [], context)
  const parts = isKnown ? known.message.parts : partsOf(turn, entries)
  const metadata = keepMetadata(known?.message.metadata, metadataOf(turn, facts))
  const isSame =
    known?.id === turn.id && known.message.metadata === metadata && isSameList(known.message.parts, parts)
  const made: SessionUIMessage = { id: turn.id, role: turn.prompt ? 'user' : 'assistant', metadata, parts }
  const message = isSame ? known.message : made
  if (isKnown && isSame && known.index === turn.index) return known
  return { ...turn, entries, message }
}

function entriesOf(
  blocks: readonly ConversationBlock[],
  known: readonly Entry[],
  context: TurnContext,
): readonly Entry[] {
  return blocks.map((block, at) => {
    const inputs = inputsOf(block, context)
    const before = known[at]
    if (before?.block === block && isSameList(before.inputs, inputs)) return before
    return { block, inputs, parts: blockParts(block, context) }
  })
}

const NONE: readonly unknown[] = []

/** Returns the values that the parts of the block depend on, besides the block. */
function inputsOf(block: ConversationBlock, context: TurnContext): readonly unknown[] {
  switch (block.type) {
    case 'tool_use':
      return [isFirstCall(block, context), context.result(block.toolUseId), context.request(block.toolUseId)]
    case 'subagent':
      return [context.agent(block.toolUseId), context.request(block.toolUseId)]
    case 'tool_result':
      return [isInCall(block, context)]
    case 'system':
      return [context.branch(block.id)]
    case 'user_message':
    case 'assistant_text':
    case 'thinking':
    case 'request':
    case 'error':
    case 'skill_load':
      return NONE
    default:
      return assertNever(block)
  }
}

function blockParts(block: ConversationBlock, context: TurnContext): readonly SessionUIPart[] {
  switch (block.type) {
    case 'tool_use': {
      if (!isFirstCall(block, context)) return [{ type: 'data-tool-use', id: block.id, data: block }]
      const result = context.result(block.toolUseId)
      return [callPart(block, { result, request: context.request(block.toolUseId) })]
    }
    case 'subagent': {
      const output = context.agent(block.toolUseId) ?? outputOfBlock(block)
      return [agentPart(block, output, context.request(block.toolUseId))]
    }
    case 'tool_result':
      return resultParts(block, isInCall(block, context))
    case 'system': {
      const messages = context.branch(block.id)
      const part = plainPart(block)
      return messages
        ? [part, { type: 'data-branch', id: block.id, data: { messages: [...messages] } }]
        : [part]
    }
    default:
      return [plainPart(block)]
  }
}

function outputOfBlock({ status, agentId, output, durationMs }: BlockOf<'subagent'>): AgentOutput {
  return omitUndefined({ status, agentId, output, durationMs })
}

/** The reader of the AI SDK finds a call by its id, so a message has one part for each. */
function isFirstCall(block: BlockOf<'tool_use'>, context: TurnContext): boolean {
  return context.call(block.toolUseId) === block && !context.hasAgent(block.toolUseId)
}

function isInCall(block: BlockOf<'tool_result'>, context: TurnContext): boolean {
  const { toolUseId } = block
  const call = context.call(toolUseId)
  if (!call || context.result(toolUseId) !== block) return false
  return isShownInCall(call, { result: block, request: context.request(toolUseId) })
}

/** A new response of the model begins with a step. */
function partsOf({ prompt }: TurnBlocks, entries: readonly Entry[]): SessionUIPart[] {
  if (prompt) return personParts(prompt)
  const parts: SessionUIPart[] = []
  let current: string | undefined
  for (const { block, parts: own } of entries) {
    const messageId = messageIdOf(block)
    if (messageId !== undefined && messageId !== current) {
      current = messageId
      parts.push(STEP_START)
    }
    for (const part of own) parts.push(part)
  }
  return parts
}

function metadataOf(
  { prompt, index }: TurnBlocks & { readonly index: TurnIndex },
  { conversationId, responses, todos }: TurnFacts,
): SessionUIMetadata {
  const { startedAt, endedAt, model } = index
  return omitUndefined({
    conversationId,
    startedAt,
    endedAt,
    model,
    responses: responses.length > 0 ? [...responses] : undefined,
    todos: todos && [...todos],
    checkpoint: prompt?.checkpoint,
    changes: prompt?.changes && [...prompt.changes],
  })
}

function keepMetadata(known: SessionUIMetadata | undefined, made: SessionUIMetadata): SessionUIMetadata {
  return known && isSameMetadata(known, made) ? known : made
}

function isSameMetadata(left: SessionUIMetadata, right: SessionUIMetadata): boolean {
  return (
    left.conversationId === right.conversationId &&
    left.startedAt === right.startedAt &&
    left.endedAt === right.endedAt &&
    left.model === right.model &&
    left.checkpoint === right.checkpoint &&
    isSameOptional(left.responses, right.responses) &&
    isSameOptional(left.todos, right.todos) &&
    isSameOptional(left.changes, right.changes)
  )
}

function isSameOptional(
  left: readonly unknown[] | undefined,
  right: readonly unknown[] | undefined,
): boolean {
  return left === right || (left !== undefined && right !== undefined && isSameList(left, right))
}
