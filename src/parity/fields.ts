import { isEqual } from '../json/equal.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import type { Comparison } from './comparison.ts'
import type { Pair, SessionDifference } from './difference.ts'

interface FieldSelection {
  readonly ignored?: readonly string[]
  /** Fields that are compared only if both sides know them. */
  readonly optional: readonly string[]
}

/** Compares two records field by field. */
export function compareFields(
  place: SessionDifference,
  pair: Pair<object>,
  { ignored = [], optional }: FieldSelection,
  comparison: Comparison,
): void {
  for (const field of new Set([...Object.keys(pair.live), ...Object.keys(pair.stored)])) {
    if (ignored.includes(field)) continue
    const live: unknown = Reflect.get(pair.live, field)
    const stored: unknown = Reflect.get(pair.stored, field)
    if (isEqual(live, stored)) continue
    const isUnknown = live === undefined || stored === undefined
    if (isUnknown && optional.includes(field))
      comparison.exclude('unknown-fact', live === undefined ? 'stored' : 'live')
    else comparison.differ({ ...place, field, ...omitUndefined({ live, stored }) })
  }
}
