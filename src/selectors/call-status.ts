import type { BlockOf } from '../state/block.ts'
import { isOpenBlock, type SessionConversationState } from '../state/session.ts'
import { findConversation } from './find.ts'
import type { ShownStatus } from './status-words.ts'

type Call = BlockOf<'tool_use'>
type Request = BlockOf<'request'>

/** What decides the status of a call, beside the call itself. */
interface CallFacts {
  /** Whether a request about it is open. */
  readonly isWaiting: boolean
  readonly isDenied: boolean
  /** Whether its result is an error. */
  readonly isFailed: boolean
  readonly isCut: boolean
}

/** Returns the status of a call that people see. An open request comes first: until its answer, the call does not run. */
export function callStatus({ status }: Pick<Call, 'status'>, facts: CallFacts): ShownStatus {
  if (facts.isWaiting) return 'waiting'
  if (facts.isDenied) return 'denied'
  if (facts.isFailed || status === 'error') return 'failed'
  if (facts.isCut) return 'interrupted'
  return status === 'pending' ? 'running' : 'complete'
}

/** Whether the person refused the call that the requests are about, so that it did not run. */
export function isDenied(requests: readonly Pick<Request, 'denied'>[]): boolean {
  return requests.some(({ denied }) => denied === true)
}

/** Whether the end of the input stopped the call, so that it has no result. */
export function isCutCall(state: SessionConversationState, call: Call): boolean {
  const thread = findConversation(state, call.conversationId)
  return call.status !== 'pending' && thread !== undefined && isOpenBlock(call, thread)
}
