import { isObject, parseJson } from '../../core/json/values.ts'
import { isSeq } from '../sync/sequence.ts'
import type { Snapshot } from '../sync/snapshot.ts'
import { LogError } from './log-error.ts'

/** Reads a stored snapshot. A log checks its own field alone; the caller checks the rest with `restore`. Throws a `LogError` (`broken`) that names the place. */
export function storedSnapshot(text: string, place: string): Snapshot {
  const value = parseJson(text)
  if (isObject(value) && isSeq(value.seq)) return value as unknown as Snapshot
  throw new LogError('broken', `the snapshot is damaged: ${place}`)
}
