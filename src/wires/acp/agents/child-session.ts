import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import { hasEnded } from '../../../core/state/subagent.ts'
import type { AgentState } from '../../../reading/lookups.ts'
import { readParts } from '../blocks/content.ts'
import { showAgentPrompt } from '../blocks/user.ts'
import { type AcpContext, type AcpMemory, agentIdOf } from '../context.ts'
import { addReport, endAgent } from './run.ts'

/** Reads the announcement or the state of a child session. It is an agent of the conversation. */
export function readChildUpdate(conversationId: string, update: JsonObject, context: AcpContext): void {
  const sessionId = asString(update.sessionId)
  if (sessionId === undefined || sessionId === '' || sessionId === context.state.facts.id) return
  const known = context.agentOfSession(sessionId)
  const toolUseId = known?.toolUseId ?? callIdOf(update) ?? sessionId
  const facts = childFacts(toolUseId, { sessionId, update })
  if (!known || facts.description !== undefined || facts.prompt !== '')
    spawnChild(conversationId, { toolUseId, isNew: !known, facts }, context)
  readState(toolUseId, asObject(update.state), context)
}

/** Returns the call that started the agent, if the update states it. Without it, the session's id stands for the call. */
function callIdOf(update: JsonObject): string | undefined {
  return asString(asObject(asObject(update._meta).agentfold).toolCallId)
}

interface ChildFacts {
  readonly prompt: string
  readonly description?: string
  readonly subagentType?: string
  readonly agentId?: string
  readonly formerId?: string
}

function childFacts(
  toolUseId: string,
  { sessionId, update }: { readonly sessionId: string; readonly update: JsonObject },
): ChildFacts {
  const agentId = agentIdOf(sessionId)
  const title = asString(update.title)
  const description = asString(update.description)
  const isType = description !== undefined && /^[\w:.-]+$/.test(description)
  return omitUndefined({
    // Without a title, the description is all that the parent says about the task.
    prompt: title === undefined && !isType ? (description ?? '') : '',
    description: title ?? undefined,
    subagentType: isType ? description : undefined,
    agentId: agentId === toolUseId && agentId !== sessionId ? undefined : agentId,
  })
}

/** Starts an agent that has a session of its own. */
export function spawnChild(
  conversationId: string,
  {
    toolUseId,
    isNew,
    facts,
  }: { readonly toolUseId: string; readonly isNew: boolean; readonly facts: ChildFacts },
  context: AcpContext,
): void {
  if (isNew) context.noteWork(conversationId)
  context.emit({ type: 'subagent:spawned', conversationId, toolUseId, ...facts })
}

/** A child that is idle has ended its work. Its parent may send it a further task. */
function readState(toolUseId: string, { state, stopReason, error }: JsonObject, context: AcpContext): void {
  const isOver = context.state.hasEnded(toolUseId)
  if (state === 'running') context.notes.setEntry(isOver ? 'restarting' : 'reporting', toolUseId, true)
  if (state !== 'idle') return
  context.notes.removeEntry('restarting', toolUseId)
  if (isOver) return
  const message = asString(error) ?? asString(asObject(error).message)
  const isFailed = error != null || FAILURES.includes(asString(stopReason) ?? '')
  endAgent(toolUseId, { status: isFailed ? 'error' : 'completed', output: message }, context)
}

/** The reasons for which a child stops before its work is done. */
const FAILURES: readonly string[] = ['error', 'cancelled', 'refusal']

/** Reads a message between a child session and its parent. Both sessions have it; the child's view of a task is its prompt. */
export function readSessionMessage(
  { sessionId, update }: { readonly sessionId: string; readonly update: JsonObject },
  context: AcpContext,
): void {
  const sender = agentIn(update.senderSessionId, context)
  const recipient = agentIn(update.recipientSessionId, context)
  const parts = readParts(update.content, 'session_message', context)
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const isReport = sender !== undefined && sender.parentConversationId === (recipient?.toolUseId ?? MAIN)
  if (recipient && !isReport) {
    const { toolUseId } = recipient
    // A later message is no prompt.
    const prompt = context.state.blocksOf(toolUseId).length === 0 ? texts.join('\n') : ''
    context.emit({ type: 'subagent:spawned', toolUseId, conversationId: sender?.toolUseId ?? MAIN, prompt })
    if (sessionId === update.recipientSessionId)
      showAgentPrompt(toolUseId, { messageId: asString(update.messageId), parts }, context)
  } else if (sender) {
    const text = texts.at(-1)
    const report = text && (context.reader.agentReport?.(text) ?? text)
    if (report === undefined) return
    if (hasEnded(sender)) addReport(sender.toolUseId, report, context)
    else context.notes.setEntry('reports', sender.toolUseId, report)
  }
}

function agentIn(sessionId: unknown, memory: AcpMemory): AgentState | undefined {
  const id = asString(sessionId)
  return id === undefined || id === memory.state.facts.id ? undefined : memory.agentOfSession(id)
}
