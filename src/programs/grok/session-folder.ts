import { omitUndefined } from '../../core/json/fields.ts'
import { asFiniteNumber, asObject, asString, isString, type JsonObject } from '../../core/json/values.ts'
import type { SessionFolder } from '../reader.ts'

/** The folder of a session of Grok Build. */
export const grokSessionFolder: SessionFolder = {
  messages: 'updates.jsonl',
  facts: 'summary.json',
  agents: ['subagents', 'meta.json'],
  readFacts: ({ info, generated_title, session_summary, created_at, updated_at, session_kind }) =>
    omitUndefined({
      id: asString(asObject(info).id),
      cwd: asString(asObject(info).cwd),
      title: asString(generated_title) ?? asString(session_summary),
      startedAt: asString(created_at),
      updatedAt: asString(updated_at),
      isSubagent: session_kind === 'subagent' || undefined,
    }),
  timeOf: ({ params }) => timeOf(asObject(params)),
}

/** In ms. A date cannot hold more. */
const MAX_TIME = 8.64e15

/**
 * Messages of one process share a counter, which orders those of one ms. A copied message has its old time, but is
 * read with its session.
 */
function timeOf({ sessionId, _meta }: JsonObject): string | undefined {
  const { agentTimestampMs, eventId } = asObject(_meta)
  const ms = asFiniteNumber(agentTimestampMs)
  if (ms === undefined || Math.abs(ms) > MAX_TIME || isCopiedEvent(sessionId, eventId)) return undefined
  const number = /\d+$/.exec(asString(eventId) ?? '')?.[0] ?? ''
  return new Date(ms).toISOString().replace('Z', `${number.padStart(9, '0')}Z`)
}

/** The number of an event begins with the id of the session that wrote it first. */
export function isCopiedEvent(sessionId: unknown, eventId: unknown): boolean {
  return isString(sessionId) && isString(eventId) && !eventId.startsWith(sessionId)
}
