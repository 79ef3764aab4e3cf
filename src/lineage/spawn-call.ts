import { isAgentTool } from '../formats/all.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { asObject, asString } from '../json/values.ts'
import { UNKNOWN_NAME } from './claim.ts'

/** A tool call that starts an agent. */
export interface SpawnCall {
  /** `unknown` where the call does not say. */
  readonly agentName: string
  readonly prompt?: string
  /** The agent that goes on, where the call asks for one that has run before: then no new one starts if the host knows it. */
  readonly resumes?: string
}

/** The tools of gateways in RFC 00033. Each format names the tools of its own program. */
const GATEWAY_TOOLS: ReadonlySet<string> = new Set(['runSubagent', 'run_subagent'])

/** Returns what a tool call starts, or null if it starts no agent. The name is the first of agentName, mode and subagent_type. */
export function spawnCall(toolName: string, input: unknown): SpawnCall | null {
  if (!GATEWAY_TOOLS.has(toolName) && !isAgentTool(toolName)) return null
  const { agentName, mode, subagent_type, prompt, resume, task_id } = asObject(input)
  return omitUndefined({
    agentName: asString(agentName) ?? asString(mode) ?? asString(subagent_type) ?? UNKNOWN_NAME,
    prompt: asString(prompt),
    resumes: asString(resume) ?? asString(task_id),
  })
}
