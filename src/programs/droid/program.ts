import {
  type Coverage,
  type ExclusionRule,
  PROGRAM_NOTES,
  STOPPED_TEXTS,
  SUBAGENT_CONVERSATIONS,
  SYSTEM_NOTES,
} from '../coverage.ts'
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

const EXCLUSIONS: readonly ExclusionRule[] = [
  STOPPED_TEXTS,
  // The stream has no reminders and no notices of the program, and nothing of its agents.
  PROGRAM_NOTES,
  SYSTEM_NOTES,
  SUBAGENT_CONVERSATIONS,
]

/** The facts that the stream and the files of Factory Droid carry. */
export const droidCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
  // Both sides have a time of their own for each message. The stream names the model once.
  unknownFields: ({ live }) => (live.type === 'subagent' ? ['timestamp', 'agentId'] : ['timestamp', 'model']),
  // Only the end of the stream has tokens, and those of agents are among them.
  streamMayLackTokens: true,
  streamSumsAgents: true,
  agentFacts: ['agentId', 'durationMs'],
  ownFacts: ['model'],
}
