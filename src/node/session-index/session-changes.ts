import { existsSync } from 'node:fs'
import { FileChanges } from '../follow/follow-session.ts'
import { sessionPlaces } from '../list/program-places.ts'
import type { IndexScope } from './index-place.ts'

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
