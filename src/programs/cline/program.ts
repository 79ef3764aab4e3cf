import {
  type Coverage,
  type ExclusionRule,
  PROGRAM_NOTES,
  PROMPTS,
  STOPPED_TEXTS,
  SUBAGENT_CONVERSATIONS,
  SUBAGENT_PROMPTS,
  SYSTEM_NOTES,
} from '../coverage.ts'
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

const EXCLUSIONS: readonly ExclusionRule[] = [
  STOPPED_TEXTS,
  PROMPTS,
  // The stream does not repeat the prompts of agents either, and has no notices of the program.
  SUBAGENT_PROMPTS,
  PROGRAM_NOTES,
  SYSTEM_NOTES,
  SUBAGENT_CONVERSATIONS,
]

/** The facts that the stream and the files of Cline CLI carry. */
export const clineCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
  // Files have the time of a whole message, and no durations.
  unknownFields: ({ live }) =>
    live.type === 'subagent' ? ['timestamp', 'agentId', 'durationMs'] : ['timestamp', 'durationMs'],
  agentFacts: ['agentId', 'durationMs'],
  // The stream has the id of no session. A turn that was stopped leaves no line in a file.
  ownFacts: ['model', 'outcome'],
}
