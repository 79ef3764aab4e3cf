import type { Program, ProgramStorage } from '../program.ts'

/** Continue: its command line, and its extensions, which write the same files. */
export const continueProgram: Program = {
  names: ['continue', 'continue-cli'],
  wire: 'continue',
  tools: {
    command: ['Bash', 'CheckBackgroundJob', 'run_terminal_command'],
    read: [
      'Read',
      'List',
      'Diff',
      'read_file',
      'read_file_range',
      'read_currently_open_file',
      'ls',
      'view_diff',
    ],
    edit: [
      'Edit',
      'MultiEdit',
      'Write',
      'edit_existing_file',
      'single_find_and_replace',
      'multi_edit',
      'create_new_file',
    ],
    search: ['Search', 'grep_search', 'file_glob_search', 'codebase'],
    web: ['Fetch', 'fetch_url_content', 'search_web'],
    todo: ['Checklist'],
    question: ['AskQuestion'],
    agent: ['Subagent'],
  },
  fields: {
    command: ['command'],
    path: ['file_path', 'filepath', 'dirpath', 'dirPath', 'path'],
    prompt: 'prompt',
    agentType: 'subagent_name',
    description: 'description',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
}

export const continueStorage: ProgramStorage = {
  folders: ({ home, variables }) => [
    { path: `${variables.CONTINUE_GLOBAL_DIR || `${home}/.continue`}/sessions`, depth: 0 },
  ],
}
