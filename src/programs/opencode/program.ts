import { type ConversationBlock, isInterruption } from '../../core/state/block.ts'
import {
  type Coverage,
  type ExclusionRule,
  PROMPTS,
  SUBAGENT_CONVERSATIONS,
  SYSTEM_NOTES,
} from '../coverage.ts'
import type { Environment, Program, ProgramStorage } from '../program.ts'
import { messageIdOfError } from './tool-result.ts'

/** OpenCode. */
export const opencode: Program = {
  names: ['opencode', 'OpenCode'],
  wire: 'opencode',
  tools: {
    command: ['bash'],
    read: ['read', 'list'],
    edit: ['edit', 'write', 'multiedit', 'patch', 'apply_patch'],
    search: ['grep', 'glob', 'codesearch', 'lsp'],
    web: ['webfetch', 'websearch'],
    todo: ['todowrite', 'todoread'],
    planMode: ['plan_enter', 'plan_exit'],
    question: ['question'],
    agent: ['task'],
  },
  fields: {
    command: ['command'],
    path: ['filePath', 'path'],
    prompt: 'prompt',
    agentType: 'subagent_type',
    description: 'description',
    resumes: 'task_id',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: true, isEndedByNext: false },
  // Up to 1.1, a file per session, message and part. From 1.2 on, all are in the database.
  resumeCommand: ['opencode', '--session'],
}

export const opencodeStorage: ProgramStorage = {
  folders: (environment) => [{ path: `${dataFolder(environment, 'opencode')}/storage/session`, depth: 1 }],
  database: {
    folder: (environment) => dataFolder(environment, 'opencode'),
    name: 'opencode.db',
    variable: 'OPENCODE_DB',
  },
}

/** Kilo, a fork of OpenCode. Its lines do not name it: its database does, and the types of events that OpenCode does not send. */
export const kilo: Program = /* @__PURE__ */ forkOf(opencode)

function forkOf({ tools, ...program }: Program): Program {
  return {
    ...program,
    names: ['kilo'],
    resumeCommand: ['kilo', '--session'],
    eventTypes: [
      'indexing.status',
      'sandbox.status.changed',
      'session.drain.interrupted',
      'session.drained',
      'session.turn.close',
      'session.turn.open',
    ],
    tools: {
      ...tools,
      command: [...(tools.command ?? []), 'background_process'],
      search: [...(tools.search ?? []), 'kilo_local_recall'],
      agentControl: ['board_post', 'board_read'],
    },
  }
}

export const kiloStorage: ProgramStorage = {
  folders: () => [],
  database: {
    folder: (environment) => dataFolder(environment, 'kilo'),
    name: 'kilo.db',
    variable: 'KILO_DB',
  },
}

/** Returns the folder for the data of a program that follows the XDG directories, on every system. */
function dataFolder({ home, variables }: Environment, program: string): string {
  return `${variables.XDG_DATA_HOME || `${home}/.local/share`}/${program}`
}

const EXCLUSIONS: readonly ExclusionRule[] = [
  PROMPTS,
  SYSTEM_NOTES,
  // Only the call of a request is stored. It shows an answered question or a refusal as soon as it has ended.
  {
    kind: 'request',
    side: 'live',
    applies: ({ block }) => block.type === 'request',
  },
  // A failure while no message was open has no message's error id, and no file has it.
  {
    kind: 'turn-failure',
    side: 'live',
    applies: ({ block }) => isFailure(block) && messageIdOfError(block.id) === undefined,
  },
  {
    kind: 'thinking',
    side: 'stored',
    applies: ({ block, isMain, other }) => isMain && block.type === 'thinking' && !other.hasThinking,
  },
  SUBAGENT_CONVERSATIONS,
]

/** The facts that the streams and the files of OpenCode carry. */
export const opencodeCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  // `opencode run` prints a call when it has finished. It is the one stream without prompts.
  callsArriveAsTheyFinish: (live) => !live.hasPrompts,
  timesEveryCall: true,
}

function isFailure(block: ConversationBlock): boolean {
  return block.type === 'error' || isInterruption(block)
}
