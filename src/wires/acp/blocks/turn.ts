import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import { withdrawRequestsOf } from '../../../session/rpc-requests.ts'
import { MAIN } from '../../../state/session.ts'
import type { TurnOutcome } from '../../../state/turn.ts'
import type { AcpContext } from '../context.ts'
import { showHeldPrompt } from './prompt.ts'
import { closeText, markWhole } from './text.ts'
import { reportTurnUsage } from './usage.ts'
import { showHeldMessage, showInterruption } from './user.ts'

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
  reportTurnUsage(promptId, asObject(result.usage), context)
  if (outcome === 'interrupted') showInterruption(MAIN, context)
  context.endTurn(omitUndefined({ outcome, error: outcome === 'failed' ? reason : undefined }))
}

/** Ends the turn of a prompt whose response is an error. */
export function failPrompt(promptId: string, error: JsonObject, context: AcpContext): void {
  const { data } = error
  const details = asString(asObject(data).details) ?? asString(asObject(data).message) ?? asString(data)
  const message = [asString(error.message), details].filter((part) => part !== undefined).join(': ')
  settle(context)
  context.upsert(
    MAIN,
    omitUndefined({
      type: 'error',
      id: `${promptId}:error`,
      status: 'error',
      message,
      code: typeof error.code === 'number' ? String(error.code) : undefined,
    }),
  )
  context.endTurn({ outcome: 'failed', error: message })
}

function settle(context: AcpContext): void {
  showHeldPrompt(context)
  showHeldMessage(MAIN, context)
  closeText(MAIN, context)
  withdrawRequestsOf(MAIN, context)
}

/** Completes the last message of each conversation. A replay repeats whole messages. */
export function closeMessages(context: AcpContext): void {
  for (const { id } of context.memory.threads.values()) {
    showHeldMessage(id, context)
    closeText(id, context)
    const { messageId } = context.thread(id)
    if (messageId !== undefined) markWhole(id, messageId, context)
  }
}

/** Ends a replay: everything in it is whole. A call without a result shows that its turn was stopped. */
export function endReplay(context: AcpContext): void {
  closeMessages(context)
  if (context.turn.status !== 'running') return
  const isStopped = context.memory.calls.values().some(({ isEnded, role }) => !isEnded && role === 'tool')
  context.endTurn({ outcome: isStopped ? 'interrupted' : 'finished' })
}
