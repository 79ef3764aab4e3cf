import { type ConversationBlock, findConversation, type SessionConversationState } from 'agentfold'
import { memoizeWeakly } from '../../core/selectors/memoize.ts'
import { timeOf } from '../../sinks/markdown/text/values.ts'
import type { Row } from './row.ts'

/**
 * Returns the minute of each row, for the gutter beside it. A row of the same minute as the row above it has none, and
 * neither has a prompt, which has its time in its head.
 */
export function minutesOf(
  state: SessionConversationState,
  rows: readonly Row[],
): readonly (string | undefined)[] {
  let last: string | undefined
  return rows.map((row) => {
    const time = timeOfRow(state, row)
    const minute = time === undefined ? last : MINUTE.format(time)
    const isNew = minute !== last
    last = minute
    return isNew && !(row.type === 'block' && row.isPrompt) ? minute : undefined
  })
}

const MINUTE = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })

function timeOfRow(state: SessionConversationState, row: Row): number | undefined {
  const id = row.type === 'block' ? row.blockId : row.type === 'run' ? row.blockIds[0] : undefined
  const blocks = findConversation(state, row.conversationId)?.blocks ?? []
  return id === undefined ? undefined : timesIn(blocks).get(id)
}

const timesIn = memoizeWeakly(
  (blocks: readonly ConversationBlock[]): ReadonlyMap<string, number> =>
    new Map(
      blocks.flatMap(({ id, timestamp }) => {
        const time = timeOf(timestamp)
        return time === undefined ? [] : [[id, time]]
      }),
    ),
)
