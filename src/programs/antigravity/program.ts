import type { Program, ProgramStorage } from '../program.ts'

/** Antigravity, with its command line. */
export const antigravity: Program = {
  names: ['antigravity', 'antigravity-cli'],
  wire: 'antigravity',
  tools: {
    command: ['run_command', 'command_status', 'send_command_input'],
    read: ['view_file', 'view_code_item', 'view_file_outline', 'list_dir', 'view_content_chunk'],
    edit: ['write_to_file', 'replace_file_content', 'multi_replace_file_content'],
    search: ['grep_search', 'find_by_name', 'codebase_search'],
    web: ['search_web', 'read_url_content'],
    planMode: ['task_boundary'],
    question: ['notify_user'],
    agent: ['invoke_subagent', 'browser_subagent'],
    agentControl: ['send_message', 'manage_subagents'],
  },
  fields: {
    command: ['CommandLine'],
    path: ['TargetFile', 'AbsolutePath', 'DirectoryPath', 'SearchPath'],
    prompt: 'Prompt',
    agentType: 'TypeName',
    description: 'Role',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
}

export const antigravityStorage: ProgramStorage = {
  folders: ({ home }) => [
    { path: `${home}/.gemini/antigravity-cli/brain`, depth: 3 },
    { path: `${home}/.gemini/antigravity/brain`, depth: 3 },
  ],
}
