import { asString, type JsonObject } from '../../../json/values.ts'
import { typeName } from '../../../session/context.ts'
import type { ClaudeContext } from '../context.ts'

/** The types of a stream's messages that hold a part of its session. The session of another message does not matter. */
const SESSION_MESSAGES: ReadonlySet<unknown> = new Set([
  'assistant',
  'result',
  'stream_event',
  'system',
  'user',
])

/**
 * Reports a message of a stream that names another session than the stream's first message, for example because two recordings were
 * joined. The source still translates the message. Lines of files name their session as `sessionId`, and resumed files may change it.
 */
export function reportOtherSession(raw: JsonObject, context: ClaudeContext): void {
  const sessionId = asString(raw.session_id)
  const { streamedSession } = context.notes
  if (sessionId === undefined || sessionId === streamedSession) return
  if (raw.sessionId !== undefined || !SESSION_MESSAGES.has(raw.type)) return
  // The client sends prompts before it knows the session: they have no uuid, and any session or none.
  if (raw.type === 'user' && raw.uuid === undefined) return
  if (streamedSession === undefined) context.remember({ streamedSession: sessionId })
  else context.reportUnknown('other-session', typeName(raw.type))
}
