import { compositeKey } from '../../../json/composite-key.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asString, type JsonObject } from '../../../json/values.ts'
import type { TurnEnd } from '../../../session/turn.ts'
import { MAIN } from '../../../state/session.ts'
import { abandonAwaitedAgents, isAwaitingAgent } from '../agents/abandon-agent.ts'
import type { ClaudeContext } from '../context.ts'
import type { Line } from '../lines/line.ts'
import type { MessageBlock, MessageRef } from '../memory.ts'
import { retractBlock } from './model/model-block.ts'
import { isKnownMessage, messageOf } from './model/model-message.ts'
import { forgetPendingCalls, hasPendingCalls, pendingCall } from './pending-calls.ts'

/** Whether the model stopped because it had answered, not to call a tool. The reason is absent while the model works. */
export function hasAnswered(stopReason: unknown): boolean {
  return typeof stopReason === 'string' && stopReason !== 'tool_use'
}

/** The tool that takes the session's answer, where the program asked for JSON. */
const STRUCTURED_OUTPUT = 'StructuredOutput'

/**
 * Ends main's turn with the model's answer, or with its failure. The `result` of a stream reports the end, after the hooks. But while
 * background agents run, the program keeps the result back.
 */
export function answerTurn(end: TurnEnd, context: ClaudeContext): void {
  const { isStream, unfinishedAgents } = context.memory
  const { status } = context.turn
  // A reader that joined the stream late has missed the start.
  if (isStream && status === 'idle') context.startTurn(end.timestamp)
  if (isStream && unfinishedAgents.isEmpty) context.answerTurn(end)
  else if (status !== (end.outcome ?? 'finished')) context.endTurn(end)
}

/** Ends main's turn because a person stopped it. The parts of the stopped message that still follow do not start it again. */
export function interruptTurn({ timestamp }: Line, context: ClaudeContext): void {
  context.remember({ isInterruptedByEnd: undefined })
  if (context.turn.status !== 'interrupted')
    context.endTurn(omitUndefined({ outcome: 'interrupted', timestamp }))
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
  context.startTurn(timestamp)
  if (takesAnswer(results, context)) context.answerTurn(end)
}

function takesAnswer(results: readonly JsonObject[], { memory }: ClaudeContext): boolean {
  return results.some(
    ({ tool_use_id, is_error }) =>
      is_error !== true &&
      pendingCall({ conversationId: MAIN, toolUseId: asString(tool_use_id) ?? '' }, memory)?.toolName ===
        STRUCTURED_OUTPUT,
  )
}

/** Whether main streams a message, or waits for a tool or an agent. */
export function isMainBusy(context: ClaudeContext): boolean {
  const { memory } = context
  if (memory.streamingMessages.get(MAIN) !== undefined || hasPendingCalls(MAIN, memory)) return true
  return isAwaitingAgent(MAIN, context)
}

/** Ends main's turn: abandons its unfinished message, its pending calls, and the agents that it waits for. */
export function closeTurn(end: TurnEnd, context: ClaudeContext): void {
  retractCutCalls(MAIN, context)
  context.removeEntry('streamingMessages', MAIN)
  forgetPendingCalls(MAIN, context)
  abandonAwaitedAgents(MAIN, context)
  context.endTurn(end)
}

/**
 * Abandons the pending calls of a conversation if a new model message begins. The model would not begin it without the
 * results, so the process that made the calls was killed.
 */
export function abandonCallsBefore(ref: MessageRef, context: ClaudeContext): void {
  const { memory } = context
  if (!hasPendingCalls(ref.conversationId, memory) || isKnownMessage(ref, context)) return
  forgetPendingCalls(ref.conversationId, context)
  if (ref.conversationId === MAIN) context.endTurn({ outcome: 'interrupted' })
  else context.finalizePending(ref.conversationId)
}

/**
 * Ends the stream of an earlier message when another one begins in the conversation: its connection was lost. From 2.1.330 on,
 * the program itself takes the unfinished blocks back. Before that, it says nothing about them.
 */
export function abandonStreamBefore({ conversationId, messageId }: MessageRef, context: ClaudeContext): void {
  const { streamedMessages } = context.memory
  if ((streamedMessages.get(conversationId) ?? messageId) === messageId) return
  retractCutCalls(conversationId, context)
  context.removeEntry('streamingMessages', conversationId)
}

/** Takes back the calls of the message that streamed last whose input was cut: such a call never ran, and started no agent. */
function retractCutCalls(conversationId: string, context: ClaudeContext): void {
  const { streamedMessages } = context.memory
  const messageId = streamedMessages.get(conversationId)
  if (messageId === undefined) return
  context.removeEntry('streamedMessages', conversationId)
  const known = messageOf({ conversationId, messageId }, context)
  const cut = known.blocks.filter((block) => isCutCall(block, conversationId, context))
  if (cut.length === 0) return
  for (const { id } of cut) retractBlock(conversationId, id, context)
  // A reconnect may repeat the deltas of the calls.
  const message = context.editMessage({ conversationId, messageId })
  message.deltaUuids = undefined
  message.blocks = message.blocks.filter((block) => !cut.includes(block))
}

/** A call with a result or an agent did run, although the reader missed its whole block. */
function isCutCall(
  { isWhole, contentType, toolUseId = '' }: MessageBlock,
  conversationId: string,
  { memory }: ClaudeContext,
): boolean {
  if (isWhole || !contentType.endsWith('tool_use')) return false
  const hasRun =
    memory.earlyResults.get(compositeKey(conversationId, toolUseId)) ?? memory.agents.get(toolUseId)
  return hasRun === undefined
}
