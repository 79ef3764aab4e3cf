import type { Program, ProgramStorage } from '../program.ts'

/** Kiro CLI. */
export const kiro: Program = {
  names: ['kiro', 'kiro-cli'],
  wire: 'kiro',
  tools: {
    command: ['shell', 'execute_bash', 'execute_cmd'],
    read: ['read', 'fs_read', 'code', 'image_read'],
    edit: ['write', 'fs_write'],
    search: ['grep', 'glob', 'knowledge'],
    web: ['web_search', 'web_fetch'],
    todo: ['todo_list', 'todo'],
    agent: ['subagent', 'use_subagent', 'delegate'],
  },
  fields: {
    command: ['command'],
    path: ['path'],
    prompt: 'prompt',
    agentType: 'agent',
    description: '__tool_use_purpose',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
  resumeCommand: ['kiro-cli', 'chat', '--resume-id'],
}

export const kiroStorage: ProgramStorage = {
  folders: ({ home, variables }) => [
    { path: `${variables.KIRO_HOME || `${home}/.kiro`}/sessions/cli`, depth: 0 },
  ],
}
