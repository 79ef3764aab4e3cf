import { type ConversationBlock, messageIdOf } from '../../core/state/block.ts'
import type { ConversationThread, MessageUsage } from '../../core/state/session.ts'

/** One response of the model, and the blocks between it and the response before. */
export interface ModelResponse {
  /** The id of the message; a text without one has an id of its own. */
  readonly id: string
  readonly messageId: string | undefined
  /** The texts, thinking and calls of the model. */
  readonly blocks: readonly ConversationBlock[]
  /** Prompts, results and notes. */
  readonly inputs: readonly ConversationBlock[]
  readonly usage: MessageUsage | undefined
}

/**
 * Returns the responses of a conversation, in the order of their first block. Those without a block come last. It leaves out the messages of the
 * parent, which a forked agent repeats.
 */
export function responsesOf(
  { blocks, usage }: ConversationThread,
  parent: ConversationThread | undefined,
): readonly ModelResponse[] {
  const ofParent = new Set(parent?.usage.map(({ messageId }) => messageId))
  const usageById = new Map(usage.map((entry) => [entry.messageId, entry]))
  const responses = new Map<string, ModelResponse & { readonly blocks: ConversationBlock[] }>()
  let inputs: ConversationBlock[] = []
  for (const block of blocks) {
    if (!isOutput(block)) {
      inputs.push(block)
      continue
    }
    const messageId = messageIdOf(block)
    const id = messageId ?? `block:${block.id}`
    const response = responses.get(id)
    if (response) response.blocks.push(block)
    else {
      responses.set(id, { id, messageId, inputs, blocks: [block], usage: usageById.get(id) })
      inputs = []
    }
  }
  const unseen = usage.flatMap((entry) => {
    const { messageId } = entry
    return responses.has(messageId)
      ? []
      : [{ id: messageId, messageId, blocks: [], inputs: [], usage: entry }]
  })
  return [...responses.values(), ...unseen].filter(({ id }) => !ofParent.has(id))
}

function isOutput({ type }: ConversationBlock): boolean {
  return type === 'assistant_text' || type === 'thinking' || type === 'tool_use' || type === 'subagent'
}
