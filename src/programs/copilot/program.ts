import { type Coverage, type ExclusionRule, PROGRAM_NOTES, STOPPED_TEXTS, SYSTEM_NOTES } from '../coverage.ts'
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

const EXCLUSIONS: readonly ExclusionRule[] = [
  SYSTEM_NOTES,
  STOPPED_TEXTS,
  // The output of a command that was stopped is in no file. Only a result has a time.
  {
    kind: 'unfinished',
    side: 'live',
    applies: ({ block }) => block.type === 'tool_result' && block.timestamp === undefined,
  },
  PROGRAM_NOTES,
  // `copilot -p` prints neither compactions nor skills.
  {
    kind: 'program-note',
    side: 'stored',
    applies: ({ block }) =>
      block.type === 'skill_load' || (block.type === 'system' && block.subtype === 'compaction'),
  },
  // The file has the result of the call that asked.
  {
    kind: 'request',
    side: 'live',
    applies: ({ block }) => block.type === 'request' && block.kind === 'question',
  },
]

/** The facts that the streams and the file of Copilot carry. */
export const copilotCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
  streamMayLackTokens: true,
}
