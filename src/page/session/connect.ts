import { connectSession, type SessionConnection } from 'agentfold/sync'
import { showDirections } from '../../redaction/printable.ts'

/** Follows the session whose events are at that address of the server. */
export function connect(events: string): SessionConnection {
  return connectSession(events, { parse: (text) => JSON.parse(showDirections(text)) })
}
