import type { ConversationBlock } from '../state/block.ts'

/** What a conversation does now, or did last. */
interface DoneWork {
  readonly block: ConversationBlock
  /** The start of the work, if it is not known to be over. ISO 8601. */
  readonly since: string | undefined
}

/**
 * Returns the last call or agent that runs, or else the last call or text. An agent that is done says nothing. Undefined
 * if there is nothing of that kind.
 */
export function doingIn(blocks: readonly ConversationBlock[]): DoneWork | undefined {
  const block = blocks.findLast(isRunning) ?? blocks.findLast(isCallOrText)
  const goesOn = block && (isRunning(block) || (isText(block) && block === blocks.at(-1)))
  return block && { block, since: goesOn ? block.timestamp : undefined }
}

function isRunning(block: ConversationBlock): boolean {
  return block.status === 'running' || (block.status === 'pending' && isCallOrText(block))
}

function isCallOrText(block: ConversationBlock): boolean {
  return block.type === 'tool_use' || isText(block)
}

function isText({ type }: ConversationBlock): boolean {
  return type === 'assistant_text' || type === 'thinking'
}
