import { omitUndefined } from '../../../core/json/fields.ts'
import { assertNever } from '../../../core/json/values.ts'
import { isSameList } from '../../../core/selectors/memoize.ts'
import { type BlockOf, type ConversationBlock, isPrompt, messageIdOf } from '../../../core/state/block.ts'
import { personParts, plainPart } from '../messages/block-parts.ts'
import { agentPart, type CallFacts, callPart, isShownInCall, resultParts } from '../messages/tool-part.ts'
import type {
  AgentOutput,
  DataPart,
  SessionUIMessage,
  SessionUIPart,
  StepStartPart,
} from '../messages/ui-message.ts'
import type { AgentView, BlockParts, ThreadUpdate } from './thread.ts'

const STEP_START: StepStartPart = { type: 'step-start' }

/** Returns the parts of each block, and the first touched place of each message by its number. */
export function viewBlockParts(
  update: ThreadUpdate,
  touched: readonly number[],
): { readonly blockParts: readonly BlockParts[]; readonly firsts: ReadonlyMap<number, number> } {
  const { facts, known, changes, spans } = update
  const lookup = new BlockLookup(update)
  const blockParts = known.blockParts.slice(0, changes.kept)
  const others = new Map(known.blockParts.slice(changes.kept).map((each) => [each.block, each]))
  const firsts = new Map<number, number>()
  let messageNumber = 0
  for (const at of touched) {
    while (at >= (spans[messageNumber]?.to ?? at + 1)) messageNumber += 1
    const response = at === spans[messageNumber]?.from ? undefined : blockParts[at - 1]?.response
    const block = facts.blocks[at]
    if (block)
      blockParts[at] = blockPartsOf(block, blockParts[at] ?? others.get(block), {
        messageNumber,
        response,
        lookup,
      })
    if (!firsts.has(messageNumber)) firsts.set(messageNumber, at)
  }
  return { blockParts, firsts }
}

function blockPartsOf(
  block: ConversationBlock,
  known: BlockParts | undefined,
  {
    messageNumber,
    response,
    lookup,
  }: { readonly messageNumber: number; readonly response: string | undefined; readonly lookup: BlockLookup },
): BlockParts {
  const own = messageIdOf(block) ?? response
  // A new response of the model begins with a step.
  const isStep = own !== response && !isPrompt(block)
  const [parts, ...others] = partsOf(block, messageNumber, lookup)
  const inputs = [isStep, own, ...others]
  if (known?.block === block && isSameList(known.inputs, inputs)) return known
  return { block, response: own, inputs, parts: isStep ? [STEP_START, ...parts()] : parts() }
}

/** The function that makes the parts of a block, and the values that they depend on besides the block. */
type PartsMaker = readonly [() => readonly SessionUIPart[], ...inputs: readonly unknown[]]

function partsOf(block: ConversationBlock, messageNumber: number, lookup: BlockLookup): PartsMaker {
  switch (block.type) {
    case 'tool_use':
      return toolUseParts(block, lookup.call(block.toolUseId, messageNumber))
    case 'subagent': {
      const output = lookup.agent(block.toolUseId)
      const { request } = lookup.call(block.toolUseId, messageNumber)
      return [() => [agentPart(block, output ?? outputOfBlock(block), request)], output, request]
    }
    case 'tool_result': {
      const isInCall = isShown(block, lookup.call(block.toolUseId, messageNumber))
      return [() => resultParts(block, isInCall), isInCall]
    }
    case 'system':
      return systemParts(block, lookup.branch(block.id))
    case 'user_message':
      return [() => (isPrompt(block) ? personParts(block) : [plainPart(block)])]
    case 'assistant_text':
    case 'thinking':
    case 'request':
    case 'error':
    case 'skill_load':
      return [() => [plainPart(block)]]
    default:
      return assertNever(block)
  }
}

