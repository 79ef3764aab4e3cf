import type { WalkedAgent } from '../../../selectors/walk.ts'
import { type BlockOf, isPrompt } from '../../../state/block.ts'
import type { SubagentState } from '../../../state/session.ts'

/** The facts of an agent, from its state or from the block of its call. */
export interface AgentFacts
  extends Pick<
    SubagentState,
    'toolUseId' | 'agentId' | 'name' | 'description' | 'status' | 'output' | 'prompt'
  > {
  /** The block of its conversation that holds the prompt. */
  readonly promptBlockId?: string
}

/** Returns the facts of an agent that has a block and no conversation. An empty prompt is an unknown one. */
export function factsOfBlock({ input, ...facts }: BlockOf<'subagent'>): AgentFacts {
  return input === '' ? facts : { ...facts, prompt: input }
}

/** Returns the facts of an agent at its place in a session. */
export function factsOfAgent({ agent, block }: WalkedAgent): AgentFacts {
  const facts = block ? { ...factsOfBlock(block), ...agent } : agent
  const { prompt } = facts
  const promptBlock = agent.blocks.find((each) => isPrompt(each) && each.content === prompt)
  return promptBlock ? { ...facts, promptBlockId: promptBlock.id } : facts
}
