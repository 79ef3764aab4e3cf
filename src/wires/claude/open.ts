import { compareStrings } from '../../core/json/lists.ts'
import { answeredCalls } from '../../core/selectors/find.ts'
import {
  type BlockOf,
  type ConversationBlock,
  isModelText,
  isPrompt,
  messageIdOf,
  requestBlockId,
  subagentBlockId,
} from '../../core/state/block.ts'
import { numberOfId } from '../../core/state/numbered-id.ts'
import { MAIN, type SessionConversationState, type SubagentState } from '../../core/state/session.ts'
import { hasEnded } from '../../core/state/subagent.ts'
import { isAtLeast } from '../../programs/claude-code/program.ts'
import { noteReusedIds } from '../kit/reused-ids.ts'
import { lastTextOf, noteAgent } from './agents/agent.ts'
import { SEND_MESSAGE } from './agents/agent-run.ts'
import { runIdIn, WORKFLOW } from './agents/workflow.ts'
import { isQueuedBlockId, promptBlockId, promptKey } from './block-ids.ts'
import { indexedBlocks } from './blocks/model/message-blocks.ts'
import { textOfBlock } from './blocks/model/message-stream.ts'
import type { ClaudeContext, ClaudeMemory } from './notes.ts'
import { isUnprompted } from './prompts/repeated-prompt.ts'
import { isTaskTool, type Task, tasksAfter } from './task-list.ts'

/** A conversation of a state with its id. */
interface Thread {
  readonly id: string
  readonly blocks: readonly ConversationBlock[]
}

/**
 * Makes the notes that are needed to go on from a state alone. The state does not know the uuids of the model's
 * lines. So a later line repeats a known block if both have the same id, or the same text in the same message.
 */
export function open(state: SessionConversationState, memory: ClaudeMemory): void {
  noteReusedIds(state, memory.notes)
  const threads: readonly Thread[] = [
    { id: MAIN, blocks: state.blocks },
    ...state.subagents.map(({ toolUseId: id, blocks }) => ({ id, blocks })),
  ]
  const tasks = tasksOf(state)
  const queued = queuedPrompts(state.blocks)
  const lines = linesWithoutUuid(threads)
  memory.notes.remember({
    isOpened: state.blocks.length === 0 ? undefined : true,
    answer: hasAnswered(state) ? {} : undefined,
    compactedConversation: threads.find(({ blocks }) => isCompaction(blocks.at(-1)))?.id,
    queuedPrompts: queued.length === 0 ? undefined : queued,
    queuedUntil: state.blocks.findLast(({ timestamp }) => timestamp !== undefined)?.timestamp,
    linesWithoutUuid: lines === 0 ? undefined : lines,
    tasks: tasks.length === 0 ? undefined : tasks,
  })
  openFirstPrompt(state, memory.notes)
  for (const thread of threads) openThread(thread, memory)
  for (const agent of state.subagents) openAgent(agent, state, memory)
}

/** A prompt that begins the file again takes the place of the first prompt. The places of other lines are not in the state. */
function openFirstPrompt({ session, blocks }: SessionConversationState, notes: ClaudeContext['notes']): void {
  const first = blocks.find((block) => messageIdOf(block) !== undefined || isPromptOrCommand(block))
  if (session.id !== undefined && first?.type === 'user_message')
    notes.setEntry('promptsByAnchor', session.id, first.id)
}

function isPromptOrCommand(block: ConversationBlock): boolean {
  return block.type === 'user_message' && (block.origin === undefined || block.origin === 'command')
}

