import { greatest } from '../../../json/greatest.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { openText } from '../../../session/resume/resumed-turn.ts'
import { requestIdOf } from '../../../session/rpc-requests.ts'
import type { BlockOf, ConversationBlock } from '../../../state/block.ts'
import { numberOfId } from '../../../state/numbered-id.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
  TOKEN_COUNTS,
  type TokenUsage,
} from '../../../state/session.ts'
import { isFinal } from '../../../state/subagent.ts'
import type { CodexContext } from '../context.ts'
import type { CodexMemory, KnownItem, KnownThread } from '../memory.ts'

/** Returns a memory that goes on from a state. The state does not have the ids of turns, so their times show which turns are over. */
export function resume(state: SessionConversationState, context: CodexContext): void {
  const { session, turn } = state
  context.remember({
    ...omitUndefined({ mainId: session.id, resumedUntil: turn.endedAt }),
    ...resumedProcesses(state),
  })
  const mainId = session.id ?? ''
  const isKnown = session.id !== undefined || state.blocks.length > 0
  if (isKnown)
    resumeThread(
      { id: mainId, thread: state, openId: openText(state)?.id },
      { isMain: true, ...omitUndefined({ model: session.model }), ...runningTurn(state) },
      context,
    )
  for (const agent of state.subagents) resumeAgent(agent, state, context)
}

/** Returns the facts of main's running turn. */
function runningTurn({ turn, blocks }: SessionConversationState): Partial<KnownThread> {
  if (turn.status !== 'running') return {}
  const hasResumedWork = blocks.at(-1) !== undefined && blocks.at(-1)?.type !== 'user_message'
  return omitUndefined({ hasResumedWork, resumedUntil: lastTimeOf(blocks, turn.startedAt) })
}

/**
 * Returns the number of processes of `codex exec`, from the ids of blocks. Each process has one turn, whose tokens come with its end. So a further
 * process has the turn that runs after the tokens of the last text.
 */
function resumedProcesses(state: SessionConversationState): Partial<CodexMemory> {
  const numbers = state.blocks.map(({ id }) => Number(/^exec:(\d{1,9}):/.exec(id)?.[1] ?? 0))
  const known = greatest(numbers)
  const isExec = known > 0 || state.blocks.length === 0
  if (!isExec || state.session.id === undefined) return { processes: known }
  const { status } = state.turn
  if (status === 'idle' || status === 'running')
    return { processes: hasTokens(state) ? known + 1 : Math.max(1, known) }
  return { processes: Math.max(1, known), isBetweenProcesses: true }
}

/** Whether the tokens of the last text are known. */
function hasTokens(thread: ConversationThread): boolean {
  return thread.blocks.some(isText) && replyIdOf(thread) === undefined
}

function resumeAgent(agent: SubagentState, state: SessionConversationState, context: CodexContext): void {
  const { toolUseId, agentId, parentConversationId, status } = agent
  const parentId = threadIdOf(parentConversationId ?? MAIN, state)
  context.updateItem(parentId, toolUseId, { role: 'agent' })
  if (agentId === undefined) return resumeAnnounced(parentId, agent, context)
  const run = isFinal(status) ? 'ended' : 'running'
  const callId = toolUseId === agentId ? undefined : toolUseId
  const lastText = run === 'running' ? lastTextOf(agent) : undefined
  const { model } = agent.usage.at(-1) ?? {}
  const resumedUntil = lastTimeOf(agent.blocks)
  resumeThread(
    { id: agentId, thread: agent },
    omitUndefined({ callId, parentId, run, lastText, model, resumedUntil }),
    context,
  )
}

/** Returns the last whole text after the last prompt. */
function lastTextOf({ blocks }: ConversationThread): string | undefined {
  const last = blocks.findLast(
    ({ type, status }) => type === 'user_message' || (type === 'assistant_text' && status === 'complete'),
  )
  return last?.type === 'assistant_text' ? last.content : undefined
}

function resumeAnnounced(
  parentId: string,
  { toolUseId, status }: SubagentState,
  context: CodexContext,
): void {
  if (isFinal(status)) return
  const { announcedIds = [] } = context.factsOf(parentId)
  context.updateThread(parentId, { announcedIds: [...announcedIds, toolUseId] })
}

