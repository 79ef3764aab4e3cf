import type { SessionConversationState } from '../../core/state/session.ts'

/** The client's capabilities that decide what a replay holds. */
export interface ReplayCapabilities {
  /** An object, even an empty one, means that the client knows child sessions. This part of ACP is unstable. */
  readonly subagents?: object | null | undefined
  /** The other capabilities of the client, so that its whole list can be passed. */
  readonly [name: string]: unknown
}

/** Facts for a replay that the state does not have. */
export interface SessionUpdatesOptions<Capabilities = ReplayCapabilities> {
  /** The id of the session that the client loads. The default is the program's own id, `state.session.id`. */
  readonly sessionId?: string
  /** The `clientCapabilities` of the client's `initialize` request. Without them, no child sessions are sent. */
  readonly clientCapabilities?: Capabilities
  /** The title of the session. Without it, the client keeps the title that it has. */
  readonly title?: string
  /**
   * The number of tokens that the model's context can hold. The default is `state.session.contextWindow`. Without either, no usage is sent,
   * because ACP requires this number.
   */
  readonly contextWindow?: number
}

/** Returns the id of the session. Throws a `TypeError` if neither the options nor the state have one. */
export function sessionIdOf({ session }: SessionConversationState, options: SessionUpdatesOptions): string {
  const sessionId = options.sessionId ?? session.id
  if (sessionId === undefined) throw new TypeError('the state has no session id: pass it as sessionId')
  return sessionId
}

/** Whether the client knows child sessions. */
export function knowsChildSessions({ clientCapabilities }: SessionUpdatesOptions): boolean {
  return typeof clientCapabilities?.subagents === 'object' && clientCapabilities.subagents !== null
}
