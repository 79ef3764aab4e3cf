import type { CommandMaker } from './command.ts'
import { identifyCommand } from './identify.ts'
import { parityCommand } from './parity.ts'
import { replayCommand } from './replay.ts'
import { serveCommand } from './serve.ts'

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandMaker[] = [replayCommand, serveCommand, parityCommand, identifyCommand]
