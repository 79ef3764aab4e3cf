import type { IncomingBlock } from '../events/event.ts'
import type { AllowUndefined } from '../json/omit-undefined.ts'

/** The message of a compaction. It is the same in all formats. */
export const COMPACTED = 'Conversation compacted'

interface Compaction {
  readonly id: string
  readonly summary: string | undefined
  /** By default that of the mark with an ending of its own. */
  readonly summaryId?: string
  readonly data?: unknown
  readonly timestamp: string | undefined
}

/** Returns the mark of a compaction, and its summary if there is one. */
export function compactionBlocks({
  id,
  summary = '',
  summaryId = `${id}:summary`,
  data,
  timestamp,
}: Compaction): readonly AllowUndefined<IncomingBlock>[] {
  const common = { status: 'complete', timestamp } as const
  const mark = { type: 'system', id, subtype: 'compaction', message: COMPACTED, data, ...common } as const
  if (summary === '') return [mark]
  return [mark, { type: 'user_message', id: summaryId, content: summary, origin: 'summary', ...common }]
}
