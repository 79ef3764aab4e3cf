import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../programs/program.ts'
import { FileChanges } from '../follow/follow-session.ts'
import { environmentOf, sessionPlaces } from '../list/program-places.ts'

/** Which sessions an index has. */
export interface IndexScope {
  /** The person's home folder. With it, environment variables do not count. */
  readonly home?: string | undefined
  /** Folders to search at any depth, in place of the programs' own. */
  readonly roots?: readonly string[] | undefined
}

/**
 * Returns the path of the index in the cache folder of the system, or of another person's home folder. Each list of
 * folders has its own index.
 */
export function indexPath({ home, roots }: IndexScope, cacheHome: string | undefined): string {
  const places = roots ?? sessionPlaces(home)
  const name = createHash('sha256').update(JSON.stringify(places)).digest('base64url').slice(0, 16)
  return join(cacheFolder(environmentOf(cacheHome)), 'agentfold', `sessions-${name}.index`)
}

function cacheFolder({ home, variables }: Environment): string {
  return variables.XDG_CACHE_HOME || join(home, '.cache')
}

/** In ms. Not every file system reports changes. */
const POLL_MS = 2_000

/** Yields when a session may have changed, until the abort. */
export async function* changesOf(
  { home, roots }: IndexScope,
  signal: AbortSignal,
): AsyncGenerator<void, void> {
  const places = roots ?? sessionPlaces(home)
  const changes = new FileChanges(POLL_MS, signal)
  try {
    while (!signal.aborted) {
      changes.watch(places.filter((place) => existsSync(place)))
      await changes.next()
      if (signal.aborted) return
      changes.clear()
      yield
    }
  } finally {
    await changes.close()
  }
}
