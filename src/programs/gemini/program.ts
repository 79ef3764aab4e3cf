import type { Program, ProgramStorage } from '../program.ts'
import { AGENT_TOOLS } from './agent-call.ts'

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
