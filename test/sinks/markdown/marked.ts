import type { ConversationBlock } from '../../../src/core/state/block.ts'
import type { SessionConversationState } from '../../../src/core/state/session.ts'

/** A state whose texts have a mark of their own, each with a number that is unique. */
export interface MarkedState {
  readonly state: SessionConversationState
  readonly marks: readonly string[]
}

/** Replaces the text of every block and agent. A text that a heading or a summary may show has its mark on the second line. */
export function withMarks(state: SessionConversationState): MarkedState {
  const marks: string[] = []
  const mark = () => {
    const next = `MARK${marks.length}END`
    marks.push(next)
    return next
  }
  const blocksOf = (blocks: readonly ConversationBlock[]) => blocks.map((block) => markedBlock(block, mark))
  const branches = (state.branches ?? []).map((branch) => ({ ...branch, blocks: blocksOf(branch.blocks) }))
  return {
    state: {
      ...state,
      blocks: blocksOf(state.blocks),
      subagents: state.subagents.map((agent) => ({
        ...agent,
        blocks: blocksOf(agent.blocks),
        prompt: `agent\n${mark()}`,
        output: `agent\n${mark()}`,
      })),
      ...(state.branches ? { branches } : {}),
    },
    marks,
  }
}

function markedBlock(block: ConversationBlock, mark: () => string): ConversationBlock {
  switch (block.type) {
    case 'user_message':
    case 'assistant_text':
    case 'thinking':
    case 'skill_load':
      return { ...block, content: `text\n\n${mark()}` }
    case 'tool_use': {
      const { inputText: _, ...call } = block
      return { ...call, input: { query: 'q', value: mark() } }
    }
    case 'tool_result':
      return { ...block, output: `text\n${mark()}` }
    case 'request':
      return { ...block, title: mark() }
    case 'system':
    case 'error':
      return { ...block, message: mark() }
    case 'subagent':
      return block
  }
}
