import type { Program, ProgramStorage } from '../program.ts'

/** Mistral Vibe. */
export const vibe: Program = {
  names: ['vibe', 'mistral-vibe'],
  wire: 'vibe',
  tools: {
    command: ['bash', 'bash_output', 'kill_shell'],
    read: ['read_file', 'read', 'ls', 'read_image'],
    edit: ['write_file', 'search_replace', 'edit', 'notebook_edit'],
    search: ['grep', 'glob', 'ast_grep'],
    web: ['web_search', 'web_fetch'],
    todo: ['todo'],
    planMode: ['enter_plan_mode', 'exit_plan_mode'],
    question: ['ask_user_question'],
    agent: ['task'],
  },
  fields: {
    command: ['command'],
    path: ['path', 'file_path'],
    prompt: 'task',
    agentType: 'agent',
    description: 'description',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
  resumeCommand: ['vibe', '--resume'],
}

export const vibeStorage: ProgramStorage = {
  folders: ({ home, variables }) => [
    { path: `${variables.VIBE_HOME || `${home}/.vibe`}/logs/session`, depth: 1 },
  ],
}
