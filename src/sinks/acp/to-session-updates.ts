import type { SessionConversationState } from '../../state/session.ts'
import type { ChildSessionUpdate, SessionNotification, SessionUpdate } from './messages.ts'
import type { ReplayCapabilities, SessionUpdatesOptions } from './options.ts'
import { Replay } from './replay.ts'

/**
 * Returns a session as the `params` of the `session/update` notifications that an ACP agent sends while it answers `session/load`. They are
 * valid for ACP's protocol version 1.
 *
 * If the client knows child sessions (its capability `subagents`), each agent is a child session with all its work. Otherwise the agents'
 * tool calls are in the main session, after the call of their agent. `_meta.claudeCode.parentToolUseId` names that call, as in Claude's
 * agent. The texts of agents are not sent then, because a client would show them as those of the main conversation.
 *
 * Throws a `TypeError` if neither the options nor the state have a session id, and a `RangeError` if `contextWindow` is no whole number
 * from 1.
 */
export function toSessionUpdates(
  state: SessionConversationState,
  options?: SessionUpdatesOptions<{
    readonly subagents?: null | undefined
    readonly [name: string]: unknown
  }>,
): SessionNotification[]
/** For a client that may know child sessions. */
export function toSessionUpdates(
  state: SessionConversationState,
  options?: SessionUpdatesOptions<ReplayCapabilities>,
): SessionNotification<SessionUpdate | ChildSessionUpdate>[]
export function toSessionUpdates(
  state: SessionConversationState,
  options: SessionUpdatesOptions = {},
): SessionNotification<SessionUpdate | ChildSessionUpdate>[] {
  return new Replay(state, options).notifications()
}
