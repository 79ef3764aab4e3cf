import { omitUndefined } from '../../../core/json/fields.ts'
import { asFiniteNumber, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { OpencodeContext } from '../context.ts'
import type { EventPlace } from '../place.ts'
import { updateRevert } from '../removal/revert.ts'
import { noteSession, sessionNote } from '../sessions.ts'
import { setSessionCost } from './cost.ts'

/** Translates a session's `info`: cost, revert and, for the main session, the facts of the whole. */
export function translateSession(place: EventPlace, info: JsonObject, context: OpencodeContext): void {
  const { sessionId, conversationId } = place
  if (isOlderInfo(place, info, context)) return
  const cost = asFiniteNumber(info.cost)
  if (cost !== undefined) setSessionCost(sessionId, cost, context)
  if (conversationId !== MAIN) return
  updateRevert(place, info.revert, context)
  const { directory, version, program } = info
  context.updateFacts(
    // Only a database names the program.
    omitUndefined({ cwd: asString(directory), version: asString(version), program: asString(program) }),
  )
  // Messages report the latest model, so the session's own one only fills a gap.
  context.addMissingFacts({ model: asString(asObject(info.model).id) })
}

/** Whether the `info` is older than the known one. Otherwise remembers its time. */
function isOlderInfo({ sessionId }: EventPlace, { time }: JsonObject, context: OpencodeContext): boolean {
  const { updatedAt: before } = sessionNote(sessionId, context)
  const updatedAt = asFiniteNumber(asObject(time).updated)
  if (updatedAt === undefined) return false
  if (before !== undefined && updatedAt < before) return true
  noteSession(sessionId, { updatedAt }, context)
  return false
}
