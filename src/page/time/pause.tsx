import { type ConversationBlock, findConversation } from 'agentfold'
import { type Selector, useSession } from 'agentfold/react'
import { type ReactNode, useMemo } from 'react'
import { timeInMs } from '../../core/json/lists.ts'
import { memoizeWeakly } from '../../core/selectors/memoize.ts'
import { formatDuration } from '../../sinks/markdown/text/values.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A shorter pause is not worth a line. In ms. */
const LONG = 1_800_000

interface PauseProps {
  readonly conversationId: string
  readonly blockId: string
}

/** The time since the block before, if nothing happened for long. */
export function Pause({ conversationId, blockId }: PauseProps): ReactNode {
  const select = useMemo<Selector<number | undefined>>(
    () => (state) => pausesIn(findConversation(state, conversationId)?.blocks ?? []).get(blockId),
    [conversationId, blockId],
  )
  const pause = useSession(select)
  return pause !== undefined && <p className="pause-note">{pauseText(pause)} later</p>
}

/** Returns the long pauses by the blocks after them. */
const pausesIn = memoizeWeakly((blocks: readonly ConversationBlock[]): ReadonlyMap<string, number> => {
  const pauses = new Map<string, number>()
  let last = Number.POSITIVE_INFINITY
  for (const { id, timestamp } of blocks) {
    const time = timeInMs(timestamp)
    if (Number.isNaN(time)) continue
    if (time - last >= LONG) pauses.set(id, time - last)
    last = time
  }
  return pauses
})

/** Returns a pause in words, such as `45 min`, `3 h` or `2 days`. */
function pauseText(ms: number): string {
  if (ms < 2 * HOUR) return formatDuration(Math.round(ms / 60_000) * 60_000)
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`
  return `${Math.round(ms / DAY)} days`
}
