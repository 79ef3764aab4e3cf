import type { Environment, Program, ProgramStorage } from '../program.ts'

/** The tool that OpenCode runs in the place of one that it does not have. It completes, and tells the model what is wrong. */
export const UNKNOWN_TOOL = 'invalid'

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
