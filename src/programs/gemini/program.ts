import { asObject, asString } from '../../core/json/values.ts'
import type { Program, ProgramStorage } from '../program.ts'

/** The agents of the program itself. Before 0.39, each one is a tool, and takes its prompt under a name of its own. */
const AGENT_TOOLS = ['codebase_investigator', 'generalist', 'cli_help', 'introspection_agent'] as const

/** Gemini CLI. */
export const gemini: Program = {
  names: ['gemini', 'gemini-cli'],
  wire: 'gemini',
  tools: {
    command: ['run_shell_command', 'list_background_processes', 'read_background_output'],
    read: ['read_file', 'read_many_files', 'list_directory'],
    edit: ['write_file', 'replace'],
    search: ['grep_search', 'search_file_content', 'glob'],
    web: ['google_web_search', 'web_fetch'],
    todo: ['write_todos'],
    planMode: ['enter_plan_mode', 'exit_plan_mode'],
    question: ['ask_user'],
    agent: ['invoke_agent', ...AGENT_TOOLS],
    agentControl: ['complete_task'],
  },
  fields: {
    command: ['command'],
    path: ['file_path', 'dir_path', 'path'],
    prompt: 'prompt',
    agentType: 'agent_name',
    description: 'description',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: false },
  resumeCommand: ['gemini', '--resume'],
}

export const geminiStorage: ProgramStorage = {
  folders: ({ home, variables }) => [{ path: `${variables.GEMINI_CLI_HOME || home}/.gemini/tmp`, depth: 2 }],
}

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
