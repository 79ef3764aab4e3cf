import { NO_EPOCH } from '../log/log-name.ts'
import type { LoggedEvent } from '../log/session-log.ts'
import { StartOverWatch } from '../log/start-over.ts'
import type { PlacedState } from '../sync/snapshot.ts'
import type { MessageTexts } from './event-stream.ts'
import { type HubSession, isOutdated } from './hub-session.ts'
import { idOf, type Place } from './place.ts'

/**
 * Returns the messages for a reader: a snapshot if the reader's place is not one of the log, and then each event. If the log has dropped or lost
 * the next events, for example because the reader is slow, the next message is a snapshot. A deleted session ends the messages.
 */
export async function* messagesFor(
  sessionOf: () => HubSession,
  known: Place | undefined,
  signal: AbortSignal,
): AsyncGenerator<MessageTexts, void> {
  const session = sessionOf()
  const ended = new AbortController()
  const end = (): void => ended.abort()
  session.addReader(end)
  signal.addEventListener('abort', end)
  try {
    const isDeleted = yield* messagesOf(session, known, ended.signal)
    if ((isDeleted || ended.signal.aborted) && !signal.aborted) yield message({ event: 'end', data: [''] })
  } finally {
    session.removeReader(end)
  }
}

/** Returns whether the log has no such session any more. */
async function* messagesOf(
  session: HubSession,
  known: Place | undefined,
  signal: AbortSignal,
): AsyncGenerator<MessageTexts, boolean> {
  const signs = new StartOverWatch(true)
  let reader = known
  let hadName = false
  while (!signal.aborted) {
    const placed = await session.current()
    if (placed.epoch === NO_EPOCH && hadName) return true
    hadName = placed.epoch !== NO_EPOCH
    const isKnown = hadName && reader?.epoch === placed.epoch
    if (!isKnown)
      for (const data of session.snapshotText(placed))
        yield message({ event: 'snapshot', id: idOf(placed), data: [data] })
    let place = isKnown && reader ? reader : placed
    reader = undefined
    try {
      for await (const logged of session.follow(place, signal)) {
        // Either the session has got its first event, and with it a name, or it may have another state.
        if (!hadName || signs.take(logged)) {
          reader = place
          break
        }
        yield eventMessage(session, placed, logged)
        place = { ...logged, epoch: placed.epoch }
      }
      // The log was closed.
      if (!reader) return false
    } catch (error) {
      if (!isOutdated(error)) throw error
    }
  }
  return false
}

/** The data is a `StampedEvent`. */
function eventMessage(
  session: HubSession,
  { epoch }: PlacedState,
  { seq, event, digest }: LoggedEvent,
): MessageTexts {
  const stamp = `{"epoch":${JSON.stringify(epoch)},"seq":${seq},"event":`
  return message({ id: idOf({ epoch, seq, digest }), data: [stamp, session.textOf(event), '}'] })
}

/** A server-sent event. JSON has no line breaks, so the data is one line. */
function message({
  event,
  id,
  data,
}: {
  readonly event?: string
  readonly id?: string
  readonly data: MessageTexts
}): MessageTexts {
  const lines = [event && `event: ${event}`, id && `id: ${id}`, 'data: ']
  return [lines.filter(Boolean).join('\n'), ...data, '\n\n']
}
