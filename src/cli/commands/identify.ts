import { Command } from 'commander'
import type { Architecture } from '../../programs/program.ts'
import { type AgentTypeFiles, identify, renderIdentities } from '../identify.ts'
import { readPath } from '../read-path.ts'
import { findReference } from '../session-reference.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { toJson } from '../terminal/text.ts'
import { type CommandMaker, formatOption, inputsHelp, SESSION_ARGUMENT } from './command.ts'

interface IdentifyOptions extends AgentTypeFiles {
  readonly json?: true
  readonly format?: Architecture
}

/** `agentfold identify`: the exit code is 1 if a file cannot be read, is empty or is not a transcript. */
export const identifyCommand: CommandMaker = ({ terminal, execute }) =>
  new Command('identify')
    .summary('print the hash of each conversation')
    .description(
      'Prints the hash of each conversation of a session, and the hash of the one that started it.',
    )
    .argument('<session>', SESSION_ARGUMENT)
    .option('--system-prompt <file>', "the agents' system prompt; the default is an empty one")
    .option('--tools <file>', 'a JSON list of their tools; the default is an empty list')
    .option('--json', 'print the result as JSON')
    .addOption(formatOption())
    .addHelpText('after', inputsHelp())
    .action((name: string, options: IdentifyOptions) =>
      execute(() => printIdentities(name, options, terminal)),
    )

async function printIdentities(
  name: string,
  { json, format, ...files }: IdentifyOptions,
  terminal: Terminal,
): Promise<number> {
  const { path } = await findReference(name, terminal)
  const { state, issues } = await readPath({ path, format }, terminal)
  const identities = { ...(await identify(state, files)), issues }
  terminal.write(json ? `${toJson(identities, 2)}\n` : renderIdentities({ ...identities, state }))
  return 0
}
