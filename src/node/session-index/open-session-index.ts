import { indexPath } from './index-place.ts'
import { LocalSource } from './local-source.ts'
import { OpenedIndex } from './opened-index.ts'
import type { IndexOptions, SessionIndex } from './session-questions.ts'

/**
 * Opens the index of the sessions of this machine. It is a file in the cache folder of the system, and is made from
 * the sessions' files: it may be thrown away at any time. Its answers are those of the files. Where the file cannot be
 * written, the index is in memory.
 */
export async function openSessionIndex({
  path,
  home,
  roots,
  exclude = [],
  now = Date.now,
}: IndexOptions = {}): Promise<SessionIndex> {
  if (typeof roots === 'string') throw new TypeError('roots: pass a list of folders')
  const scope = { home, roots }
  const file = path === false ? undefined : (path ?? indexPath(scope, home?.split(',')[0]))
  return new OpenedIndex(new LocalSource(scope, file, now), { exclude, now })
}
