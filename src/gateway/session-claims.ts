import { hashUserMessage } from '../core/identity/hashes.ts'
import { omitUndefined } from '../core/json/fields.ts'
import { asObject, asString, parseJson } from '../core/json/values.ts'
import { type NewClaim, UNKNOWN_NAME } from '../core/lineage/claims.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import { agentCallFacts, isAgentTool } from '../programs/all.ts'
import { agentTypeHashOf, type IdentifySessionOptions, identifySession } from './identify-session.ts'

/** The options of `sessionClaims`. */
export interface SessionClaimsOptions extends IdentifySessionOptions {
  /** Returns the gateway's id of a conversation's agent. The default is the id in the session, such as `main`. */
  readonly agentIdOf?: (conversationId: string) => string
}

/**
 * Returns one claim for each subagent whose parent is known. A gateway that makes these claims links its requests as
 * the session does. A gateway that sees several sessions needs `agentIdOf`.
 */
export function sessionClaims(
  state: SessionConversationState,
  { agentIdOf = (conversationId) => conversationId, ...options }: SessionClaimsOptions,
): readonly NewClaim[] {
  const conversations = new Map(identifySession(state, options).map((each) => [each.conversationId, each]))
  return state.subagents.flatMap(({ toolUseId, parentConversationId, name, prompt }) => {
    if (parentConversationId === undefined) return []
    const parent = conversations.get(parentConversationId)
    return [
      omitUndefined({
        parentAgentId: agentIdOf(parentConversationId),
        parentConversationHash: parent?.identity?.conversationHash,
        parentAgentTypeHash: agentTypeHashOf(options, parent?.name),
        expectedChildAgentName: name ?? UNKNOWN_NAME,
        promptHash: prompt === undefined ? undefined : hashUserMessage(prompt),
        toolUseId,
      }),
    ]
  })
}

/** A tool call that starts an agent. */
export interface SpawnCall {
  /** `unknown` if the call has no name. */
  readonly agentName: string
  readonly prompt?: string
  /** The id of the agent that the call resumes. If the host knows that agent, no new agent starts. */
  readonly resumes?: string
}

/** The gateway tools of RFC 00033, and names that several frameworks use. Each program lists its own tools. */
const GATEWAY_TOOLS: ReadonlySet<string> = new Set([
  'runSubagent',
  'run_subagent',
  'dispatch_agent',
  'new_task',
  'handoff',
])

/** Options of `spawnCall`. */
export interface SpawnCallOptions {
  /** The names of further tools that start an agent. */
  readonly tools?: readonly string[]
}

/**
 * Reads a tool call that starts an agent; null for any other call. The name is the first of agentName, mode and the
 * program's own field. The input is an object, or its JSON as some APIs send it.
 */
export function spawnCall(
  toolName: string,
  input: unknown,
  { tools = [] }: SpawnCallOptions = {},
): SpawnCall | null {
  if (!GATEWAY_TOOLS.has(toolName) && !isAgentTool(toolName) && !tools.includes(toolName)) return null
  const fields = asObject(typeof input === 'string' ? parseJson(input) : input)
  const { agentName, mode } = fields
  const { agentType, prompt, resumes } = agentCallFacts(fields)
  return omitUndefined({
    agentName: asString(agentName) ?? asString(mode) ?? agentType ?? UNKNOWN_NAME,
    prompt,
    resumes,
  })
}
