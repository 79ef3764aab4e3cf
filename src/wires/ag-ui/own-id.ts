import { sessionWideId } from '../../sinks/ag-ui/messages/ids.ts'
import { MAIN } from '../../state/session.ts'

/** Returns a block's or call's own id from its id for the whole session. An id that `sessionWideId` has not made stays. */
export function ownId(conversationId: string, id: string): string {
  if (conversationId === MAIN) return id === sessionWideId(MAIN, '') ? '' : id
  const prefix = sessionWideId(conversationId, '')
  return id.startsWith(prefix) ? id.slice(prefix.length) : id
}
