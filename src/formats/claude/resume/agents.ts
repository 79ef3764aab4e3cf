import { omitUndefined } from '../../../json/omit-undefined.ts'
import { answeredCalls } from '../../../selectors/find.ts'
import { type BlockOf, type ConversationBlock, isPrompt, subagentBlockId } from '../../../state/block.ts'
import type { SessionConversationState, SubagentState } from '../../../state/session.ts'
import { isFinal } from '../../../state/subagent.ts'
import { isTeammateId } from '../agents/teammate.ts'
import type { Agent, StoredEnd } from '../memory.ts'

/** Returns the agents of a state in order. The source registers an announced agent only with its whole call. */
export function resumedAgents({
  blocks,
  subagents,
  branches = [],
}: SessionConversationState): readonly Agent[] {
  const abandoned = new Set(branches.flatMap((branch) => branch.blocks).map(({ id }) => id))
  const calls = new Map(
    [...blocks, ...subagents.flatMap((agent) => agent.blocks)].flatMap((block) =>
      block.type === 'subagent' ? [[block.toolUseId, block] as const] : [],
    ),
  )
  return subagents
    .filter(({ status }) => status !== 'pending')
    .map((agent, order) => ({
      ...{ order, ...resumedAgent(agent), ...callFacts(calls.get(agent.toolUseId)) },
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
    storedEnd: storedEnd(state),
    lastText: lastText(blocks),
    hasFailedRequest: blocks.at(-1)?.type === 'error' ? true : undefined,
  })
}

/** Whether the agent has run more than once. Each run begins with a prompt, and a running agent keeps the facts of its last end. */
function hasResumed({ status, output, durationMs, blocks }: SubagentState): boolean {
  const hasEarlierEnd = output !== undefined || durationMs !== undefined
  return (hasEarlierEnd && !isFinal(status)) || blocks.filter(isPrompt).length > 1
}

function storedEnd({ status, output, durationMs }: SubagentState): StoredEnd | undefined {
  if (!isFinal(status)) return undefined
  return omitUndefined({ status: status === 'success' ? 'completed' : 'error', output, durationMs })
}

function lastText(blocks: readonly ConversationBlock[]): string | undefined {
  const last = blocks.findLast((block): block is BlockOf<'assistant_text'> => block.type === 'assistant_text')
  return last?.content
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
