import type { SessionConversationState } from '../../../core/state/session.ts'
import { ifReadable } from '../../../node/files/read-error.ts'
import { listMatching } from '../../../node/list/list-sessions.ts'
import type { SessionSummary } from '../../../node/list/session-summary.ts'
import { readSession } from '../../../node/read/read-session.ts'
import { searchPattern } from '../../../node/search-pattern.ts'
import type { SessionIndex } from '../../../node/session-index/session-questions.ts'
import { sessionFilter } from '../../list/file-listing.ts'

/** The place of the sessions of a list. */
export interface SessionSource {
  /** Yields the sessions, newest first. */
  list(): AsyncIterable<SessionSummary>
  /** Yields those that may have a text, newest first. */
  matching(text: string): AsyncIterable<SessionSummary>
  /** Reads one. Undefined if it cannot be read: `show` says why. */
  read(session: SessionSummary): Promise<SessionConversationState | undefined>
}

/** Returns the sessions in the files of this machine. */
export function fileSource(options: { readonly home?: string }): SessionSource {
  return {
    list: () => listMatching(options, {}),
    matching: (text) => listMatching(options, { mayMatch: sessionFilter(searchPattern(text)) }),
    read: ({ path }) => ifReadable(async () => (await readSession(path)).state),
  }
}

/** Returns the sessions of an index of several machines. */
export function indexSource(openIndex: () => Promise<SessionIndex>): SessionSource {
  return {
    async *list() {
      const index = await openIndex()
      await index.update()
      yield* await index.sessions()
    },
    async *matching(text) {
      yield* (await openIndex()).candidates(text)
    },
    read: async (session) => (await openIndex()).read(session),
  }
}
