import { omitUndefined } from '../../../json/omit-undefined.ts'
import { isObject } from '../../../json/values.ts'
import type { BlockOf } from '../../../state/block.ts'
import { sessionWideId } from './ids.ts'
import type { CallBlock } from './pairs.ts'

/** The name of the calls that start an agent. */
export const AGENT_CALL = 'agent'

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
  input: prompt,
}: BlockOf<'subagent'>): Pick<Call, 'text' | 'isComplete'> {
  if (status === 'pending') return { text: '', isComplete: false }
  return { text: JSON.stringify(omitUndefined({ description, prompt })), isComplete: true }
}

function toolArguments({ status, input, inputText }: BlockOf<'tool_use'>): Pick<Call, 'text' | 'isComplete'> {
  if (inputText !== undefined) return { text: inputText, isComplete: status !== 'pending' }
  // The input of a call that has only begun is empty.
  if (status === 'pending' && isObject(input) && Object.keys(input).length === 0)
    return { text: '', isComplete: false }
  return { text: JSON.stringify(input), isComplete: true }
}
