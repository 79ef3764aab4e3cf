import { NO_EPOCH } from '../log/log-name.ts'
import type { LoggedEvent } from '../log/session-log.ts'
import { pause } from '../sync/connect/attempt.ts'
import type { PlacedState } from '../sync/snapshot.ts'
import type { MessageTexts } from './event-stream.ts'
import { type HubSession, isOutdated } from './hub-session.ts'
import { idOf, type Place } from './place.ts'

/** A session that is gone for longer has been deleted. */
const START_OVER_MS = 500

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
  session.addReader()
  try {
    yield* messagesOf(session, known, signal)
  } finally {
    session.removeReader()
  }
}

async function* messagesOf(
  session: HubSession,
  known: Place | undefined,
  signal: AbortSignal,
): AsyncGenerator<MessageTexts, void> {
  let reader = known
  let hadName = false
  while (!signal.aborted) {
    let placed = await session.current()
    if (placed.epoch === NO_EPOCH && hadName) {
      // In another process, a session that starts over is away for a moment.
      await pause(START_OVER_MS, signal)
      placed = await session.current()
    }
    if (placed.epoch === NO_EPOCH && hadName) {
      yield message({ event: 'end', data: [''] })
      return
    }
    hadName = placed.epoch !== NO_EPOCH
    const isKnown = hadName && reader?.epoch === placed.epoch
    if (!isKnown)
      for (const data of session.snapshotText(placed))
        yield message({ event: 'snapshot', id: idOf(placed), data: [data] })
    const start = isKnown && reader ? reader : placed
    reader = undefined
    try {
      for await (const logged of session.follow(start, signal)) {
        // The session has got its first event, and with it a name.
        if (!hadName) break
        yield eventMessage(session, placed, logged)
      }
      // The log was closed.
      if (hadName) return
    } catch (error) {
      if (!isOutdated(error)) throw error
    }
  }
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
