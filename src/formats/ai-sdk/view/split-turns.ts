import { type BlockOf, type ConversationBlock, isPrompt } from '../../../state/block.ts'

/** The blocks of one message: a message of the person alone, or everything until the next one. */
export interface TurnBlocks {
  readonly id: string
  /** Absent in an answer. */
  readonly prompt?: BlockOf<'user_message'>
  readonly blocks: readonly ConversationBlock[]
}

/** Returns the blocks of each message. Messages from the start whose blocks are the known ones keep their lists. */
export function splitTurns<Known extends TurnBlocks>(
  conversationId: string,
  blocks: readonly ConversationBlock[],
  known: readonly Known[],
): readonly (Known | TurnBlocks)[] {
  const turns: (Known | TurnBlocks)[] = []
  let from = 0
  for (const turn of known) {
    if (!isUnchanged(turn, blocks, from)) break
    turns.push(turn)
    from += turn.blocks.length
  }
  while (from < blocks.length) {
    const turn = turnAt(blocks, from, turns.at(-1)?.prompt?.id ?? conversationId)
    turns.push(turn)
    from += turn.blocks.length
  }
  return turns
}

function isUnchanged(turn: TurnBlocks, blocks: readonly ConversationBlock[], from: number): boolean {
  const count = turn.blocks.length
  for (let at = 0; at < count; at += 1) if (turn.blocks[at] !== blocks[from + at]) return false
  const next = blocks[from + count]
  return turn.prompt !== undefined || next === undefined || isPrompt(next)
}

function turnAt(blocks: readonly ConversationBlock[], from: number, before: string): TurnBlocks {
  const first = blocks[from]
  if (first && isPrompt(first)) return { id: first.id, prompt: first, blocks: [first] }
  const length = blocks.slice(from).findIndex(isPrompt)
  return {
    id: `${before}:answer`,
    blocks: length < 0 ? blocks.slice(from) : blocks.slice(from, from + length),
  }
}
