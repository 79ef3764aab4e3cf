import type { ConversationBlock, SessionConversationState } from 'agentfold'
import { usualCost } from '../../core/selectors/cost.ts'
import { messageIdOf } from '../../core/state/block.ts'
import { oneLine } from '../blocks/one-line.ts'
import { turnOf } from '../changes/turn-of.ts'
import { promptsIn } from '../session/prompts.tsx'
import { plainLine } from '../text/plain-line.ts'
import { callText } from '../tools/tool-hint.ts'

/** A call or a reply of the model. */
export interface Step {
  readonly blockId: string
  readonly text: string
}

/** The work that followed a prompt. */
export interface Turn {
  readonly blockId: string
  readonly prompt: string
  readonly steps: readonly Step[]
  /** In US dollars, with the agents that the turn started. Absent if the program states no cost. */
  readonly costUsd: number | undefined
}

/** Returns the turns of main. */
export function turnsOf(state: SessionConversationState): readonly Turn[] {
  const prompts = new Map(promptsIn(state).map(({ id, text }) => [id, text]))
  const turns: { blockId: string; prompt: string; blocks: ConversationBlock[] }[] = []
  for (const block of state.blocks) {
    const prompt = prompts.get(block.id)
    if (prompt !== undefined) turns.push({ blockId: block.id, prompt, blocks: [] })
    else turns.at(-1)?.blocks.push(block)
  }
  const costOf = turnCosts(state, turns)
  return turns.map(({ blockId, prompt, blocks }) => ({
    ...{ blockId, prompt, steps: blocks.flatMap(stepOf) },
    costUsd: costOf(blockId),
  }))
}

function stepOf(block: ConversationBlock): readonly Step[] {
  const { id: blockId } = block
  if (block.type === 'tool_use') return [{ blockId, text: callText(block) }]
  if (block.type === 'assistant_text') return [{ blockId, text: plainLine(block.content) }]
  return block.type === 'error' ? [{ blockId, text: oneLine(String(block.message)) }] : []
}

/** A cost that the program states for the session is divided by what the tokens of each turn usually cost. */
function turnCosts(
  state: SessionConversationState,
  turns: readonly { readonly blockId: string; readonly blocks: readonly ConversationBlock[] }[],
): (promptId: string) => number | undefined {
  const turnOfMessage = new Map(
    turns.flatMap(({ blockId, blocks }) =>
      blocks.flatMap((block) => {
        const messageId = messageIdOf(block)
        return messageId === undefined ? [] : [[messageId, blockId] as const]
      }),
    ),
  )
  const sums = new Map<string | undefined, number>()
  const add = (promptId: string | undefined, usage: SessionConversationState['usage']): void => {
    const cost = usage.reduce((sum, entry) => sum + usualCost(entry), 0)
    sums.set(promptId, (sums.get(promptId) ?? 0) + cost)
  }
  for (const entry of state.usage) add(turnOfMessage.get(entry.messageId), [entry])
  for (const { toolUseId, usage } of state.subagents) add(turnOf(state, { conversationId: toolUseId }), usage)
  const sum = [...sums.values()].reduce((left, right) => left + right, 0)
  const { costUsd } = state.session
  return (promptId) =>
    costUsd === undefined || sum === 0 ? undefined : (costUsd * (sums.get(promptId) ?? 0)) / sum
}
