/** Ids that OpenCode does not give. Each has a function that makes it, and one that reads it again from a resumed state. */

const REVERT_PREFIX = 'revert:'

/** Returns the id of the block that shows a pending revert to a message. */
export function revertBlockId(messageId: string): string {
  return REVERT_PREFIX + messageId
}

/** Returns the id of the block that marks a revert whose messages are removed, and of the branch that they become. */
export function rewindBlockId(messageId: string): string {
  return `rewind:${messageId}`
}

/** Returns the message of a block that shows a pending revert. */
export function messageIdOfRevert(blockId: string): string {
  return blockId.slice(REVERT_PREFIX.length)
}
