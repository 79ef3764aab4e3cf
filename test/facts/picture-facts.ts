import type { ConversationThread } from '../../src/entries/index.ts'
import type { FactItem } from './facts.ts'

/** Returns the models of a thread's messages, in order, without their provider. */
export function modelsIn({ usage }: ConversationThread): readonly string[] {
  return [...new Set(usage.flatMap(({ model }) => model?.split('/').at(-1) ?? []))]
}

/** Returns the number of pictures in each prompt of the thread. */
export function picturesIn({ blocks }: ConversationThread): readonly number[] {
  return blocks.flatMap((block) => {
    if (block.type !== 'user_message' || block.origin !== undefined) return []
    const { content } = block
    return typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image').length
  })
}

/** Returns the number of pictures in each prompt that the facts state. Undefined if none has one. */
export function statedPictures(items: readonly FactItem[]): readonly number[] | undefined {
  const counts = items.flatMap((item) => (item.type === 'prompt' ? (item.pictures ?? 0) : []))
  return counts.some((count) => count > 0) ? counts : undefined
}
