import type { Program, ProgramStorage } from '../program.ts'

/** GitHub Copilot CLI, and the Copilot SDK, which runs it. */
export const copilot: Program = {
  names: ['copilot', 'Copilot'],
  wire: 'copilot',
  adapter: { name: 'Copilot', metaKeys: ['github.com/copilot'] },
  tools: {
    command: [
      'local_shell',
      ...['bash', 'read_bash', 'write_bash', 'stop_bash', 'list_bash'],
      ...['powershell', 'read_powershell', 'write_powershell', 'stop_powershell', 'list_powershell'],
    ],
    read: ['view'],
    edit: ['edit', 'create', 'apply_patch', 'str_replace_editor'],
    search: ['grep', 'glob', 'rg', 'lsp'],
    web: ['web_fetch', 'web_search'],
    // The plan is a table of the session's database.
    todo: ['sql', 'update_todo'],
    planMode: ['exit_plan_mode'],
    question: ['ask_user'],
    agent: ['task'],
    agentControl: ['read_agent', 'write_agent', 'list_agents', 'stop_agent'],
  },
  fields: {
    command: ['command'],
    path: ['path'],
    prompt: 'prompt',
    agentType: 'agent_type',
    description: 'description',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
  resumeCommand: ['copilot', '--resume'],
}

export const copilotStorage: ProgramStorage = {
  isPrivate: true,
  folders: ({ home, variables }) => [
    { path: `${variables.COPILOT_HOME || `${home}/.copilot`}/session-state`, depth: 1 },
  ],
}
