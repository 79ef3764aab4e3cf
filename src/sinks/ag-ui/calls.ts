import { omitUndefined } from '../../core/json/fields.ts'
import { isObject } from '../../core/json/values.ts'
import { type BlockOf, type CallBlock, type ConversationBlock, isCall } from '../../core/state/block.ts'
import { AGENT_CALL, sessionWideId } from '../../wires/ag-ui/ids.ts'

/** The calls of a conversation, and their results, by the `toolUseId`. Only the first of several with one id counts. */
export interface Pairs {
  readonly call: (block: CallBlock | BlockOf<'tool_result'>) => CallBlock | undefined
  readonly result: (block: BlockOf<'tool_use' | 'tool_result'>) => BlockOf<'tool_result'> | undefined
}

/** Returns the calls and results of a whole conversation. */
export function allPairs(blocks: readonly ConversationBlock[]): Pairs {
  const calls = new Map<string, CallBlock>()
  const results = new Map<string, BlockOf<'tool_result'>>()
  for (const block of blocks) {
    if (isCall(block) && !calls.has(block.toolUseId)) calls.set(block.toolUseId, block)
    else if (block.type === 'tool_result' && !results.has(block.toolUseId))
      results.set(block.toolUseId, block)
  }
  return { call: ({ toolUseId }) => calls.get(toolUseId), result: ({ toolUseId }) => results.get(toolUseId) }
}

/** Returns the same for a few look-ups: each searches the conversation. */
export function searchedPairs(blocks: readonly ConversationBlock[]): Pairs {
  return {
    call: ({ toolUseId }) => {
      for (const block of blocks) if (isCall(block) && block.toolUseId === toolUseId) return block
      return undefined
    },
    result: ({ toolUseId }) => {
      for (const block of blocks)
        if (block.type === 'tool_result' && block.toolUseId === toolUseId) return block
      return undefined
    },
  }
}

/** A call, as AG-UI has it. */
interface Call {
  readonly id: string
  readonly name: string
  /** The arguments, as a JSON text. */
  readonly text: string
  /** Whether the arguments are complete. */
  readonly isComplete: boolean
}

/** Returns the call of a block. */
export function callOf(block: CallBlock, conversationId: string): Call {
  const id = sessionWideId(conversationId, block.toolUseId)
  if (block.type === 'subagent') return { id, name: AGENT_CALL, ...agentArguments(block) }
  return { id, name: block.toolName, ...toolArguments(block) }
}

function agentArguments({
  status,
  description,
  agentType,
  input: prompt,
  phase,
  launchedBy,
}: BlockOf<'subagent'>): Pick<Call, 'text' | 'isComplete'> {
  if (status === 'pending') return { text: '', isComplete: false }
  const facts = omitUndefined({ description, agentType, prompt, phase, launchedBy })
  return { text: JSON.stringify(facts), isComplete: true }
}

function toolArguments({ status, input, inputText }: BlockOf<'tool_use'>): Pick<Call, 'text' | 'isComplete'> {
  if (inputText !== undefined) return { text: inputText, isComplete: status !== 'pending' }
  // The input of a call that has only begun is empty.
  if (status === 'pending' && isObject(input) && Object.keys(input).length === 0)
    return { text: '', isComplete: false }
  return { text: JSON.stringify(input), isComplete: true }
}
