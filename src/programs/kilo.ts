import { dataFolder } from './data-folder.ts'
import { opencode } from './opencode/program.ts'
import type { Program, ProgramStorage } from './program.ts'

/** Kilo, a fork of OpenCode. Its lines do not name it: its database does, and the types of events that OpenCode does not send. */
export const kilo: Program = /* @__PURE__ */ forkOf(opencode)

function forkOf({ tools, ...program }: Program): Program {
  return {
    ...program,
    names: ['kilo'],
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
