import { findSubagent } from '../../../core/selectors/find.ts'
import { MAIN, type SessionConversationState } from '../../../core/state/session.ts'
import { type AISDKVersion, messageFor } from '../version.ts'
import { viewSession } from '../view/session-view.ts'
import type { SessionUIMessage } from './ui-message.ts'

/** The options of `toUIMessages`. */
export interface UIMessagesOptions {
  /** `'main'` (the default), or either id of a subagent. */
  readonly conversationId?: string
  /** The major version of `ai` that reads the messages. Version 5 knows no approvals. The default is 7. */
  readonly version?: AISDKVersion
}

/**
 * Returns a conversation as messages of the AI SDK. Each message of the person is a `user` message, and everything
 * until the next one is one `assistant` message. A subagent is a tool part of the tool `subagent`; its `output` holds
 * the messages of its own conversation. The ids follow from those of the session, so they are the same in each state.
 *
 * Throws a `RangeError` if the state has no conversation with that `conversationId`.
 */
export function toUIMessages(
  state: SessionConversationState,
  { conversationId = MAIN, version = 7 }: UIMessagesOptions = {},
): SessionUIMessage[] {
  const { main, agents } = viewSession(state, undefined)
  const readable = (messages: readonly SessionUIMessage[]) =>
    messages.map((message) => messageFor(version, message))
  if (conversationId === MAIN) return readable(main.messages)
  const found = findSubagent(state, conversationId)
  const view = agents.find(({ agent }) => agent === found)
  if (!view) throw new RangeError(`the state has no conversation ${JSON.stringify(conversationId)}`)
  return readable(view.thread.messages)
}
