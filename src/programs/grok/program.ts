import type { Program, ProgramStorage } from '../program.ts'

/** Grok Build. It speaks ACP, and writes the messages of its sessions as lines of ACP. */
export const grok: Program = {
  names: ['grok'],
  wire: 'acp',
  adapter: { name: 'grok', metaKeys: ['x.ai/', '_x.ai/', 'grokShell', 'agentTimestampMs'] },
  tools: {
    command: ['run_terminal_command'],
    read: ['read_file'],
    edit: ['search_replace', 'write'],
    search: ['search_tool'],
    todo: ['todo_write'],
    question: ['ask_user_question'],
    agent: ['spawn_subagent'],
    agentControl: ['get_command_or_subagent_output'],
  },
  fields: {
    command: ['command'],
    path: ['target_file', 'file_path'],
    prompt: 'prompt',
    agentType: 'subagent_type',
    description: 'description',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: false },
}

export const grokStorage: ProgramStorage = {
  folders: ({ home, variables }) => [
    { path: `${variables.GROK_HOME || `${home}/.grok`}/sessions`, depth: 2 },
  ],
}
