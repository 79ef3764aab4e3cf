import { assertNever } from '../../../json/assert-never.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { isSameList } from '../../../selectors/memoize.ts'
import { type BlockOf, type ConversationBlock, isPrompt, messageIdOf } from '../../../state/block.ts'
import { personParts, plainPart } from '../messages/block-parts.ts'
import { agentPart, callPart, isShownInCall, resultParts } from '../messages/tool-part.ts'
import type { AgentOutput, DataPart, SessionUIPart, StepStartPart } from '../messages/ui-message.ts'
import { BlockLookup, type CallBlocks } from './block-lookup.ts'
import type { ThreadUpdate } from './thread-view.ts'

/** The parts of one block, and the other values that they were made with. */
export interface Entry {
  readonly block: ConversationBlock
  /** The id of the model's message that wrote the last blocks of the answer, with this one. */
  readonly response: string | undefined
  readonly inputs: readonly unknown[]
  readonly parts: readonly SessionUIPart[]
}

const STEP_START: StepStartPart = { type: 'step-start' }

/** Returns the parts of each block, and the first touched place of each message by its number. */
export function viewEntries(
  update: ThreadUpdate,
  touched: readonly number[],
): { readonly entries: readonly Entry[]; readonly firsts: ReadonlyMap<number, number> } {
  const { facts, known, changes, turns } = update
  const lookup = new BlockLookup(update)
  const entries = known.entries.slice(0, changes.kept)
  const others = new Map(known.entries.slice(changes.kept).map((entry) => [entry.block, entry]))
  const firsts = new Map<number, number>()
  let turn = 0
  for (const at of touched) {
    while (at >= (turns[turn]?.to ?? at + 1)) turn += 1
    const response = at === turns[turn]?.from ? undefined : entries[at - 1]?.response
    const block = facts.blocks[at]
    if (block) entries[at] = entryOf(block, entries[at] ?? others.get(block), { turn, response, lookup })
    if (!firsts.has(turn)) firsts.set(turn, at)
  }
  return { entries, firsts }
}

function entryOf(
  block: ConversationBlock,
  known: Entry | undefined,
  {
    turn,
    response,
    lookup,
  }: { readonly turn: number; readonly response: string | undefined; readonly lookup: BlockLookup },
): Entry {
  const own = messageIdOf(block) ?? response
  // A new response of the model begins with a step.
  const isStep = own !== response && !isPrompt(block)
  const [parts, ...others] = partsOf(block, turn, lookup)
  const inputs = [isStep, own, ...others]
  if (known?.block === block && isSameList(known.inputs, inputs)) return known
  return { block, response: own, inputs, parts: isStep ? [STEP_START, ...parts()] : parts() }
}

/** Returns the function that makes the parts of the block, and the values that they depend on besides the block. */
function partsOf(
  block: ConversationBlock,
  turn: number,
  lookup: BlockLookup,
): readonly [() => readonly SessionUIPart[], ...inputs: readonly unknown[]] {
  switch (block.type) {
    case 'tool_use': {
      const blocks = lookup.call(block.toolUseId, turn)
      // The reader of the AI SDK finds a call by its id, so a message has one part for each.
      const isFirst = blocks.call === block && !blocks.hasAgent
      const other: DataPart = { type: 'data-tool-use', id: block.id, data: block }
      return [() => [isFirst ? callPart(block, blocks) : other], isFirst, blocks.result, blocks.request]
    }
    case 'subagent': {
      const output = lookup.agent(block.toolUseId)
      const { request } = lookup.call(block.toolUseId, turn)
      return [() => [agentPart(block, output ?? outputOfBlock(block), request)], output, request]
    }
    case 'tool_result': {
      const isInCall = isShown(block, lookup.call(block.toolUseId, turn))
      return [() => resultParts(block, isInCall), isInCall]
    }
    case 'system': {
      const messages = lookup.branch(block.id)
      const branch: readonly DataPart[] = messages
        ? [{ type: 'data-branch', id: block.id, data: { messages: [...messages] } }]
        : []
      return [() => [plainPart(block), ...branch], messages]
    }
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

function outputOfBlock({ status, agentId, output, durationMs }: BlockOf<'subagent'>): AgentOutput {
  return omitUndefined({ status, agentId, output, durationMs })
}

function isShown(block: BlockOf<'tool_result'>, blocks: CallBlocks): boolean {
  return blocks.call !== undefined && blocks.result === block && isShownInCall(blocks.call, blocks)
}
