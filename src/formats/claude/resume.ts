import { omitUndefined } from '../../json/omit-undefined.ts'
import { type BlockOf, type ConversationBlock, messageIdOf } from '../../state/block.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../../state/session.ts'
import { isFinal } from '../../state/subagent.ts'
import { compositeKey } from '../translation/composite-key.ts'
import { PersistentMap } from '../translation/persistent-map.ts'
import {
  type Agent,
  type ClaudeMemory,
  initialMemory,
  type MessageBlock,
  type ModelMessage,
} from './memory.ts'

/**
 * Returns a memory that goes on from a state, as after a restart of the reader. The state does not know the uuids of the model's lines.
 * So a live line repeats a known block if both have the same id, or the same text in the same message.
 */
export function resumeClaude(state: SessionConversationState): ClaudeMemory {
  const threads = [
    { id: MAIN, thread: state },
    ...state.subagents.map((agent) => ({ id: agent.toolUseId, thread: agent })),
  ]
  const agents = agentsOf(state)
  return {
    ...initialMemory,
    facts: state.session,
    turn: state.turn.status,
    turnStartedAt: state.turn.startedAt,
    compactedConversation: threads.find(({ thread }) => isCompaction(thread.blocks.at(-1)))?.id,
    queuedPrompts: queuedPromptsOf(state),
    agentCount: agents.length,
    linesWithoutUuid: threads
      .flatMap(({ thread }) => thread.blocks)
      .filter(({ id }) => id.startsWith('unnamed:')).length,
    promptedConversations: mapOf(
      threads.flatMap(({ id, thread }) => (promptOf(id, thread) ? [[id, id]] : [])),
    ),
    unnamedPrompts: mapOf(
      threads.flatMap(({ id, thread }) => {
        const content = promptOf(id, thread)?.content
        return content === undefined
          ? []
          : [[id, typeof content === 'string' ? content : JSON.stringify(content)]]
      }),
    ),
    unnamedResults: mapOf(
      threads.flatMap(({ id, thread }) =>
        [...answersIn(thread)].map((call): [string, string] => [compositeKey(id, call), call]),
      ),
    ),
    streamingMessages: mapOf(threads.flatMap(({ id, thread }) => streamingIn(id, thread))),
    streamedMessages: mapOf(threads.flatMap(({ id, thread }) => streamingIn(id, thread))),
    unfinishedMessage: unfinishedMessage(state),
    messages: mapOf(threads.flatMap(({ id, thread }) => messagesIn(id, thread))),
    readLines: mapOf(
      threads.flatMap(({ id, thread }) =>
        thread.blocks.map((block): [string, { conversationId: string; blockIds: readonly string[] }] => [
          block.id,
          { conversationId: id, blockIds: [] },
        ]),
      ),
    ),
    pendingCalls: mapOf(threads.flatMap(({ id, thread }) => pendingCallsIn(id, thread))),
    agents: mapOf(agents.map((agent) => [agent.toolUseId, agent])),
    unfinishedAgents: mapOf(
      agents.flatMap(({ toolUseId, hasEnded }) => (hasEnded ? [] : [[toolUseId, toolUseId]])),
    ),
    toolUseIdByAgent: mapOf(
      agents.flatMap(({ agentId, toolUseId }) => (agentId === undefined ? [] : [[agentId, toolUseId]])),
    ),
    resumeCalls: mapOf(threads.flatMap(({ thread }) => resumeCallsIn(thread))),
  }
}

function mapOf<Value extends object | string>(
  entries: readonly (readonly [string, Value])[],
): PersistentMap<Value> {
  return entries.reduce((map, [key, value]) => map.with(key, value), new PersistentMap<Value>())
}

function isCompaction(block: ConversationBlock | undefined): boolean {
  return block?.type === 'system' && block.subtype === 'compaction'
}

function promptOf(id: string, { blocks }: ConversationThread): BlockOf<'user_message'> | undefined {
  return blocks.find(
    (block): block is BlockOf<'user_message'> => block.type === 'user_message' && block.id === `${id}:prompt`,
  )
}

function queuedPromptsOf({ blocks }: ConversationThread): ClaudeMemory['queuedPrompts'] {
  const prompts = blocks.filter((block) => block.type === 'user_message' && block.origin === undefined)
  const after = prompts.findLastIndex(({ id }) => !id.startsWith('queued:'))
  return prompts
    .slice(after + 1)
    .flatMap((block) =>
      block.type === 'user_message' && typeof block.content === 'string'
        ? [{ text: block.content, blockId: block.id }]
        : [],
    )
}

function answersIn({ blocks }: ConversationThread): ReadonlySet<string> {
  return new Set(blocks.flatMap((block) => (block.type === 'tool_result' ? [block.toolUseId] : [])))
}

function streamingIn(id: string, { blocks }: ConversationThread): readonly [string, string][] {
  const block = blocks.findLast(
    ({ type, status }) => (type === 'assistant_text' || type === 'thinking') && status === 'pending',
  )
  const messageId = block && messageIdOf(block)
  return messageId === undefined ? [] : [[id, messageId]]
}

