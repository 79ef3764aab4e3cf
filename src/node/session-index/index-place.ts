import { createHash } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Environment } from '../../programs/program.ts'
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
  const { XDG_CACHE_HOME = '' } = variables
  // The specification tells programs to ignore a relative path.
  return isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(home, '.cache')
}

/** In ms. It takes less than some seconds to write the file. */
const STALE_MS = 60_000

/** Removes the file of a process that was killed. */
export function removeStale(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats && Date.now() - stats.mtimeMs > STALE_MS) rmSync(path, { force: true })
}
