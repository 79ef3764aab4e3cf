import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asFiniteNumber, asObject, asString, isObject, type JsonObject } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import { note } from '../blocks/note.ts'
import type { OpencodeContext } from '../context.ts'
import { rememberSession, type SessionPlace, sessionOf } from './session.ts'

/** What the program tells of a session is told of the whole where it is main. */
export function translateSession(place: SessionPlace, info: JsonObject, translation: OpencodeContext): void {
  const { sessionId, conversationId } = place
  const cost = asFiniteNumber(info.cost)
  if (cost !== undefined) setCost(sessionId, cost, translation)
  noteRevert(place, info, translation)
  if (conversationId !== MAIN) return
  translation.updateFacts(omitUndefined({ cwd: asString(info.directory), version: asString(info.version) }))
  // What answered last is told by the messages.
  translation.addMissingFacts(omitUndefined({ model: asString(asObject(info.model).id) }))
}

const NANO = 1e9

function setCost(sessionId: string, dollars: number, translation: OpencodeContext): void {
  const session = sessionOf(sessionId, translation)
  if (!session.hasCost) rememberSession({ ...session, hasCost: true }, translation)
  addCost(sessionId, dollars - session.nanoDollars / NANO, translation)
}

/** What a step cost, where nothing tells what its session did. */
export function addStepCost(sessionId: string, dollars: number, translation: OpencodeContext): void {
  if (!sessionOf(sessionId, translation).hasCost) addCost(sessionId, dollars, translation)
}

/** The cost of a session is that of its subagents too; zero is what the program says where it knows no price. */
function addCost(sessionId: string, dollars: number, translation: OpencodeContext): void {
  const session = sessionOf(sessionId, translation)
  const added = Math.round(dollars * NANO)
  const nanoDollars = translation.memory.nanoDollars + added
  if (added === 0 || !Number.isSafeInteger(nanoDollars)) return
  rememberSession({ ...session, nanoDollars: session.nanoDollars + added }, translation)
  translation.remember({ nanoDollars })
  translation.updateFacts({ costUsd: nanoDollars / NANO })
}

/** Messages are reverted at once and removed with the next prompt; until then they can be had back. */
function noteRevert(
  { sessionId, conversationId }: SessionPlace,
  info: JsonObject,
  translation: OpencodeContext,
): void {
  const session = sessionOf(sessionId, translation)
  const before = session.revertedTo
  const revertedTo = isObject(info.revert) ? asString(info.revert.messageID) : undefined
  if (before !== revertedTo) rememberSession({ ...session, revertedTo }, translation)
  if (before !== undefined && before !== revertedTo)
    translation.emit({ type: 'block:removed', conversationId, blockId: revertId(before) })
  if (revertedTo !== undefined)
    note(
      conversationId,
      {
        id: revertId(revertedTo),
        subtype: 'revert',
        message: `Reverted to before message ${revertedTo}`,
        data: info.revert,
      },
      translation,
    )
}

function revertId(messageId: string): string {
  return `revert:${messageId}`
}
