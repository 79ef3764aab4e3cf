import { omitUndefined } from '../../json/omit-undefined.ts'
import { asFiniteNumber, asObject, asString, type JsonObject } from '../../json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import { isoTime } from '../../session/time.ts'

/** Returns the facts that a session's `info` states. */
export function sessionFacts({ id, title, directory, parentID, cost, time }: JsonObject): StoredFacts {
  const { created, updated } = asObject(time)
  return omitUndefined({
    id: asString(id),
    title: asString(title),
    cwd: asString(directory),
    startedAt: isoTime(created),
    updatedAt: isoTime(updated),
    // OpenCode reports zero for a model without a known price. A state has no cost then.
    costUsd: asFiniteNumber(cost) || undefined,
    isSubagent: typeof parentID === 'string' ? true : undefined,
  })
}
