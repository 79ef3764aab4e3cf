import { compositeKey } from '../../../json/composite-key.ts'
import { type BlockOf, type ConversationBlock, messageIdOf } from '../../../state/block.ts'
import { numberOfId } from '../../../state/numbered-id.ts'
import { MAIN, type SessionConversationState } from '../../../state/session.ts'
import type { ClaudeContext } from '../context.ts'
import type { ClaudeMemory } from '../memory.ts'
import { answeredResumes, lastTextEntries, resumedAgents } from './agents.ts'
import { resumedBranches } from './branches.ts'
import { collect, type ResumedThread } from './collect.ts'
import { resumedMessages, streamingMessage, unansweredCalls, unfinishedMessage } from './messages.ts'
import { promptOf, queuedPrompts, unnamedPrompts } from './prompts.ts'
import { isInterruptedByEnd, reopenedBlocks } from './reopen.ts'
import { resumedRequests } from './requests.ts'
import { resumedTasks } from './tasks.ts'

/**
 * Returns a memory that goes on from a state alone. The state does not know the uuids of the model's lines. So a later line repeats a
 * known block if both have the same id, or the same text in the same message.
 */
export function resume(state: SessionConversationState, context: ClaudeContext): void {
  const blocks = reopenedBlocks(state)
  const threads: readonly ResumedThread[] = [
    { id: MAIN, blocks, usage: state.usage },
    ...state.subagents.map((agent) => ({ id: agent.toolUseId, blocks: agent.blocks, usage: agent.usage })),
  ]
  const streaming = collect(threads, (thread) => entriesOf(thread.id, streamingMessage(thread)))
  context.remember({
    ...agentsOf(state),
    isInterruptedByEnd: isInterruptedByEnd(state) ? true : undefined,
    answer: hasAnswered(state) ? {} : undefined,
    compactedConversation: threads.find(({ blocks }) => isCompaction(blocks.at(-1)))?.id,
    queuedPrompts: queuedPrompts(blocks),
    linesWithoutUuid: linesWithoutUuid(threads),
    promptedConversations: collect(threads, ({ id, blocks }) => (promptOf(id, blocks) ? [[id, id]] : [])),
    unnamedPrompts: collect(threads, unnamedPrompts),
    unnamedResults: collect(threads, ({ id, blocks }) =>
      blocks.filter(isResult).map(({ toolUseId }) => [compositeKey(id, toolUseId), toolUseId]),
    ),
    streamingMessages: streaming,
    streamedMessages: streaming,
    unfinishedMessage: unfinishedMessage(blocks),
    messages: collect(threads, resumedMessages),
    // Lines that are no part of a model message have their uuid as block id.
    readLines: collect(threads, ({ id: conversationId, blocks }) =>
      blocks.map(({ id }) => [id, { conversationId }]),
    ),
    pendingCalls: collect(threads, unansweredCalls),
    tasks: resumedTasks(state),
    ...resumedRequests(state, threads),
    ...resumedBranches(state),
    resumeCalls: collect(threads, ({ blocks }) => answeredResumes(blocks)),
  })
}

function agentsOf(
  state: SessionConversationState,
): Pick<ClaudeMemory, 'agentCount' | 'agents' | 'lastTexts' | 'unfinishedAgents' | 'toolUseIdByAgent'> {
  const agents = resumedAgents(state)
  return {
    agentCount: agents.length,
    agents: collect(agents, (agent) => [[agent.toolUseId, agent]]),
    lastTexts: collect(state.subagents, lastTextEntries),
    unfinishedAgents: collect(agents, ({ toolUseId, hasEnded }) =>
      hasEnded ? [] : [[toolUseId, toolUseId]],
    ),
    toolUseIdByAgent: collect(agents, ({ agentId, toolUseId }) =>
      agentId === undefined ? [] : [[agentId, toolUseId]],
    ),
  }
}

function entriesOf(id: string, value: string | undefined): readonly (readonly [string, string])[] {
  return value === undefined ? [] : [[id, value]]
}

function isResult(block: ConversationBlock): block is BlockOf<'tool_result'> {
  return block.type === 'tool_result'
}

function isCompaction(block: ConversationBlock | undefined): boolean {
  return block?.type === 'system' && block.subtype === 'compaction'
}

/** Returns the number behind the last one that a line without a uuid has in its place. */
function linesWithoutUuid(threads: readonly ResumedThread[]): number {
  const numbers = threads.flatMap(({ blocks }) => blocks).flatMap(({ id }) => numberOfId(id) ?? [])
  return numbers.reduce((end, number) => Math.max(end, number + 1), 0)
}

/** Whether main's last block is a final text of the model: no line may report more of that message. */
function hasAnswered({ turn, blocks }: SessionConversationState): boolean {
  const last = blocks.findLast(({ type }) => type !== 'system')
  const isAnswer = last?.type === 'assistant_text' && messageIdOf(last) !== undefined
  return turn.status === 'running' && isAnswer && last.status !== 'pending'
}
