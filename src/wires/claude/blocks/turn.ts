import { omitUndefined } from '../../../core/json/fields.ts'
import { asString, type JsonObject } from '../../../core/json/values.ts'
import { type ConversationBlock, isCall, messageIdOf } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { isOver, type TurnEnd } from '../../../reading/turn.ts'
import { findAgent, hasRunningAgents } from '../agents/agent.ts'
import { abandonAwaitedAgents, isAwaitingAgent } from '../agents/agent-run.ts'
import type { Line } from '../lines/line.ts'
import type { ClaudeContext, ClaudeMemory } from '../notes.ts'
import { hasResult, hasWaitingCalls, waitingCall } from './calls.ts'
import { isKnownMessage, isWhole, openBlocksOf } from './model/message-blocks.ts'
import type { MessageRef } from './model/message-stream.ts'
import { updateStream } from './model/message-stream.ts'
import { retractBlock } from './model/model-block.ts'

/**
 * Whether the model stopped because it had answered, not to call a tool. The reason is absent while the model works. Some servers state
 * `end_turn` for a message with calls, and the program runs them.
 */
export function hasAnswered(
  stopReason: unknown,
  { conversationId, messageId }: MessageRef,
  state: SessionLookups,
): boolean {
  if (typeof stopReason !== 'string' || stopReason === 'tool_use') return false
  return !state.blocksOfMessage(conversationId, messageId).some((block) => isWaiting(block, state))
}

/**
 * Whether the program runs the call. The provider runs others itself, and goes on with the message: their ids say so, or their results are
 * there. Some servers have one id for all messages, so earlier calls may be in it.
 */
function isWaiting(block: ConversationBlock, state: SessionLookups): boolean {
  if (!isCall(block) || /^(?:srv|mcp)toolu_/.test(block.toolUseId)) return false
  return block.type === 'subagent'
    ? !state.hasEnded(block.toolUseId)
    : state.isOpen(block.conversationId, block.id)
}

/** The tool that takes the session's answer, where the program asked for JSON. */
const STRUCTURED_OUTPUT = 'StructuredOutput'

/**
 * Ends main's turn with the model's answer, or with its failure. The `result` of a stream reports the end, after the
 * hooks. But while background agents run, the program keeps the result back.
 */
export function answerTurn(end: TurnEnd, context: ClaudeContext): void {
  const { isStream } = context.notes.values
  const { status } = context.state.turn
  // A reader that joined the stream late has missed the start.
  if (isStream && status === 'idle') context.turn.start(end.timestamp)
  if (isStream && !hasRunningAgents(context)) return context.turn.answer(end)
  if (isStream) context.notes.remember({ owesResult: true })
  if (status !== (end.outcome ?? 'finished')) context.turn.end(end)
}

/**
 * Goes on with an answered turn when the last agent in the background has ended. The program has not reported its end
 * yet, and the model gets the news. A workflow starts its agents later. Then the answered turn is over, and the
 * program keeps its result back.
 */
export function continueOwedTurn(context: ClaudeContext): void {
  const { answer, isStream } = context.notes.values
  if (isStream && answer && hasRunningAgents(context)) return answerTurn(answer, context)
  if (
    !context.notes.values.owesResult ||
    context.state.turn.status !== 'finished' ||
    hasRunningAgents(context)
  )
    return
  context.turn.start()
  context.turn.answer({})
}

/**
 * Ends main's turn because a person stopped it, and takes the call back that the model was writing. The parts of the
 * stopped message that still follow do not start it again.
 */
export function interruptTurn({ timestamp }: Line, context: ClaudeContext): void {
  retractCutCalls(MAIN, context)
  // The end of an input alone is no end that the person made.
  if (context.state.turn.status !== 'interrupted' || !isOver(context.state.turn))
    context.turn.end({ outcome: 'interrupted', timestamp })
}

/** Continues main's turn after results of tools: the model goes on, unless a tool has taken its answer. */
export function continueAfterResults(
  line: Line,
  results: readonly JsonObject[],
  context: ClaudeContext,
): void {
  const { raw, timestamp } = line
  const end = omitUndefined({ timestamp })
  if ((raw.toolEndsTurn ?? raw.tool_ends_turn) === true) return answerTurn(end, context)
  context.turn.start(timestamp)
  if (!takesAnswer(MAIN, results, context)) return
  context.turn.answer(end)
  if (!context.notes.values.isStream) context.turn.settle()
}

