import type { SessionConversationState } from 'agentfold'
import { restore } from 'agentfold/sync'
import { showDirections } from '../../redaction/printable.ts'

/** Returns the session that the file has with it; undefined if a server sends it. */
export function embeddedState(): SessionConversationState | undefined {
  const text = document.getElementById('session')?.textContent
  return text ? restore(JSON.parse(showDirections(text))).state : undefined
}
