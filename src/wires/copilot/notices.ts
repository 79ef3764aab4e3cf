import type { IncomingBlock } from '../../core/events/event.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, parseJson } from '../../core/json/values.ts'
import { MAIN } from '../../core/state/session.ts'
import type { SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { abandonFrom } from '../kit/abandon.ts'
import { compactionBlocks } from '../kit/blocks.ts'
import type { Data } from './messages.ts'
import type { CopilotContext } from './notes.ts'
import { dropStreamed } from './reply.ts'
import { type EventPlace, endTurn, isEndOfTurn } from './turn.ts'

type OwnFields<Block> = Block extends unknown
  ? Omit<Block, 'id' | 'status' | 'timestamp' | 'conversationId'>
  : never

type Notice = OwnFields<Exclude<IncomingBlock, { readonly type: 'subagent' }>>

/** Shows a block that has the event's id. Returns false for a repeated event, which adds nothing. */
export function showOnce(
  { event, conversationId }: EventPlace,
  notice: Notice,
  output: SessionOutput,
): boolean {
  const { id, time: timestamp } = event
  if (isRead(conversationId, id, output.state)) return false
  output.upsert(conversationId, { id, status: 'complete', ...notice, timestamp })
  return true
}

/** Whether the session has the block with the event's id. */
function isRead(conversationId: string, id: string, state: SessionLookups): boolean {
  return state.findBlock(conversationId, id) !== undefined || state.isAbandoned(id)
}

/** The person stopped main's turn. */
export function translateAbort(place: EventPlace, output: SessionOutput): void {
  if (!isEndOfTurn(place, output.state)) return
  showOnce(place, { type: 'system', subtype: 'interruption', message: 'Interrupted' }, output)
  endTurn(place, { outcome: 'interrupted' }, output)
}

/** A failure ends main's turn. The end of an agent reports its failure again. */
export function translateError(
  place: EventPlace,
  { message, errorType: code }: Data<'session.error'>,
  output: SessionOutput,
): void {
  const isFirst = output.state.turn.status === 'idle' && place.conversationId === MAIN
  const isEnd = isFirst || isEndOfTurn(place, output.state)
  const isNew = showOnce(place, omitUndefined({ type: 'error', message, code }), output)
  if (isNew && isFirst) output.turn.start(place.event.time)
  if (isNew && isEnd) output.turn.end({ outcome: 'failed', error: message, timestamp: place.event.time })
}

const NONE: ReadonlySet<string> = new Set()

export function translateRetry(
  place: EventPlace,
  { reason = 'retry' }: Data<'assistant.turn_retry'>,
  context: CopilotContext,
): void {
  if (showOnce(place, { type: 'system', subtype: 'retry', message: reason }, context))
    dropStreamed(place.conversationId, NONE, context)
}

/** Shows that the program makes a request again. Other failures end the turn, or have a retry of the turn. */
export function translateCallFailure(
  place: EventPlace,
  { statusCode = 0, errorMessage = '' }: Data<'model.call_failure'>,
  output: SessionOutput,
): void {
  if (statusCode !== 429 && statusCode < 500) return
  const message = asString(asObject(parseJson(errorMessage)).message) ?? (errorMessage || 'retry')
  showOnce(place, { type: 'system', subtype: 'retry', message, data: { statusCode } }, output)
}

/** Shows a compaction and its summary. The tokens of its request are of no message. */
export function translateCompaction(
  { event, conversationId }: EventPlace,
  {
    success,
    summaryContent: summary,
    postCompactionTokens: contextTokens,
  }: Data<'session.compaction_complete'>,
  output: SessionOutput,
): void {
  if (success === false || isRead(conversationId, event.id, output.state)) return
  const { id, time: timestamp } = event
  for (const block of compactionBlocks({ id, summary, contextTokens, timestamp }))
    output.upsert(conversationId, block)
}

/** The person has rewound main to before a prompt. The file loses the events from there on. */
export function translateRewind(
  { event: { id, time: timestamp } }: EventPlace,
  { upToEventId }: Data<'session.snapshot_rewind'>,
  output: SessionOutput,
): void {
  const from = output.state.blocksOf(MAIN).findLastIndex((block) => block.id === upToEventId)
  if (from >= 0) abandonFrom(from, { id, data: { upToEventId }, timestamp }, output)
}
