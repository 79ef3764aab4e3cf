import type { Program, ProgramStorage } from '../program.ts'

/** Aider. It has no tools: the model writes its edits as text, and the program applies them. */
export const aider: Program = {
  names: ['aider'],
  wire: 'aider',
  tools: { agent: ['agent'] },
  fields: { command: [], path: [], prompt: 'prompt', agentType: 'type', description: 'description' },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
}

/** Aider keeps the chats of a project in the folder of the project. The shell names the one of now. */
export const aiderStorage: ProgramStorage = {
  folders: ({ variables: { PWD } }) => (PWD ? [{ path: PWD, depth: 0 }] : []),
}
