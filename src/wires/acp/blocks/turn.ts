import { shallowCopy } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { isModelText } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { TurnOutcome } from '../../../core/state/turn.ts'
import { errorBlock } from '../../kit/blocks.ts'
import { endAllInBackground } from '../agents/run.ts'
import type { AcpContext, AcpMemory } from '../context.ts'
import { endRequestsOf } from '../requests.ts'
import { reportTurnUsage } from '../tokens.ts'
import { blockInTurn, repeatTurn } from './joint.ts'
import { claimBufferedPrompt, showBufferedPrompt } from './prompt.ts'
import { closeText, leaveText, showText } from './text.ts'
import { interruptionId, showBufferedMessage, showInterruption } from './user.ts'

/** How a turn with that reason has ended. The agent stops at a limit of tokens by itself. */
const OUTCOMES: Readonly<Record<string, TurnOutcome>> = {
  end_turn: 'finished',
  max_tokens: 'finished',
  max_turn_requests: 'failed',
  refusal: 'failed',
  cancelled: 'interrupted',
}

/** Ends the turn of a prompt with the response. */
export function endPrompt(
  promptId: string,
  result: JsonObject,
  context: AcpContext,
  reported?: TurnOutcome,
): void {
  const reason = asString(result.stopReason) ?? 'end_turn'
  const outcome = reported ?? (Object.hasOwn(OUTCOMES, reason) ? OUTCOMES[reason] : undefined) ?? 'finished'
  settle(context)
  if (!context.reader.reportsAgentEnds)
    endAllInBackground(outcome === 'finished' ? 'completed' : 'error', context)
  reportTurnUsage(promptId, asObject(result.usage), context)
  if (outcome === 'interrupted') showInterruption(MAIN, context)
  const failure = outcome === 'finished' ? failureOf(context) : undefined
  context.notes.remember({ failure: undefined })
  if (failure !== undefined) return context.turn.end({ outcome: 'failed', error: failure })
  context.turn.end({ outcome, error: outcome === 'failed' ? reason : undefined })
}

/** Returns the error that ended the turn, where the response does not state it: nothing has come after it. */
function failureOf(memory: AcpMemory): string | undefined {
  const { failure } = memory.notes.values
  const blocks = memory.state.blocksOf(MAIN)
  if (failure?.place === blocks.length) return failure.message
  const last = blocks.at(-1)
  return last?.type === 'system' && memory.reader.isFailure?.(last.message) ? last.message : undefined
}

/** Ends the turn of a prompt whose response is an error. */
export function failPrompt(promptId: string, error: JsonObject, context: AcpContext): void {
  const { data } = error
  const details = asString(asObject(data).details) ?? asString(asObject(data).message) ?? asString(data)
  const message = [asString(error.message), details].filter((part) => part !== undefined).join(': ')
  settle(context)
  if (!context.reader.reportsAgentEnds) endAllInBackground('error', context)
  const code = typeof error.code === 'number' ? String(error.code) : undefined
  context.upsert(MAIN, errorBlock({ id: `${promptId}:error`, message, code }, 'error'))
  context.turn.end({ outcome: 'failed', error: message })
}

function settle(context: AcpContext): void {
  showBufferedPrompt(context)
  showBufferedMessage(MAIN, context)
  closeText(MAIN, context)
  endRequestsOf(MAIN, context)
}

/** Completes the last message of each conversation. A replay repeats whole messages. */
export function closeMessages(context: AcpContext): void {
  for (const id of context.conversations()) {
    showBufferedMessage(id, context)
    leaveText(id, context)
    context.notes.removeEntry('streams', id)
  }
}

/** Ends a replay: everything in it is whole. A call without a result shows that its turn was stopped. */
export function endReplay(context: AcpContext): void {
  closeMessages(context)
  context.notes.removeEntry('joints', MAIN)
  if (context.state.turn.status !== 'running') return
  const isStopped = context
    .conversations()
    .some((id) => context.state.pendingBlocks(id).some(({ type }) => type === 'tool_use'))
  context.turn.end({ outcome: isStopped ? 'interrupted' : 'finished' })
}

/**
 * Goes on with the last turn of the state that the source went on from: the buffered prompt turns out to be the
 * turn's own. The response to an earlier prompt, which came again before it, has ended the turn.
 */
export function reopenTurn(itemId: string | undefined, context: AcpContext): void {
  const { bufferedPrompt, joints, lastTurn } = context.notes.values
  const joint = bufferedPrompt && joints.get(MAIN)
  if (!joint || itemId === undefined || !blockInTurn(MAIN, itemId, context.state)) return
  claimBufferedPrompt(context)
  if (lastTurn?.status === 'interrupted')
    context.emit({ type: 'block:removed', conversationId: MAIN, blockId: interruptionId(MAIN, context) })
  if (joint.openText && !context.openText(MAIN)) reopenText(joint.openText.id, context)
  repeatTurn(context)
}

/** Shows a text as open again. A pending block does not replace a final one. */
function reopenText(blockId: string, context: AcpContext): void {
  const text = context.state.findBlock(MAIN, blockId)
  if (!text || !isModelText(text)) return
  const copy = shallowCopy(text)
  context.emit({ type: 'block:removed', conversationId: MAIN, blockId })
  const { messageId } = copy
  context.updateStream(MAIN, { blockId, ...(messageId !== undefined && { messageId }) })
  showText(MAIN, copy, context)
}
