import { isModelText } from '../../core/state/block.ts'
import {
  type Coverage,
  type ExclusionRule,
  PROGRAM_NOTES,
  SUBAGENT_CONVERSATIONS,
  SYSTEM_NOTES,
} from '../coverage.ts'
import type { Program, ProgramStorage } from '../program.ts'

/** The program's name for itself. No line states it. */
export const PI = 'pi'

const shared: Omit<Program, 'names'> = {
  wire: 'pi',
  tools: {
    command: ['bash'],
    read: ['read', 'ls'],
    edit: ['edit', 'write'],
    search: ['grep', 'find'],
    todo: ['todo'],
    agent: ['subagent'],
  },
  fields: {
    command: ['command'],
    path: ['path'],
    prompt: 'task',
    agentType: 'agent',
    description: 'description',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
}

/** Pi, the coding agent. Its agents come from extensions. */
export const pi: Program = {
  ...shared,
  names: [PI],
  // A folder per project, with one file per session.
  resumeCommand: ['pi', '--session'],
}

/** Oh My Pi, a fork of Pi. Lines that Pi does not have name it. */
export const ohMyPi: Program = {
  ...shared,
  names: ['oh-my-pi', 'omp'],
  eventTypes: [
    'advisor_cost_changed',
    'credential_pin',
    'mode_change',
    'model_usage',
    'reset_boundary',
    'service_tier_change',
    'session_init',
    'title',
    'title_change',
    'todo_reminder',
    'ttsr_injection',
  ],
  tools: {
    ...shared.tools,
    edit: ['edit', 'write', 'ast_edit'],
    search: ['grep', 'glob'],
    web: ['web_search'],
    agent: ['task'],
    agentControl: ['hub', 'yield'],
  },
  resumeCommand: ['omp', '--resume'],
}

/**
 * OpenClaw, which keeps the sessions of its agents in Pi's format. A line that names the end of the conversation is
 * its own. It resumes a session by a key of its gateway, which no line states.
 */
export const openClaw: Program = {
  ...shared,
  names: ['openclaw'],
  eventTypes: ['leaf'],
}

export const piStorage: ProgramStorage = {
  folders({ home, variables: { PI_CODING_AGENT_SESSION_DIR, PI_CODING_AGENT_DIR } }) {
    // Only the program's own folder has one for each project.
    return PI_CODING_AGENT_SESSION_DIR
      ? [{ path: PI_CODING_AGENT_SESSION_DIR, depth: 0 }]
      : [{ path: `${PI_CODING_AGENT_DIR || `${home}/.pi/agent`}/sessions`, depth: 1 }]
  },
}

export const ohMyPiStorage: ProgramStorage = {
  folders: ({ home }) => [{ path: `${home}/.omp/agent/sessions`, depth: 1 }],
}

export const openClawStorage: ProgramStorage = {
  folders: ({ home }) => [{ path: `${home}/.openclaw/agents`, depth: 2 }],
}

const EXCLUSIONS: readonly ExclusionRule[] = [
  // A reply is stored when it is whole.
  {
    kind: 'interrupted-text',
    side: 'live',
    applies: ({ block, isCut, isStopped }) =>
      (isCut || isStopped) &&
      (isModelText(block) || (block.type === 'tool_use' && block.inputText !== undefined)),
  },
  // No file has the output of a tool so far.
  {
    kind: 'unfinished',
    side: 'live',
    applies: ({ block, other }) => block.type === 'tool_result' && other.callIds.has(block.toolUseId),
  },
  // A stream does not show that the person moves in the tree.
  { kind: 'abandoned-branch', side: 'live', applies: ({ block, other }) => other.branchIds.has(block.id) },
  SYSTEM_NOTES,
  // Only the result of the call that has asked is stored.
  { kind: 'request', side: 'live', applies: ({ block }) => block.type === 'request' },
  // A stream has no summary of a branch.
  PROGRAM_NOTES,
  SUBAGENT_CONVERSATIONS,
]

/** The facts that the streams and the files of Pi carry. */
export const piCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
  ownFacts: ['cost'],
}
