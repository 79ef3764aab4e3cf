/** The conversation and the blocks of a line. A line of a stream that is not the model's has no blocks. */
export interface LineBlocks {
  readonly conversationId: string
  /** The line's only block. Most lines have one, and a list of one item takes three times the room. */
  readonly blockId?: string
  /** The blocks of a line with several. */
  readonly blockIds?: readonly string[]
}

/** The place of a line in the tree of main's file. A person who rewinds the conversation begins another branch. */
export interface LinePlace {
  /** The uuid of the parent. */
  readonly parent?: string | undefined
  /** The uuid of the line before it in the file, without the lines of abandoned branches. */
  readonly previous?: string | undefined
  /** The line's own message of the model, or else the nearest one among its ancestors, or else the first ancestor. */
  readonly anchor: string
  /** The first prompt on the way from the anchor to the line. */
  readonly firstPrompt?: string | undefined
}
