import type { SessionEvent } from '../../core/events/event.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import type { Architecture } from '../../programs/program.ts'
import { EntryFold } from '../../reading/entry-fold.ts'
import type { Ending, ReadIssue } from '../../reading/source.ts'
import { DEFAULT_ARCHITECTURE } from '../../wires/all.ts'
import { refuseForeign } from '../../wires/detect.ts'
import { sourceOf } from '../../wires/source-of.ts'
import { cutError } from '../files/read-error.ts'
import { missingTranscripts } from './stored-session.ts'
import type { SessionEntries } from './text-entries.ts'

/** A session that was read to its end. */
export interface SessionReading {
  readonly state: SessionConversationState
  readonly issues: readonly ReadIssue[]
  readonly ending: Ending
}

/** An input that was read to its end. */
export interface InputReading extends SessionReading {
  readonly isEmpty: boolean
  /** The end of the input ended main's turn, and not the program. */
  readonly isCut: boolean
}

/** Functions that a reading calls while it reads an input. */
export interface ReadingObserver {
  onEvents?(events: readonly SessionEvent[]): void
  onState?(state: SessionConversationState): void
}

/**
 * Reads a session to its end. Each portion of entries is one batch. If no format recognizes the session, any reader
 * will do: it reports that the input is not a transcript. Throws a `TranscriptError`.
 */
export async function readInput(
  { architecture, detected, unproven, portions, isCut, hasAgentFiles = false }: SessionEntries,
  given: Architecture | undefined,
  observer: ReadingObserver,
): Promise<InputReading> {
  const reader = new EntryFold(await sourceOf(architecture ?? DEFAULT_ARCHITECTURE))
  const report = (events: readonly SessionEvent[]) => {
    observer.onEvents?.(events)
    observer.onState?.(reader.session.state)
  }
  let isEmpty = true
  for await (const portion of portions) {
    if (portion.length > 0) isEmpty = false
    report(reader.read(portion).events)
  }
  // The lines of its agents may be whole.
  if (isCut) throw cutError()
  refuseForeign(reader, { given, detected: given === undefined ? architecture : detected })
  const { events, ending } = reader.end()
  report(events)
  const { state } = reader.session
  const issues = [
    ...(unproven ? [unproven] : []),
    ...reader.issues,
    ...(hasAgentFiles ? missingTranscripts(state) : []),
  ]
  return { state, issues, ending, isEmpty, isCut: events.some(isInterruptionOfMain) }
}

function isInterruptionOfMain(event: SessionEvent): boolean {
  const isIdle = event.type === 'session:idle' && (event.conversationId ?? MAIN) === MAIN
  return isIdle && event.outcome === 'interrupted'
}
