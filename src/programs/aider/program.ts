import type { Program, ProgramStorage } from '../program.ts'

/** Aider. It has no tools: the model writes its edits as text, and the program applies them. */
export const aider: Program = {
  names: ['aider'],
  wire: 'aider',
  tools: { agent: ['agent'] },
  fields: { command: [], path: [], prompt: 'prompt', agentType: 'subagent_type', description: 'description' },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
}

/**
 * Aider keeps the chats of a project in the folder of the project, so no list of places has them all. It has those of the
 * home folder, and those of the file that the person has chosen.
 */
export const aiderStorage: ProgramStorage = {
  folders: () => [],
  files: ({ home, variables: { AIDER_CHAT_HISTORY_FILE } }) => [
    AIDER_CHAT_HISTORY_FILE || `${home}/.aider.chat.history.md`,
  ],
}
