import { setImmediate } from 'node:timers/promises'

/** The files that a scan looks at before other work of the process has its turn. */
const FILES_PER_TURN = 32

/**
 * Yields the paths of a long scan. The look at a file is synchronous, so other work of the process has its turn in between: without it, nothing could
 * end the scan of a large folder. Throws the signal's reason after the abort.
 */
export async function* inTurns(
  paths: readonly string[],
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void> {
  for (const [at, path] of paths.entries()) {
    if (at % FILES_PER_TURN === 0) await setImmediate()
    signal?.throwIfAborted()
    yield path
  }
}

/** Returns the first of the paths that is wanted, by a look at the files in turns. */
export async function findPath(
  paths: readonly string[],
  isWanted: (path: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  for await (const path of inTurns(paths, signal)) if (isWanted(path)) return path
  return undefined
}
