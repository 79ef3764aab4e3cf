import type { Program, ProgramStorage } from '../program.ts'

/** Qwen Code. */
export const qwen: Program = {
  names: ['qwen', 'qwen-code'],
  wire: 'qwen',
  tools: {
    command: ['run_shell_command', 'monitor'],
    read: ['read_file', 'read_many_files', 'list_directory', 'zoom_image', 'read_mcp_resource'],
    edit: ['write_file', 'edit', 'replace', 'notebook_edit'],
    search: ['grep_search', 'search_file_content', 'glob', 'tool_search'],
    web: ['web_fetch', 'web_search'],
    todo: ['todo_write'],
    planMode: ['exit_plan_mode', 'enter_plan_mode'],
    question: ['ask_user_question'],
    agent: ['agent', 'task'],
    agentControl: ['send_message', 'task_stop', 'list_agents'],
  },
  fields: {
    command: ['command'],
    path: ['file_path', 'absolute_path', 'path'],
    prompt: 'prompt',
    agentType: 'subagent_type',
    description: 'description',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: false },
  resumeCommand: ['qwen', '--resume'],
}

export const qwenStorage: ProgramStorage = {
  folders: ({ home, variables: { QWEN_RUNTIME_DIR, QWEN_HOME } }) => [
    { path: `${QWEN_RUNTIME_DIR || QWEN_HOME || `${home}/.qwen`}/projects`, depth: 2 },
  ],
}
