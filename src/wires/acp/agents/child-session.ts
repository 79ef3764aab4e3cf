import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import { readParts } from '../blocks/content.ts'
import { showAgentPrompt } from '../blocks/user.ts'
import { type AcpContext, agentIdOf } from '../context.ts'
import type { KnownAgent } from '../memory.ts'
import { addOutput, endAgent } from './run.ts'

/** Reads the announcement or the state of a child session. It is an agent of the conversation. */
export function readChildUpdate(conversationId: string, update: JsonObject, context: AcpContext): void {
  const sessionId = asString(update.sessionId)
  if (sessionId === undefined || sessionId === '' || sessionId === context.memory.rootId) return
  const known = context.agentOfSession(sessionId)
  const toolUseId = known?.id ?? callIdOf(update) ?? sessionId
  const facts = childFacts(toolUseId, { sessionId, update })
  if (!known || facts.description !== undefined || facts.prompt !== '')
    spawnChild(conversationId, { sessionId, toolUseId, known, facts }, context)
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
    sessionId,
    toolUseId,
    known,
    facts,
  }: {
    readonly sessionId: string
    readonly toolUseId: string
    readonly known: KnownAgent | undefined
    readonly facts: ChildFacts
  },
  context: AcpContext,
): void {
  if (!known) context.noteWork(conversationId)
  context.updateAgent(toolUseId, {
    agentId: facts.agentId,
    parentId: conversationId,
    run: known?.run ?? 'running',
  })
  context.setEntry('sessions', sessionId, { id: sessionId, role: 'child' })
  context.emit({ type: 'subagent:spawned', conversationId, toolUseId, ...facts })
}

/** A child that is idle has ended its work. Its parent may send it a further task. */
function readState(toolUseId: string, { state, stopReason, error }: JsonObject, context: AcpContext): void {
  const agent = context.agent(toolUseId)
  if (state === 'running' && agent?.run === 'ended') context.updateAgent(toolUseId, { isRestarting: true })
  if (state === 'idle' && agent?.isRestarting) context.updateAgent(toolUseId, { isRestarting: false })
  if (state !== 'idle' || agent?.run === 'ended') return
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
  const isReport = sender !== undefined && sender.parentId === (recipient?.id ?? MAIN)
  if (recipient && !isReport) {
    const prompt = texts.join('\n')
    const parentId = sender?.id ?? MAIN
    context.emit({ type: 'subagent:spawned', toolUseId: recipient.id, conversationId: parentId, prompt })
    if (sessionId === update.recipientSessionId)
      showAgentPrompt(recipient.id, { messageId: asString(update.messageId), parts }, context)
  } else if (sender) {
    const text = texts.at(-1)
    const report = text && (context.reader.agentReport?.(text) ?? text)
    if (report !== undefined && sender.run === 'ended') addOutput(sender.id, report, context)
    else if (report !== undefined) context.updateThread(sender.id, { lastText: report })
  }
}

function agentIn(sessionId: unknown, context: AcpContext): KnownAgent | undefined {
  const id = asString(sessionId)
  return id === undefined || id === context.memory.rootId ? undefined : context.agentOfSession(id)
}
