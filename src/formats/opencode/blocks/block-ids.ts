/** Ids that OpenCode does not give. Each has a function that makes it, and one that reads it again from a resumed state. */

const ERROR_SUFFIX = ':error'

/** Returns the id of the block that shows how a message ended early. */
export function errorBlockId(messageId: string): string {
  return messageId + ERROR_SUFFIX
}

/** Returns the message of such a block, or undefined for any other block id. */
export function messageIdOfError(blockId: string): string | undefined {
  return blockId.endsWith(ERROR_SUFFIX) ? blockId.slice(0, -ERROR_SUFFIX.length) : undefined
}

const REVERT_PREFIX = 'revert:'

/** Returns the id of the block that shows a pending revert to a message. */
export function revertBlockId(messageId: string): string {
  return REVERT_PREFIX + messageId
}

/** Returns the message of such a block. */
export function messageIdOfRevert(blockId: string): string {
  return blockId.slice(REVERT_PREFIX.length)
}

const NUMBERED_PREFIX = 'unnamed:'

/** Returns the id of the block of an event that has no id. */
export function numberedBlockId(number: number): string {
  return `${NUMBERED_PREFIX}${number}`
}

/** Returns the number in such an id, or undefined for any other block id. */
export function numberOfBlockId(blockId: string): number | undefined {
  const number = blockId.startsWith(NUMBERED_PREFIX)
    ? Number(blockId.slice(NUMBERED_PREFIX.length))
    : Number.NaN
  return Number.isInteger(number) ? number : undefined
}