function openThread({ id: conversationId, blocks }: Thread, memory: ClaudeMemory): void {
  const answered = answeredCalls(blocks)
  for (const block of blocks) {
    const messageId = messageIdOf(block)
    if (messageId !== undefined && isModelText(block))
      memory.notes.setEntry('unnamedMessages', memory.notes.keyOf(conversationId, messageId), true)
    if (block.type === 'tool_use' && block.toolName === SEND_MESSAGE && answered.has(block.toolUseId))
      memory.notes.setEntry('resumeCalls', block.toolUseId, block.toolUseId)
    if (block.type === 'tool_result') openWorkflow(block, conversationId, memory)
    if (block.type === 'request') openRequest(block, answered, memory.notes)
    if (isPrompt(block) && block.id === promptBlockId(conversationId))
      memory.notes.setEntry('unnamedPrompts', promptKey(conversationId, block.content), true)
  }
  openStream({ id: conversationId, blocks }, memory)
}

/** Goes on with the last message that has an unfinished block. A repeated beginning of a turn must not make that block a whole one. */
function openStream({ id: conversationId, blocks }: Thread, memory: ClaudeMemory): void {
  const open = blocks.filter((block) => block.status === 'pending' && isStreamed(block))
  const last = open.at(-1)
  const messageId = last && messageIdOf(last)
  if (messageId === undefined) return
  const openIds = new Set(open.map(({ id }) => id))
  const streamed = indexedBlocks({ conversationId, messageId }, memory).flatMap(({ block, index }) => {
    const knownLength = textOfBlock(block)?.length ?? 0
    return openIds.has(block.id) ? [{ index, id: block.id, knownLength }] : []
  })
  memory.notes.setEntry('streamingMessages', conversationId, messageId)
  memory.notes.setEntry('streams', conversationId, { messageId, blocks: streamed })
  // From 2.1.330 on, the prompt of a turn comes before its answer.
  const mayFollow = conversationId === MAIN && !isAtLeast(memory.state.facts.version, [2, 1, 330])
  if (mayFollow && isUnprompted(blocks, messageId)) memory.notes.remember({ unpromptedMessages: [messageId] })
}

/** Whether the block is a text, a call that is not whole, or that of an agent. */
function isStreamed(block: ConversationBlock): boolean {
  if (block.type === 'tool_use') return block.inputText !== undefined
  return isModelText(block) || block.type === 'subagent'
}

/** A file may hold agents of the workflow's run after the result that names the run. */
function openWorkflow(
  { toolUseId, output }: BlockOf<'tool_result'>,
  conversationId: string,
  memory: ClaudeMemory,
): void {
  if (memory.state.findCall(conversationId, toolUseId)?.toolName !== WORKFLOW) return
  const runId = runIdIn(output)
  if (runId !== undefined) memory.notes.setEntry('workflowCalls', runId, toolUseId)
}

function openRequest(
  { id, toolUseId }: BlockOf<'request'>,
  answered: ReadonlySet<string>,
  notes: ClaudeContext['notes'],
): void {
  if (toolUseId !== undefined && !answered.has(toolUseId) && id !== requestBlockId(toolUseId))
    notes.setEntry('requestIds', toolUseId, id)
}

function openAgent(agent: SubagentState, state: SessionConversationState, memory: ClaudeMemory): void {
  const { toolUseId, status, runId } = agent
  if (status === 'pending') return
  const isAwaited = awaitsResult(agent, state)
  // Any other output is the report, which only the result of the call states.
  const hasReport = agent.output !== undefined && agent.output !== lastTextOf(agent, memory.state)
  const changes = {
    ...(hasResumed(agent) && { isResumed: true, ...(runId === undefined && { hasUnknownRun: true }) }),
    ...(!hasEnded(agent) && !isAwaited && { isLaunched: true }),
    ...(hasEnded(agent) && isAwaited && !hasReport && { isEndProvisional: true }),
  }
  if (agent.parentConversationId === undefined || Object.keys(changes).length > 0)
    noteAgent(toolUseId, changes, memory)
}

