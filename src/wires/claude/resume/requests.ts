import { answeredCalls } from '../../../selectors/find.ts'
import type { BlockOf, ConversationBlock } from '../../../state/block.ts'
import type { SessionConversationState } from '../../../state/session.ts'
import type { ClaudeMemory } from '../memory.ts'
import { requestKey } from '../requests/known-requests.ts'
import { collect, type ResumedThread } from './collect.ts'
import { isInterruptedByEnd } from './reopen.ts'

/**
 * Returns the requests of a state. The end of an input makes open requests final. The program still
 * waits for their answer, so a stream that asks again with the same id opens them again.
 */
export function resumedRequests(
  state: SessionConversationState,
  threads: readonly ResumedThread[],
): Pick<ClaudeMemory, 'requests' | 'requestCalls'> {
  const answered = new Set(threads.flatMap(({ blocks }) => [...answeredCalls(blocks)]))
  const isCut = isInterruptedByEnd(state)
  const isClosed = ({ status, answer, toolUseId = '' }: BlockOf<'request'>) =>
    status === 'pending' || answer !== undefined || answered.has(toolUseId) || !isCut
  const requests = threads.map(({ blocks }) => blocks.filter(isRequest))
  return {
    requests: collect(requests, (blocks) => blocks.map((block) => [requestKey(block), block])),
    requestCalls: collect(requests, (blocks) =>
      blocks.filter(isClosed).map((block) => [block.id, requestKey(block)]),
    ),
  }
}

function isRequest(block: ConversationBlock): block is BlockOf<'request'> {
  return block.type === 'request'
}
