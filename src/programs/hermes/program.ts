import type { Environment, Program, ProgramStorage } from '../program.ts'

/** Hermes Agent. */
export const hermes: Program = {
  names: ['hermes', 'hermes-agent'],
  wire: 'hermes',
  tools: {
    command: ['terminal', 'process', 'execute_code'],
    read: ['read_file', 'skill_view'],
    edit: ['write_file', 'patch'],
    search: ['search_files', 'session_search'],
    web: ['web_search', 'web_extract', 'browser_navigate'],
    todo: ['todo'],
    question: ['clarify'],
    agent: ['delegate_task'],
  },
  fields: {
    command: ['command'],
    path: ['path'],
    prompt: 'goal',
    // The field is `role`, which other inputs have too.
    agentType: 'subagent_type',
    description: 'description',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
  resumeCommand: ['hermes', '--resume'],
}

export const hermesStorage: ProgramStorage = {
  folders: () => [],
  database: { name: 'state.db', folder: homeOf, variable: 'HERMES_STATE_DB' },
}

/** Only Windows has the variable. */
function homeOf({ home, variables: { HERMES_HOME, LOCALAPPDATA } }: Environment): string {
  return HERMES_HOME || (LOCALAPPDATA ? `${LOCALAPPDATA}/hermes` : `${home}/.hermes`)
}
