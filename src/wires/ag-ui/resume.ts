import { compositeKey } from '../../json/composite-key.ts'
import { omitUndefined } from '../../json/omit-undefined.ts'
import { openText } from '../../session/resume/resumed-turn.ts'
import type { BlockOf, ConversationBlock } from '../../state/block.ts'
import { numberOfId } from '../../state/numbered-id.ts'
import { MAIN, type SessionConversationState, type SubagentState } from '../../state/session.ts'
import type { AgUiContext } from './context.ts'
import { sessionWideId } from './ids.ts'
import type { KnownAgent, ShownBlock } from './memory.ts'

/** Returns a memory that goes on from a state. The state holds no ids of runs, so a run that comes again counts as a further one. */
export function resume(state: SessionConversationState, context: AgUiContext): void {
  const { turn, todos } = state
  context.remember({
    hasRuns: turn.status !== 'idle',
    ...(todos && { shared: { state: { todos } } }),
    ...(turn.status === 'running' && { run: { id: '' } }),
  })
  const openId = openText(state)?.id
  for (const agent of state.subagents) resumeAgent(agent, context)
  for (const block of state.blocks) resumeBlock(block, openId, context)
  for (const { blocks } of state.subagents) for (const block of blocks) resumeBlock(block, undefined, context)
}

function resumeAgent(
  { toolUseId: id, agentId, status, ...agent }: SubagentState,
  context: AgUiContext,
): void {
  const { output, durationMs, prompt, description, parentConversationId: parentId } = agent
  const names: Readonly<Record<typeof status, KnownAgent['status']>> = {
    pending: 'announced',
    running: 'running',
    success: 'ended',
    error: 'ended',
  }
  const args =
    parentId === undefined || prompt === undefined ? undefined : JSON.stringify({ description, prompt })
  context.updateAgent(id, {
    ...{ status: names[status], parentId, agentId, output, durationMs, prompt, args },
    ...(status === 'running' && { startedIn: '' }),
    ...(status === 'error' && { isFailed: true }),
  })
  if (parentId !== undefined) rememberOwner('call', parentId, id, context)
  context.setEntry('agentRuns', id, id)
  if (agentId === undefined) return
  // The id of a run is the agent's own id, unless the sink wrote the stream.
  context.setEntry('agentRuns', agentId, id)
  context.setEntry('agentIds', id, agentId)
}

function resumeBlock(block: ConversationBlock, openId: string | undefined, context: AgUiContext): void {
  const order = context.nextOrder()
  if (block.type === 'subagent') {
    context.updateAgent(block.toolUseId, { order })
    return
  }
  const { conversationId } = block
  const isCall = block.type === 'tool_use' || block.type === 'tool_result'
  rememberOwner(isCall ? 'call' : 'message', conversationId, isCall ? block.toolUseId : block.id, context)
  const isOpen =
    block.status === 'pending' || (conversationId === MAIN && block.id === openId) || isCut(block)
  context.rememberBlock(
    omitUndefined({
      block,
      order,
      isOpen: isOpen && isStream(block) ? true : undefined,
      args: block.type === 'tool_use' ? argumentsOf(block) : undefined,
    }),
  )
  const number = block.type === 'thinking' ? numberOfId(block.id) : undefined
  if (number !== undefined) context.remember({ unnamed: Math.max(context.memory.unnamed, number + 1) })
}

/** Whether the end of an input has cut the arguments of a call. */
function isCut(block: ShownBlock): boolean {
  return block.type === 'tool_use' && block.inputText !== undefined
}

function isStream({ type }: ShownBlock): boolean {
  return type === 'assistant_text' || type === 'thinking' || type === 'user_message' || type === 'tool_use'
}

function argumentsOf({ inputText, input }: BlockOf<'tool_use'>): string {
  return inputText ?? JSON.stringify(input)
}

/** A later event of an agent's message need not name the agent. The id has the agent's before it, if the sink wrote the stream. */
function rememberOwner(
  kind: 'call' | 'message',
  conversationId: string,
  id: string,
  context: AgUiContext,
): void {
  if (conversationId === MAIN) return
  for (const name of [id, sessionWideId(conversationId, id)])
    context.setEntry('owners', compositeKey(kind, name), conversationId)
}
