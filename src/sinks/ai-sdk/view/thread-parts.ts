import { omitUndefined } from '../../../core/json/fields.ts'
import { assertNever } from '../../../core/json/values.ts'
import { isSameList } from '../../../core/selectors/memoize.ts'
import { type BlockOf, type ConversationBlock, isPrompt, messageIdOf } from '../../../core/state/block.ts'
import { personParts, plainPart } from '../messages/block-parts.ts'
import { agentPart, callPart, isShownInCall, resultParts } from '../messages/tool-part.ts'
import type {
  AgentOutput,
  DataPart,
  SessionUIMessage,
  SessionUIPart,
  StepStartPart,
} from '../messages/ui-message.ts'
import { BlockLookup, type CallBlocks } from './block-lookup.ts'
import type { BlockParts, ThreadUpdate } from './thread.ts'

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
