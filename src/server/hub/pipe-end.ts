import type { EventOf, SessionEvent } from '../../core/events/event.ts'
import { reduceSessionEvents } from '../../core/reducer/reduce.ts'
import { hasPendingRequest } from '../../core/selectors/requests.ts'
import { isOpenBlock, type SessionConversationState } from '../../core/state/session.ts'
import { requestIdsAfterOutput } from '../../wires/answer-request.ts'

export const NO_LEFTOVERS: Record<'events' | 'removals', readonly SessionEvent[]> = {
  events: [],
  removals: [],
}

/**
 * Returns the events for the requests of an earlier output, whose program takes no answer any more. `events` end what a
 * killed server has left, and keep the ids that the next process counts again. `removals` come with the first events of
 * the output: a program that lives on may ask again.
 */
export function leftoversIn(before: SessionConversationState): typeof NO_LEFTOVERS {
  const ids = requestIdsAfterOutput(before)
  if (ids === 'open') return NO_LEFTOVERS
  const ends = hasPendingRequest(before) ? interruptions(before) : []
  const state = reduceSessionEvents(before, ends)
  const open = [state, ...state.subagents].flatMap((thread) =>
    thread.blocks.flatMap((block) => (block.type === 'request' && isOpenBlock(block, thread) ? block : [])),
  )
  if (ids === 'taken') {
    // Without its data, no later request is taken for its repetition.
    const upserts = open.map(({ data: _, ...block }) => ({ type: 'block:upsert', block }) as const)
    return { events: [...ends, ...upserts], removals: [] }
  }
  const removals = open.map(
    ({ conversationId, id: blockId }) => ({ type: 'block:removed', conversationId, blockId }) as const,
  )
  return { events: ends, removals }
}

/** The end of an output, as its source and its host know it. */
interface OutputEnd {
  /** The events of the source. */
  readonly events: readonly SessionEvent[]
  /** Why the program has failed, if it has. */
  readonly error: string | undefined
  /** Whether the output had no events. */
  readonly isSilent: boolean
  /** Whether the session has another output now. */
  readonly hasOthers: boolean
}

/**
 * Returns the last events of an output. After it nothing runs or waits, also if the source does not know what does: the
 * events may be a host's own. The work of another output goes on.
 */
export function endingEvents(
  before: SessionConversationState,
  { events, error, isSilent, hasOthers }: OutputEnd,
): readonly SessionEvent[] {
  if (hasOthers) return events.filter((event) => event.type !== 'session:idle' && !('cut' in event))
  const all = [...events, ...interruptions(reduceSessionEvents(before, events))]
  const { status } = reduceSessionEvents(before, all).turn
  const hasEnded = status === 'finished' || status === 'failed'
  if (error === undefined || (hasEnded && !isSilent)) return all
  const failed = { outcome: 'failed', error } as const
  // A cut keeps the open blocks: the next output of the program may go on with them.
  if (all.some(isCutOfMain)) return all.map((event) => (isCutOfMain(event) ? { ...event, ...failed } : event))
  return [...all, { type: 'session:idle', ...failed }]
}

/** Returns the events that end what still runs or waits: a program whose output has ended takes no answer. */
function interruptions(state: SessionConversationState): readonly SessionEvent[] {
  const agents = state.subagents.filter(({ status }) => status === 'running')
  const others = state.subagents.filter(
    ({ status, blocks }) => status !== 'running' && blocks.some((block) => block.status === 'pending'),
  )
  return [
    ...agents.map(
      ({ toolUseId }) => ({ type: 'subagent:completed', toolUseId, status: 'error', cut: true }) as const,
    ),
    ...others.map(({ toolUseId }) => ({ type: 'session:idle', conversationId: toolUseId }) as const),
    ...(state.turn.status === 'running'
      ? [{ type: 'session:idle', outcome: 'interrupted', cut: true } as const]
      : []),
  ]
}

export function isCutOfMain(event: SessionEvent): event is EventOf<'session:idle'> {
  return event.type === 'session:idle' && event.cut === true && event.conversationId === undefined
}
