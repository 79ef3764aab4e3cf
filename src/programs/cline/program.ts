import type { Program, ProgramStorage } from '../program.ts'

/** The tool that starts an agent, which ends with its call. */
export const SPAWN_AGENT = 'spawn_agent'

/** The tool that gives a task to a teammate. Each task is a run of its own. */
export const RUN_TASK = 'team_run_task'

/** The types of agents. The program has no names for them. */
export const SUBAGENT = 'subagent'
export const TEAMMATE = 'teammate'

/** Cline CLI. */
export const cline: Program = {
  names: ['cline'],
  wire: 'cline',
  tools: {
    command: ['run_commands'],
    read: ['read_files'],
    edit: ['editor', 'apply_patch'],
    search: ['search_codebase'],
    web: ['fetch_web_content'],
    question: ['ask_question'],
    agent: [SPAWN_AGENT, RUN_TASK],
    agentControl: ['team_spawn_teammate', 'team_shutdown_teammate', 'team_send_message', 'team_cancel_run'],
  },
  fields: {
    command: ['commands'],
    path: ['path', 'files'],
    prompt: 'task',
    agentType: 'subagent_type',
    description: 'description',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: false },
  // `sessions/<session>/<session>.messages.json`
}

export const clineStorage: ProgramStorage = {
  folders({ home, variables: { CLINE_SESSION_DATA_DIR, CLINE_DATA_DIR, CLINE_DIR } }) {
    const data = CLINE_DATA_DIR || `${CLINE_DIR || `${home}/.cline`}/data`
    return [{ path: CLINE_SESSION_DATA_DIR || `${data}/sessions`, depth: 1 }]
  },
}
