import type { UserMessageBlock } from '../../core/state/block.ts'
import type { UserContentPart } from '../../core/state/content.ts'

/** Returns the content of a user message with these parts, or undefined if there are none. A single text becomes a string. */
export function userContent(parts: readonly UserContentPart[]): UserMessageBlock['content'] | undefined {
  const first = parts[0]
  if (!first) return undefined
  return parts.length === 1 && first.type === 'text' ? first.text : parts
}
