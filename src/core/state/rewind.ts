import type { BlockOf, ConversationBlock } from './block.ts'

/** The subtype of a block that marks where the person has rewound the conversation. */
export const REWIND = 'rewind'

/** The message of such a block. It is the same in all formats. */
export const REWOUND = 'The person rewound the conversation'

/** Whether the block marks a rewind. */
export function isRewindMark(block: ConversationBlock): block is BlockOf<'system'> {
  return block.type === 'system' && block.subtype === REWIND
}
