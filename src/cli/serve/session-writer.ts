import type { SessionEvent } from '../../events/event.ts'
import type { SessionConversationState } from '../../state/session.ts'
import { RedactedEvents } from './redacted-events.ts'
import type { ServedLog } from './served-log.ts'

/** A final text that grew is whole if nothing comes for this time, in milliseconds. */
const QUIET_MS = 2000

/** Writes a session into a log. */
export interface SessionWriter {
  readonly replaceState: (state: SessionConversationState) => void
  readonly append: (events: readonly SessionEvent[]) => void
}

/** Returns a writer into the log. With `redact`, the last line of a final text waits until it is whole. */
export function writerOf(log: ServedLog, redact: true | undefined): SessionWriter {
  if (!redact)
    return {
      replaceState: (state) => log.replaceState(state),
      append: (events) => log.append(events),
    }
  const redacted = new RedactedEvents()
  let quiet: NodeJS.Timeout | undefined
  return {
    replaceState: (state) => {
      clearTimeout(quiet)
      log.replaceState(redacted.replaceState(state))
    },
    append: (events) => {
      clearTimeout(quiet)
      log.append(redacted.append(events))
      if (redacted.isWaiting) quiet = setTimeout(() => log.append(redacted.release()), QUIET_MS).unref()
    },
  }
}
