/** The message of a compaction. It is the same in all formats. */
export const COMPACTED = 'Conversation compacted'
