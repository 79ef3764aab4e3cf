import type { Program, ProgramStorage } from '../program.ts'

/** Factory Droid. */
export const droid: Program = {
  names: ['droid', 'factory-droid', 'factory'],
  wire: 'droid',
  tools: {
    command: ['Execute', 'TaskOutput', 'KillProcess'],
    read: ['Read', 'LS', 'view_file', 'view_folder'],
    edit: ['Edit', 'Create', 'MultiEdit', 'ApplyPatch'],
    search: ['Grep', 'Glob', 'ToolSearch'],
    web: ['WebSearch', 'FetchUrl'],
    todo: ['TodoWrite'],
    planMode: ['ExitSpecMode'],
    question: ['AskUser'],
    agent: ['Task'],
    agentControl: ['TaskStop'],
  },
  fields: {
    command: ['command'],
    path: ['file_path', 'path', 'directory_path', 'folder'],
    prompt: 'prompt',
    agentType: 'subagent_type',
    description: 'description',
    resumes: 'resume',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
  resumeCommand: ['droid', '--resume'],
}

export const droidStorage: ProgramStorage = {
  folders: ({ home, variables }) => [
    { path: `${variables.FACTORY_HOME_OVERRIDE || home}/.factory/sessions`, depth: 1 },
  ],
}
