import { openLocalSource } from './local-source.ts'
import { OpenedIndex } from './opened-index.ts'
import type { IndexOptions, SessionIndex } from './session-questions.ts'

/**
 * Opens the index of the sessions of this machine. It is a file in the cache folder of the system, and is made from
 * the sessions' files: it may be thrown away at any time. Its answers are those of the files. Where the file cannot be
 * written, the index is in memory.
 */
export async function openSessionIndex(options: IndexOptions = {}): Promise<SessionIndex> {
  const { exclude = [], now = Date.now } = options
  return new OpenedIndex(openLocalSource(options), { exclude, now })
}
