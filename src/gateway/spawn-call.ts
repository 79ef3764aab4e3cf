import { omitUndefined } from '../core/json/fields.ts'
import { asObject, asString, parseJson } from '../core/json/values.ts'
import { UNKNOWN_NAME } from '../core/lineage/claims/claim.ts'
import { agentCallFacts, isAgentTool } from '../programs/all.ts'

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
