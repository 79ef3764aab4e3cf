import type { CommandMaker } from './command.ts'
import { continueCommand } from './continue.ts'
import { followCommand } from './follow.ts'
import { identifyCommand } from './identify.ts'
import { listCommand } from './list.ts'
import { parityCommand } from './parity.ts'
import { replayCommand } from './replay.ts'
import { searchCommand } from './search.ts'
import { serveCommand } from './serve.ts'
import { showCommand } from './show.ts'

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandMaker[] = [
  listCommand,
  showCommand,
  followCommand,
  searchCommand,
  serveCommand,
  replayCommand,
  parityCommand,
  identifyCommand,
  continueCommand,
]