/** Whether one of the results, which the state does not have yet, takes the answer of the conversation. */
export function takesAnswer(
  conversationId: string,
  results: readonly JsonObject[],
  memory: ClaudeMemory,
): boolean {
  return results.some(({ tool_use_id, is_error }) => {
    const call = { conversationId, toolUseId: asString(tool_use_id) ?? '' }
    return is_error !== true && waitingCall(call, memory)?.toolName === STRUCTURED_OUTPUT
  })
}

/**
 * Ends a turn that a reconnect has repeated from its start. Nothing new has come since, so main's last turn has the
 * end that it had. The history does not have what else the repeated turn streamed.
 */
export function repeatTurnEnd(context: ClaudeContext): void {
  const { lastTurn, isCatchingUp } = context.notes.values
  if (!lastTurn || !isCatchingUp || context.state.turn.status !== 'running') return
  // A message may have broken off, and come again under another id that the history has.
  for (const block of context.state.pendingBlocks(MAIN))
    if (messageIdOf(block) !== undefined && !isWhole(block, MAIN, context))
      retractBlock(MAIN, block.id, context)
  const { status, error, endedAt } = lastTurn
  if (status === 'idle' || status === 'running') return
  context.turn.end({ outcome: status, error, timestamp: endedAt })
}

/** Whether main streams a message, or waits for a tool or an agent. */
export function isMainBusy(memory: ClaudeMemory): boolean {
  if (memory.notes.values.streamingMessages.get(MAIN) !== undefined || hasWaitingCalls(MAIN, memory.state))
    return true
  return isAwaitingAgent(MAIN, memory)
}

/** Ends main's turn: abandons its unfinished message, its pending calls, and the agents that it waits for. */
export function closeTurn(end: TurnEnd, context: ClaudeContext): void {
  retractCutCalls(MAIN, context)
  context.notes.removeEntry('streamingMessages', MAIN)
  abandonAwaitedAgents(MAIN, context)
  context.turn.end(end)
}

/**
 * Abandons the pending calls of a conversation if a new model message begins. The model would not begin it without
 * the results, so the process that made the calls was killed.
 */
export function abandonCallsBefore(ref: MessageRef, context: ClaudeContext): void {
  const { conversationId } = ref
  const isWaiting =
    hasWaitingCalls(conversationId, context.state) || isAwaitingKilledAgent(conversationId, context)
  if (!isWaiting || isKnownMessage(ref, context)) return
  if (conversationId !== MAIN) return context.finalizePending(conversationId)
  abandonAwaitedAgents(MAIN, context)
  context.turn.end({ outcome: 'interrupted' })
}

/** A source that goes on from a state does not know at `init` whether a new process begins, or a reconnect repeats the turn. */
function isAwaitingKilledAgent(conversationId: string, memory: ClaudeMemory): boolean {
  const { isOpened, hasInit } = memory.notes.values
  if (!isOpened || !hasInit) return false
  return conversationId === MAIN && isAwaitingAgent(MAIN, memory)
}

/**
 * Ends the stream of an earlier message when another one begins in the conversation: its connection was lost. From
 * 2.1.330 on, the program itself takes the unfinished blocks back. Before that, it says nothing about them.
 */
export function abandonStreamBefore({ conversationId, messageId }: MessageRef, context: ClaudeContext): void {
  const stream = context.notes.values.streams.get(conversationId)
  if (!stream || stream.messageId === messageId) return
  retractCutCalls(conversationId, context)
  context.notes.removeEntry('streamingMessages', conversationId)
}

/** Takes back the calls of the message that streamed last whose input was cut: such a call never ran, and started no agent. */
function retractCutCalls(conversationId: string, context: ClaudeContext): void {
  const stream = context.notes.values.streams.get(conversationId)
  if (!stream) return
  const { messageId, blocks } = stream
  const streamed = blocks.flatMap(({ id }) => context.state.findBlock(conversationId, id) ?? [])
  const open = openBlocksOf({ conversationId, messageId }, context.state)
  const cut = new Set([...streamed, ...open].filter((block) => isCutCall(block, context)).map(({ id }) => id))
  if (cut.size === 0) return
  for (const id of cut) retractBlock(conversationId, id, context)
  // A reconnect may repeat the deltas of the calls.
  const left = { blocks: blocks.filter(({ id }) => !cut.has(id)), deltaUuids: undefined }
  updateStream({ conversationId, messageId }, left, context.notes)
}

/** A call with a result or an agent did run, although the reader missed its whole block. */
function isCutCall(block: ConversationBlock, memory: ClaudeMemory): boolean {
  const { conversationId, type } = block
  if ((type !== 'tool_use' && type !== 'subagent') || isWhole(block, conversationId, memory)) return false
  const { toolUseId } = block
  return !hasResult({ conversationId, toolUseId }, memory.state) && !findAgent(toolUseId, memory)
}