/** Returns the message of main's last block if a part of the message is pending. */
function unfinishedMessage({ blocks }: ConversationThread): string | undefined {
  const last = blocks.findLast((block) => messageIdOf(block) !== undefined)
  const messageId = last && messageIdOf(last)
  const isPending = blocks.some((block) => block.status === 'pending' && messageIdOf(block) === messageId)
  return isPending ? messageId : undefined
}

function messagesIn(id: string, { blocks, usage }: ConversationThread): readonly [string, ModelMessage][] {
  const byId = new Map<string, ModelMessage>()
  const of = (messageId: string): ModelMessage => byId.get(messageId) ?? { blocks: [], isUsageFinal: false }
  for (const { messageId, final, model, ...tokens } of usage)
    byId.set(messageId, omitUndefined({ ...of(messageId), usage: tokens, model, isUsageFinal: final }))
  for (const block of blocks) {
    const messageId = messageIdOf(block)
    if (messageId === undefined) continue
    const message = of(messageId)
    const next = (message.blocks.at(-1)?.index ?? -1) + 1
    byId.set(messageId, { ...message, blocks: [...message.blocks, messageBlock(block, messageId, next)] })
  }
  return [...byId].map(([messageId, message]) => [compositeKey(id, messageId), message])
}

function messageBlock(block: ConversationBlock, messageId: string, next: number): MessageBlock {
  const { id, status } = block
  if (block.type === 'subagent')
    return {
      id,
      contentType: 'tool_use',
      toolUseId: block.toolUseId,
      index: next,
      isWhole: status !== 'pending',
    }
  if (block.type === 'tool_use')
    return {
      id,
      contentType: 'tool_use',
      toolUseId: block.toolUseId,
      index: next,
      isWhole: status !== 'pending' || !isEmpty(block.input),
    }
  const stated = Number(id.startsWith(`${messageId}:`) ? id.slice(messageId.length + 1) : Number.NaN)
  const contentType =
    block.type === 'assistant_text'
      ? 'text'
      : block.type === 'thinking' && block.redacted
        ? 'redacted_thinking'
        : block.type
  return {
    id,
    contentType,
    index: Number.isInteger(stated) ? stated : next,
    isWhole: status !== 'pending',
    unnamedText: 'content' in block && typeof block.content === 'string' ? block.content : '',
  }
}

function isEmpty(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).length === 0
}

function pendingCallsIn(id: string, thread: ConversationThread): readonly [string, BlockOf<'tool_use'>][] {
  const answered = answersIn(thread)
  const lastMessage = thread.blocks.findLast((block) => messageIdOf(block) !== undefined)
  return thread.blocks.flatMap((block): readonly [string, BlockOf<'tool_use'>][] => {
    if (block.type !== 'tool_use' || answered.has(block.toolUseId)) return []
    const isLast = lastMessage !== undefined && messageIdOf(lastMessage) === block.messageId
    return block.status === 'pending' || isLast ? [[compositeKey(id, block.toolUseId), block]] : []
  })
}

function resumeCallsIn(thread: ConversationThread): readonly [string, string][] {
  const answered = answersIn(thread)
  return thread.blocks.flatMap((block): readonly [string, string][] =>
    block.type === 'tool_use' && block.toolName === 'SendMessage' && answered.has(block.toolUseId)
      ? [[block.toolUseId, block.toolUseId]]
      : [],
  )
}

function agentsOf({ blocks, subagents }: SessionConversationState): readonly Agent[] {
  const calls = new Map(
    [...blocks, ...subagents.flatMap((agent) => agent.blocks)].flatMap((block) =>
      block.type === 'subagent' ? [[block.toolUseId, block] as const] : [],
    ),
  )
  return subagents
    .filter(({ status }) => status !== 'pending')
    .map((agent, order) => agentOf(agent, calls.get(agent.toolUseId), order))
}

function agentOf(agent: SubagentState, call: BlockOf<'subagent'> | undefined, order: number): Agent {
  const {
    toolUseId,
    agentId,
    parentConversationId: parent,
    prompt,
    name,
    description,
    status,
    runId,
    output,
    durationMs,
  } = agent
  const isResumed =
    agent.blocks.filter((block) => block.type === 'user_message' && block.origin === undefined).length > 1
  const lastText = agent.blocks.findLast((block) => block.type === 'assistant_text')
  return omitUndefined({
    toolUseId,
    order,
    agentId,
    parent,
    prompt,
    name,
    description,
    messageId: call?.messageId,
    timestamp: call?.timestamp,
    runId: isResumed ? undefined : runId,
    resumedRunId: isResumed ? runId : undefined,
    isResumed: isResumed || undefined,
    isTeammate: agentId?.includes('@') || undefined,
    hasEnded: isFinal(status) || undefined,
    storedEnd: isFinal(status)
      ? omitUndefined({
          status: status === 'success' ? ('completed' as const) : ('error' as const),
          output,
          durationMs,
        })
      : undefined,
    lastText: lastText?.type === 'assistant_text' ? lastText.content : undefined,
    hasFailedRequest: agent.blocks.at(-1)?.type === 'error' || undefined,
  })
}
