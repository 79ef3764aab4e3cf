import { asObject, asString } from '../../core/json/values.ts'
import { numberOfId } from '../../core/state/numbered-id.ts'
import {
  type BlockPair,
  type Coverage,
  type ExclusionRule,
  isOtherCall,
  PROGRAM_NOTES,
  STOPPED_TEXTS,
  SUBAGENT_CONVERSATIONS,
  SYSTEM_NOTES,
} from '../coverage.ts'
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

const EXCLUSIONS: readonly ExclusionRule[] = [
  // A file has neither a text that was cut, nor a call that did not end.
  STOPPED_TEXTS,
  { kind: 'unfinished', side: 'live', applies: ({ block, other }) => isOtherCall(block, other.callIds) },
  { kind: 'turn-failure', side: 'live', applies: ({ block }) => block.type === 'error' },
  { kind: 'thinking', side: 'stored', applies: ({ block }) => block.type === 'thinking' },
  { kind: 'request', side: 'stored', applies: ({ block }) => block.type === 'request' },
  PROGRAM_NOTES,
  SYSTEM_NOTES,
  SUBAGENT_CONVERSATIONS,
]

/** The facts that the stream and the chats of Gemini CLI carry. */
export const geminiCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
  isOwnId: (id) => numberOfId(id) !== undefined,
  unknownFields,
  agentFacts: ['agentId', 'name', 'output'],
  // The call of an agent that failed succeeds.
  ownAgentFacts: ['status'],
  // The stream names the model that the person chose, and not the one that answered. A turn that failed leaves no
  // line in a file.
  ownFacts: ['model', 'outcome'],
}

/**
 * Returns the fields that each form states in its own way. The stream has the start of a text, outputs for the
 * screen, and no messages. Files have the end of a reply, and outputs for the model.
 */
function unknownFields({ live }: BlockPair): readonly string[] {
  if (live.type === 'tool_result') return ['timestamp', 'output', 'exitCode']
  return live.type === 'subagent'
    ? ['timestamp', 'messageId', 'agentId', 'name', 'output', 'status']
    : ['timestamp', 'messageId']
}
