import type { IncomingBlock } from '../../core/events/event.ts'
import type { AllowUndefined } from '../../core/json/fields.ts'

/** The message of a compaction. It is the same in all formats. */
export const COMPACTED = 'Conversation compacted'

interface Compaction {
  readonly id: string
  readonly summary: string | undefined
  /** By default that of the mark with an ending of its own. */
  readonly summaryId?: string
  readonly data?: unknown
  readonly keptBlockIds?: readonly string[] | undefined
  readonly contextTokens?: number | undefined
  readonly timestamp: string | undefined
}

/** Returns the mark of a compaction, and its summary if there is one. */
export function compactionBlocks({
  id,
  summary,
  summaryId = `${id}:summary`,
  ...facts
}: Compaction): readonly AllowUndefined<IncomingBlock>[] {
  const { timestamp } = facts
  const status = 'complete'
  const mark = { id, type: 'system', subtype: 'compaction', status, message: COMPACTED, ...facts } as const
  return summary
    ? [mark, { id: summaryId, type: 'user_message', status, content: summary, origin: 'summary', timestamp }]
    : [mark]
}
