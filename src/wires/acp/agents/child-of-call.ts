import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asObject, asString, isString } from '../../../core/json/values.ts'
import type { Call } from '../calls/call.ts'
import { type AcpContext, agentIdOf } from '../context.ts'
import { spawnChild } from './child-session.ts'

/** Returns the ids of the child sessions that the content of a call names. */
export function sessionsIn({ fields }: Call, { facts }: AcpContext): readonly string[] {
  return asArray(fields.content).flatMap((part) => {
    const { type, sessionId } = asObject(part)
    const isChild = type === 'session' && isString(sessionId) && sessionId !== '' && sessionId !== facts.id
    return isChild ? [sessionId] : []
  })
}

/** Makes the first child session of a call the call's agent. Each further one is an agent of its own beside it. */
export function linkSessions(call: Call, context: AcpContext): void {
  for (const sessionId of sessionsIn(call, context)) linkSession(call, sessionId, context)
}

function linkSession(call: Call, sessionId: string, context: AcpContext): void {
  const { id: toolUseId, conversationId, fields } = call
  const child = context.agentOfSession(sessionId)
  if (child?.toolUseId === toolUseId) return
  const agentId = agentIdOf(sessionId)
  const facts = omitUndefined({ prompt: '', agentId, description: asString(fields.title) })
  if (context.agentOfCall(toolUseId)?.agentId !== undefined)
    return child
      ? undefined
      : spawnChild(conversationId, { toolUseId: sessionId, isNew: true, facts }, context)
  if (!child) return spawnChild(conversationId, { toolUseId, isNew: true, facts }, context)
  const { toolUseId: formerId } = child
  // A child that is the agent of another call stays so.
  if (formerId !== sessionId || conversationId === formerId) return
  spawnChild(conversationId, { toolUseId, isNew: false, facts: { ...facts, formerId } }, context)
  moveNotes(formerId, toolUseId, context)
}

/** The notes about a conversation, by its id. */
const OF_CONVERSATION = ['bufferedMessages', 'streams', 'unnamed', 'joints', 'promptIds'] as const

/** The notes about an agent, by its call. */
const OF_AGENT = ['reports', 'restarting', 'reporting', 'withoutTokens'] as const

/** Moves the notes about an agent that has stood for its own call to the call. */
function moveNotes(from: string, to: string, context: AcpContext): void {
  for (const name of [...OF_CONVERSATION, ...OF_AGENT]) context.moveEntry(name, from, to)
  for (const { id } of context.pendingBlocks(to))
    for (const name of ['calls', 'summaries'] as const)
      context.moveEntry(name, context.keyOf(from, id), context.keyOf(to, id))
}
