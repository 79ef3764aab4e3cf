import { omitUndefined } from '../core/json/fields.ts'

/** The headers of a request: those of a `Request`, or of `node:http`. */
export type RequestHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** The ids that a program sends with its requests. */
export interface RequestIds {
  readonly sessionId: string
  /** The agent that sends the request. Main's id is that of its session, or thread. */
  readonly agentId: string
  /** Absent for main. */
  readonly parentAgentId?: string
}

/**
 * Returns the ids in the headers of Claude Code, OpenCode and Codex, or undefined if they have none. A program that
 * compacts a conversation keeps its ids, so the agent stays the same.
 */
export function requestIds(headers: RequestHeaders): RequestIds | undefined {
  const get = (name: string): string | undefined => {
    if (headers instanceof Headers) return headers.get(name) || undefined
    const key = Object.keys(headers).find((each) => each.toLowerCase() === name)
    const value = key === undefined ? undefined : headers[key]
    return (typeof value === 'string' ? value : value?.[0]) || undefined
  }
  return claudeIds(get) ?? codexIds(get) ?? opencodeIds(get)
}

type Get = (name: string) => string | undefined

function claudeIds(get: Get): RequestIds | undefined {
  const sessionId = get('x-claude-code-session-id')
  if (sessionId === undefined) return undefined
  const agentId = get('x-claude-code-agent-id')
  if (agentId === undefined) return { sessionId, agentId: sessionId }
  return { sessionId, agentId, parentAgentId: get('x-claude-code-parent-agent-id') ?? sessionId }
}

/** Each agent of Codex is a thread. */
function codexIds(get: Get): RequestIds | undefined {
  const agentId = get('thread-id') ?? get('thread_id') ?? get('conversation_id')
  const sessionId = get('session-id') ?? get('session_id') ?? agentId
  if (agentId === undefined || sessionId === undefined) return undefined
  return omitUndefined({ sessionId, agentId, parentAgentId: get('x-codex-parent-thread-id') })
}

/** Each agent of OpenCode is a session. */
function opencodeIds(get: Get): RequestIds | undefined {
  const agentId = get('x-session-id') ?? get('x-session-affinity')
  if (agentId === undefined) return undefined
  const parentAgentId = get('x-parent-session-id')
  return omitUndefined({ sessionId: parentAgentId ?? agentId, agentId, parentAgentId })
}
