import { omitUndefined } from '../../json/omit-undefined.ts'
import { asObject, asString, isObject } from '../../json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import type { SessionStorage } from '../format.ts'

export const codexStorage: SessionStorage = { facts: factsOf }

/** Returns the facts that the head of a rollout states, and the name that a person gave to the thread. */
function factsOf(value: unknown): StoredFacts {
  if (!isObject(value)) return {}
  const payload = asObject(value.payload)
  if (value.type === 'event_msg' && payload.type === 'thread_name_updated')
    return omitUndefined({ title: asString(payload.thread_name) ?? asString(payload.name) })
  if (value.type !== 'session_meta') return {}
  const isSubagent =
    asString(payload.parent_thread_id) !== undefined || asObject(payload.source).subagent !== undefined
  return omitUndefined({
    id: asString(payload.id),
    cwd: asString(payload.cwd),
    startedAt: asString(payload.timestamp),
    isSubagent: isSubagent ? true : undefined,
  })
}