function toolUseParts(block: BlockOf<'tool_use'>, blocks: CallBlocks): PartsMaker {
  // The reader of the AI SDK finds a call by its id, so a message has one part for each.
  const isFirst = blocks.call === block && !blocks.hasAgent
  const other: DataPart = { type: 'data-tool-use', id: block.id, data: block }
  return [() => [isFirst ? callPart(block, blocks) : other], isFirst, blocks.result, blocks.request]
}

/** Shows the abandoned branch at its mark. */
function systemParts(
  block: BlockOf<'system'>,
  messages: readonly SessionUIMessage[] | undefined,
): PartsMaker {
  const branch: readonly DataPart[] = messages
    ? [{ type: 'data-branch', id: block.id, data: { messages: [...messages] } }]
    : []
  return [() => [plainPart(block), ...branch], messages]
}

function outputOfBlock({ status, agentId, output, durationMs }: BlockOf<'subagent'>): AgentOutput {
  return omitUndefined({ status, agentId, output, durationMs })
}

function isShown(block: BlockOf<'tool_result'>, blocks: CallBlocks): boolean {
  return blocks.call !== undefined && blocks.result === block && isShownInCall(blocks.call, blocks)
}

/** The blocks of a call, as one message shows them. */
interface CallBlocks extends CallFacts {
  /** The first call with the id. */
  readonly call?: BlockOf<'tool_use'>
  /** Whether a call in the message itself started an agent. */
  readonly hasAgent?: boolean
}
type MutableCallBlocks = { -readonly [Key in keyof CallBlocks]: CallBlocks[Key] }

/** Finds the values that the parts of a block show besides the block. */
class BlockLookup {
  readonly #update: ThreadUpdate
  readonly #calls = new Map<string, (messageNumber: number) => CallBlocks>()
  #agents: ReadonlyMap<string, AgentView> | undefined

  constructor(update: ThreadUpdate) {
    this.#update = update
  }

  /** Returns the blocks of the call for the message with that number. */
  call(toolUseId: string, messageNumber: number): CallBlocks {
    const known = this.#calls.get(toolUseId) ?? callBlocks(toolUseId, this.#update)
    this.#calls.set(toolUseId, known)
    return known(messageNumber)
  }

  /** Returns the output of an agent that this conversation started. */
  agent(toolUseId: string): AgentOutput | undefined {
    this.#agents ??= new Map(this.#update.facts.agents.map((view) => [view.agent.toolUseId, view]))
    return this.#agents.get(toolUseId)?.output
  }

  /** Returns the abandoned branch whose mark the block is. */
  branch(blockId: string): readonly SessionUIMessage[] | undefined {
    return this.#update.branches.find(({ id }) => id === blockId)?.thread.messages
  }
}

/**
 * A message shows the blocks of its own call. If it has no call, it shows those of the first message that has the
 * call, and of messages without one.
 */
function callBlocks(
  toolUseId: string,
  { facts, index }: ThreadUpdate,
): (messageNumber: number) => CallBlocks {
  const byMessage = new Map<number, MutableCallBlocks>()
  for (const { at, messageNumber } of index.calls.get(toolUseId) ?? []) {
    const own = byMessage.get(messageNumber) ?? {}
    byMessage.set(messageNumber, own)
    addBlock(own, facts.blocks[at])
  }
  let first: CallBlocks | undefined
  const loose: MutableCallBlocks = {}
  for (const own of byMessage.values()) {
    if (hasCall(own)) first ??= own
    else Object.assign(loose, own, loose.result && { result: loose.result })
  }
  return (messageNumber) => {
    const own = byMessage.get(messageNumber) ?? loose
    return { ...loose, ...(hasCall(own) ? own : first), hasAgent: own.hasAgent === true }
  }
}

function addBlock(blocks: MutableCallBlocks, block: ConversationBlock | undefined): void {
  if (block?.type === 'tool_use') blocks.call ??= block
  else if (block?.type === 'tool_result') blocks.result ??= block
  else if (block?.type === 'request') blocks.request = block
  else if (block?.type === 'subagent') blocks.hasAgent = true
}

function hasCall({ call, hasAgent }: CallBlocks): boolean {
  return call !== undefined || hasAgent === true
}