function threadIdOf(conversationId: string, { session, subagents }: SessionConversationState): string {
  if (conversationId === MAIN) return session.id ?? ''
  const agent = subagents.find(({ toolUseId }) => toolUseId === conversationId)
  return agent?.agentId ?? conversationId
}

interface Resumed {
  readonly id: string
  readonly thread: ConversationThread
  /** The text that may go on although the end of an input has made it final. */
  readonly openId?: string | undefined
}

function resumeThread(
  { id, thread, openId }: Resumed,
  facts: Partial<KnownThread>,
  context: CodexContext,
): void {
  const { blocks, usage } = thread
  const openTextIds = blocks.filter((block) => isOpenText(block, openId)).map((block) => block.id)
  const unnamed = greatest(blocks.map((block) => (numberOfId(block.id) ?? -1) + 1))
  const total = usage.reduce((sum, entry) => sum + tokensOf(entry), 0)
  context.updateThread(id, {
    ...facts,
    openTextIds,
    unnamed,
    total,
    replyId: replyIdOf(thread),
    ...omitUndefined({ sum: sumOf(usage) }),
  })
  for (const block of blocks) resumeBlock(id, block, openTextIds, context)
}

type TextBlock = BlockOf<'assistant_text' | 'thinking'>

function isText(block: ConversationBlock): block is TextBlock {
  return block.type === 'assistant_text' || block.type === 'thinking'
}

function isOpenText(block: ConversationBlock, openId: string | undefined): boolean {
  return isText(block) && (block.status === 'pending' || block.id === openId)
}

/** Returns the tokens of all replies. */
function sumOf(usage: ConversationThread['usage']): TokenUsage | undefined {
  if (usage.length === 0) return undefined
  const counts = TOKEN_COUNTS.map(
    (name) => [name, usage.reduce((sum, entry) => sum + (entry[name] ?? 0), 0)] as const,
  )
  return Object.fromEntries(counts.filter(([name]) => usage.some((entry) => entry[name] !== undefined)))
}

/** Returns the last of the blocks' times and the given one. */
function lastTimeOf(blocks: readonly ConversationBlock[], time?: string): string | undefined {
  let last = time
  for (const { timestamp } of blocks)
    if (timestamp !== undefined && (last === undefined || timestamp > last)) last = timestamp
  return last
}

function tokensOf({
  inputTokens = 0,
  outputTokens = 0,
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
}: ConversationThread['usage'][number]): number {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens
}

/** Returns the last text without tokens. They may still come. */
function replyIdOf({ blocks, usage }: ConversationThread): string | undefined {
  const last = blocks.findLast(isText)
  return last === undefined || usage.some(({ messageId }) => messageId === last.id) ? undefined : last.id
}

function resumeBlock(
  threadId: string,
  block: ConversationBlock,
  openTextIds: readonly string[],
  context: CodexContext,
): void {
  switch (block.type) {
    case 'tool_use':
      return context.updateItem(threadId, block.id, callFacts(block))
    case 'tool_result':
      if (block.status === 'pending')
        return context.updateItem(threadId, block.toolUseId, { output: outputOf(block) })
      return context.updateItem(threadId, block.toolUseId, { endedBy: 'output', call: undefined })
    case 'request':
      return context.setEntry('requests', requestIdOf(block.id), block)
    case 'subagent':
      return
    default:
      if (isText(block) && openTextIds.includes(block.id))
        context.updateItem(threadId, block.id, openTextFacts(block))
      else if (block.status !== 'pending') context.updateItem(threadId, block.id, { endedBy: 'item' })
  }
}

/** A call without a result may still get one, also if the end of an input has made it final. */
function callFacts(block: BlockOf<'tool_use'>): Partial<KnownItem> {
  return { call: { ...block, status: 'pending' }, ...omitUndefined({ time: block.timestamp }) }
}

function openTextFacts({ type, content, timestamp }: TextBlock): Partial<KnownItem> {
  const kind = type === 'thinking' ? 'thinking' : 'text'
  return { resumedText: { kind, content }, ...omitUndefined({ time: timestamp }) }
}

function outputOf({ output }: BlockOf<'tool_result'>): string {
  return typeof output === 'string' ? output : ''
}
