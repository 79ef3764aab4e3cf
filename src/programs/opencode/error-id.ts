const ERROR_SUFFIX = ':error'

/** Returns the id of the block that shows how a message ended early. */
export function errorBlockId(messageId: string): string {
  return messageId + ERROR_SUFFIX
}

/** Returns the message of such a block, or undefined for any other block id. */
export function messageIdOfError(blockId: string): string | undefined {
  return blockId.endsWith(ERROR_SUFFIX) ? blockId.slice(0, -ERROR_SUFFIX.length) : undefined
}