/** Whether the agent has run more than once. Each run begins with a prompt, and a running agent keeps the facts of its last end. */
function hasResumed(agent: SubagentState): boolean {
  const hasEarlierEnd = agent.output !== undefined || agent.durationMs !== undefined
  return (hasEarlierEnd && !hasEnded(agent)) || agent.blocks.filter(isPrompt).length > 1
}

/** Whether the result of the agent's call may still come: the parent runs, and has written no message after that of the call. */
function awaitsResult(
  { toolUseId, parentConversationId = MAIN }: SubagentState,
  state: SessionConversationState,
): boolean {
  const parent = state.subagents.find((agent) => agent.toolUseId === parentConversationId)
  const { status, openBlocks } = parent ?? state.turn
  if (status !== 'running' && openBlocks === undefined) return false
  const { blocks } = parent ?? state
  const at = blocks.findIndex(({ id }) => id === subagentBlockId(toolUseId))
  const call = blocks[at]
  return call !== undefined && !blocks.slice(at).some((block) => isOfLaterMessage(block, messageIdOf(call)))
}

function isOfLaterMessage(block: ConversationBlock, messageId: string | undefined): boolean {
  const own = messageIdOf(block)
  return block.type === 'user_message' || (own !== undefined && own !== messageId)
}

/** Returns main's last prompts if only the program's queue has held them. A later line may hold them too. */
function queuedPrompts(
  blocks: readonly ConversationBlock[],
): readonly { readonly text: string; readonly blockId: string }[] {
  const prompts = blocks.filter(isPrompt)
  const lastLine = prompts.findLastIndex(({ id }) => !isQueuedBlockId(id))
  return prompts
    .slice(lastLine + 1)
    .flatMap(({ content, id }) => (typeof content === 'string' ? [{ text: content, blockId: id }] : []))
}

/** Returns the session's task list. Its ids stand in the results of all calls. */
function tasksOf({ blocks, branches = [], subagents }: SessionConversationState): readonly Task[] {
  const answers = [blocks, ...[...branches, ...subagents].map((thread) => thread.blocks)].flatMap(answersIn)
  const isTimed = answers.every(({ result }) => result.timestamp !== undefined)
  const inOrder = isTimed
    ? answers.toSorted(({ result: left }, { result: right }) =>
        compareStrings(left.timestamp ?? '', right.timestamp ?? ''),
      )
    : answers
  return inOrder.reduce<readonly Task[]>(
    (tasks, { call, result }) => tasksAfter(tasks, { call, record: {}, output: result.output }),
    [],
  )
}

interface Answer {
  readonly call: BlockOf<'tool_use'>
  readonly result: BlockOf<'tool_result'>
}

function answersIn(blocks: readonly ConversationBlock[]): readonly Answer[] {
  const calls = new Map<string, BlockOf<'tool_use'>>()
  for (const block of blocks)
    if (block.type === 'tool_use' && isTaskTool(block.toolName)) calls.set(block.toolUseId, block)
  return blocks.flatMap((result) => {
    const call = result.type === 'tool_result' && !result.isError ? calls.get(result.toolUseId) : undefined
    return call && result.type === 'tool_result' ? [{ call, result }] : []
  })
}

function isCompaction(block: ConversationBlock | undefined): boolean {
  return block?.type === 'system' && block.subtype === 'compaction'
}

/** Returns the number behind the last one that a line without a uuid has in its place. */
function linesWithoutUuid(threads: readonly Thread[]): number {
  const numbers = threads.flatMap(({ blocks }) => blocks).flatMap(({ id }) => numberOfId(id) ?? [])
  return numbers.reduce((end, number) => Math.max(end, number + 1), 0)
}

/** Whether main's last block is a final text of the model: no line may report more of that message. */
function hasAnswered({ turn, blocks }: SessionConversationState): boolean {
  const last = blocks.findLast(({ type }) => type !== 'system')
  const isAnswer = last?.type === 'assistant_text' && messageIdOf(last) !== undefined
  return turn.status === 'running' && isAnswer && last.status !== 'pending'
}
