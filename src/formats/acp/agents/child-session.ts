import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import { readParts } from '../blocks/content.ts'
import { showAgentPrompt } from '../blocks/user.ts'
import type { AcpContext } from '../context.ts'
import type { KnownAgent } from '../memory.ts'
import { withoutToolList } from './agent-call.ts'
import { addOutput, endAgent } from './run.ts'

/** Reads the announcement or the state of a child session. It is an agent of the conversation, and the session's id stands for its call. */
export function readChildUpdate(conversationId: string, update: JsonObject, context: AcpContext): void {
  const sessionId = asString(update.sessionId)
  if (sessionId === undefined || sessionId === '' || sessionId === context.memory.rootId) return
  const known = context.agent(sessionId)
  const facts = childFacts(sessionId, update)
  if (!known || facts.description !== undefined || facts.prompt !== '')
    spawnChild(conversationId, { sessionId, known, facts }, context)
  readState(sessionId, asObject(update.state), context)
}

interface ChildFacts {
  readonly prompt: string
  readonly description?: string
  readonly subagentType?: string
  readonly agentId: string
}

/** Codex puts the thread of the agent behind the session's id. */
function childFacts(sessionId: string, update: JsonObject): ChildFacts {
  const title = asString(update.title)
  const description = asString(update.description)
  const isType = description !== undefined && /^[\w:.-]+$/.test(description)
  return omitUndefined({
    // Without a title, the description is all that the parent says about the task.
    prompt: title === undefined && !isType ? (description ?? '') : '',
    description: title ?? undefined,
    subagentType: isType ? description : undefined,
    agentId: sessionId.split(':subagent:').at(-1) ?? sessionId,
  })
}

function spawnChild(
  conversationId: string,
  {
    sessionId,
    known,
    facts,
  }: { readonly sessionId: string; readonly known: KnownAgent | undefined; readonly facts: ChildFacts },
  context: AcpContext,
): void {
  if (!known) context.noteWork(conversationId)
  context.updateAgent(sessionId, { agentId: facts.agentId, run: known?.run ?? 'running' })
  context.remember({
    sessions: context.memory.sessions.with(sessionId, { id: sessionId, role: 'child' }),
  })
  context.emit({ type: 'subagent:spawned', conversationId, toolUseId: sessionId, ...facts })
}

/** A child that is idle has ended its work. Its parent may send it a further task. */
function readState(sessionId: string, { state, stopReason, error }: JsonObject, context: AcpContext): void {
  const agent = context.agent(sessionId)
  if (state === 'running' && agent?.run === 'ended') context.updateAgent(sessionId, { isRestarting: true })
  if (state === 'idle' && agent?.isRestarting) context.updateAgent(sessionId, { isRestarting: false })
  if (state !== 'idle' || agent?.run === 'ended') return
  const message = asString(error) ?? asString(asObject(error).message)
  const isFailed = error != null || stopReason === 'cancelled' || stopReason === 'refusal'
  endAgent(sessionId, { status: isFailed ? 'error' : 'completed', output: message }, context)
}

/** Reads a message between a child session and its parent. Both sessions have it; the child's view of a task is its prompt. */
export function readSessionMessage(
  { sessionId, update }: { readonly sessionId: string; readonly update: JsonObject },
  context: AcpContext,
): void {
  const sender = asString(update.senderSessionId)
  const recipient = asString(update.recipientSessionId)
  const parts = readParts(update.content)
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (recipient !== undefined && context.agent(recipient)) {
    const prompt = texts.join('\n')
    context.emit({ type: 'subagent:spawned', toolUseId: recipient, ...parentOf(sender, context), prompt })
    if (sessionId === recipient)
      showAgentPrompt(recipient, { messageId: asString(update.messageId), parts }, context)
  } else if (sender !== undefined && context.agent(sender)) {
    // A list of the used tools may come before the report.
    const report = withoutToolList(texts.at(-1))
    if (report !== undefined && context.agent(sender)?.run === 'ended') addOutput(sender, report, context)
    else if (report !== undefined) context.updateThread(sender, { lastText: report })
  }
}

function parentOf(sender: string | undefined, { memory }: AcpContext): { readonly conversationId?: string } {
  const isChild = sender !== undefined && sender !== memory.rootId
  return isChild ? { conversationId: sender } : { conversationId: 'main' }
}
