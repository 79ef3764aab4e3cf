import type { BlockOf } from '../state/block.ts'
import { isOpenBlock, type SessionConversationState } from '../state/session.ts'
import { findConversation } from './find.ts'
import type { ShownStatus } from './status-words.ts'

type Call = BlockOf<'tool_use'>
type Request = BlockOf<'request'>

/** The facts that decide the status of a call together with the call itself. */
interface CallFacts {
  /** Whether a request about it is open. */
  readonly isWaiting: boolean
  readonly isDenied: boolean
  /** Whether its result is an error. */
  readonly isFailed: boolean
  /** Whether the end of the input stopped it, if it does not run. */
  readonly isCut: boolean
}

/** Returns the status of a call that people see. An open request comes first: until its answer, the call does not run. */
export function callStatus({ status }: Pick<Call, 'status'>, facts: CallFacts): ShownStatus {
  if (facts.isWaiting) return 'waiting'
  if (facts.isDenied) return 'denied'
  if (facts.isFailed || status === 'error') return 'failed'
  if (status === 'pending') return 'running'
  return facts.isCut ? 'interrupted' : 'complete'
}

/** Whether the person refused the call that the requests are about, so that it did not run. */
export function isDenied(requests: readonly Pick<Request, 'denied'>[]): boolean {
  return requests.some(({ denied }) => denied)
}

/** Whether the call still runs, or the end of the input stopped it. */
export function isCutCall(state: SessionConversationState, call: Call): boolean {
  return isOpenBlock(call, findConversation(state, call.conversationId) ?? {})
}
