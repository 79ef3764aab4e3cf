import { omitUndefined } from '../../../json/omit-undefined.ts'
import { answeredCalls } from '../../../selectors/find.ts'
import {
  type BlockOf,
  type ConversationBlock,
  isPrompt,
  messageIdOf,
  subagentBlockId,
} from '../../../state/block.ts'
import { MAIN, type SessionConversationState, type SubagentState } from '../../../state/session.ts'
import { isFinal } from '../../../state/subagent.ts'
import { isTeammateId } from '../agents/teammate.ts'
import type { Agent, StoredEnd } from '../memory.ts'

/** Returns the agents of a state in order. The source registers an announced agent only with its whole call. */
export function resumedAgents(state: SessionConversationState): readonly Agent[] {
  const { blocks, subagents, branches = [] } = state
  const abandoned = new Set(branches.flatMap((branch) => branch.blocks).map(({ id }) => id))
  const calls = new Map(
    [...blocks, ...subagents.flatMap((agent) => agent.blocks)].flatMap((block) =>
      block.type === 'subagent' ? [[block.toolUseId, block] as const] : [],
    ),
  )
  return subagents
    .filter(({ status }) => status !== 'pending')
    .map((agent, order) => ({
      order,
      ...resumedAgent(agent),
      ...callFacts(calls.get(agent.toolUseId)),
      ...endFacts(agent, state),
      ...(abandoned.has(subagentBlockId(agent.toolUseId)) && { isAbandoned: true }),
    }))
}

function callFacts(call: BlockOf<'subagent'> | undefined): Pick<Agent, 'messageId' | 'timestamp'> {
  return omitUndefined({ messageId: call?.messageId, timestamp: call?.timestamp })
}

function resumedAgent(state: SubagentState): Omit<Agent, 'order'> {
  const { toolUseId, agentId, prompt, name, description, runId, blocks } = state
  const isResumed = hasResumed(state) ? true : undefined
  return omitUndefined({
    toolUseId,
    agentId,
    parent: state.parentConversationId,
    prompt,
    name,
    description,
    isResumed,
    ...(isResumed ? { resumedRunId: runId } : { runId }),
    hasUnknownRun: isResumed && runId === undefined ? true : undefined,
    isTeammate: isTeammateId(agentId) ? true : undefined,
    hasEnded: isFinal(state.status) ? true : undefined,
    hasFailedRequest: blocks.at(-1)?.type === 'error' ? true : undefined,
  })
}

/** Whether the agent has run more than once. Each run begins with a prompt, and a running agent keeps the facts of its last end. */
function hasResumed({ status, output, durationMs, blocks }: SubagentState): boolean {
  const hasEarlierEnd = output !== undefined || durationMs !== undefined
  return (hasEarlierEnd && !isFinal(status)) || blocks.filter(isPrompt).length > 1
}

function endFacts(agent: SubagentState, state: SessionConversationState): Pick<Agent, 'storedEnd'> {
  const { status, output, durationMs } = agent
  if (!isFinal(status)) return {}
  const hasReport = output !== undefined && output !== lastTextOf(agent)
  const isProvisional = !hasReport && awaitsResult(agent, state) ? true : undefined
  const storedEnd: StoredEnd = omitUndefined({
    status: status === 'success' ? ('completed' as const) : ('error' as const),
    output,
    durationMs,
    isProvisional,
  })
  return { storedEnd }
}

/** Whether the result of the agent's call may still come: the parent runs, and has written no message after that of the call. */
function awaitsResult(
  { toolUseId, parentConversationId = MAIN }: SubagentState,
  state: SessionConversationState,
): boolean {
  const parent = state.subagents.find((agent) => agent.toolUseId === parentConversationId)
  if ((parent ?? state.turn).status !== 'running') return false
  const { blocks } = parent ?? state
  const at = blocks.findIndex(({ id }) => id === subagentBlockId(toolUseId))
  const call = blocks[at]
  return call !== undefined && !blocks.slice(at).some((block) => isOfLaterMessage(block, messageIdOf(call)))
}

function isOfLaterMessage(block: ConversationBlock, messageId: string | undefined): boolean {
  const own = messageIdOf(block)
  return block.type === 'user_message' || (own !== undefined && own !== messageId)
}

/** Returns an agent's last text, with the agent's id. */
export function lastTextEntries(agent: SubagentState): readonly (readonly [string, string])[] {
  const text = lastTextOf(agent)
  return text === undefined ? [] : [[agent.toolUseId, text]]
}

function lastTextOf({ blocks }: SubagentState): string | undefined {
  return blocks.findLast((block): block is BlockOf<'assistant_text'> => block.type === 'assistant_text')
    ?.content
}

/** The tool that resumes an agent. */
const SEND_MESSAGE = 'SendMessage'

/** Returns the answered calls of the tool that resumes agents. The state shows the resume already. */
export function answeredResumes(
  blocks: readonly ConversationBlock[],
): readonly (readonly [string, string])[] {
  const answered = answeredCalls(blocks)
  return blocks.flatMap((block) =>
    block.type === 'tool_use' && block.toolName === SEND_MESSAGE && answered.has(block.toolUseId)
      ? [[block.toolUseId, block.toolUseId]]
      : [],
  )
}
