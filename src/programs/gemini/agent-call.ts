import { asObject, asString } from '../../core/json/values.ts'

/** The agents of the program itself. Before 0.39, each one is a tool, and takes its prompt under a name of its own. */
export const AGENT_TOOLS = ['codebase_investigator', 'generalist', 'cli_help', 'introspection_agent'] as const

/** The facts in a call that starts an agent. */
interface AgentCall {
  readonly prompt: string | undefined
  readonly agentType: string | undefined
}

/** Reads the input of a call that starts an agent. */
export function readAgentCall(toolName: string, input: unknown): AgentCall {
  const { prompt, objective, request, question, agent_name } = asObject(input)
  const ownType = AGENT_TOOLS.find((name) => name === toolName)
  return {
    prompt: asString(prompt ?? objective ?? request ?? question),
    agentType: asString(agent_name) ?? ownType,
  }
}
