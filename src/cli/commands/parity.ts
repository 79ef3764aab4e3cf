import { Command } from 'commander'
import { compareSessions } from '../../parity/compare.ts'
import { renderParity } from '../parity-view.ts'
import { readPath } from '../read-path.ts'
import { findReference } from '../session-reference.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { toJson } from '../terminal/text.ts'
import { type CommandMaker, inputsHelp, SESSION_ARGUMENT } from './command.ts'

interface ParityOptions {
  readonly json?: true
}

/** The exit code of a side that cannot be read or is empty. Code 1 says that the sides differ. */
const UNREADABLE_SIDE = 2

/** `agentfold parity`: the exit code is 0 if both sides are equal, and 1 if not. */
export const parityCommand: CommandMaker = ({ terminal, execute }) =>
  new Command('parity')
    .summary('compare a live stream with the stored files of the same session')
    .description(
      'Compares a live stream with the stored files of the same session. The exit code is 0 if they are equal, and 1 if not.',
    )
    .argument('<live>', `the live stream: ${SESSION_ARGUMENT}`)
    .argument('<stored>', 'the stored files, in the same way')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', inputsHelp())
    .action((live: string, stored: string, { json }: ParityOptions, command: Command) => {
      if (live === '-' && stored === '-') command.error('only one of the two paths can be a pipe')
      return execute(() => printParity({ live, stored, isJson: json === true }, terminal), UNREADABLE_SIDE)
    })

async function printParity(
  { live, stored, isJson }: { readonly live: string; readonly stored: string; readonly isJson: boolean },
  terminal: Terminal,
): Promise<number> {
  const read = {
    live: await readPath(await findReference(live, terminal), terminal),
    stored: await readPath(await findReference(stored, terminal), terminal),
  }
  const comparison = compareSessions(read.live.state, read.stored.state)
  const issues = { live: read.live.issues, stored: read.stored.issues }
  const report = { ...comparison, issues }
  const ids = { live: read.live.state.session.id, stored: read.stored.state.session.id }
  terminal.write(isJson ? `${toJson(report, 2)}\n` : renderParity(report, ids))
  return comparison.differences.length === 0 ? 0 : 1
}
