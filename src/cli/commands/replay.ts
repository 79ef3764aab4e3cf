import { Command, Option } from 'commander'
import type { SessionEvent } from '../../core/events/event.ts'
import type { Architecture } from '../../programs/program.ts'
import { readPath } from '../read-path.ts'
import { findReference } from '../session-reference.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { toJson } from '../terminal/text.ts'
import { TreeDisplay } from '../tree-display.ts'
import { renderReplay } from '../tree-text.ts'
import { type CommandMaker, formatOption, SESSION_ARGUMENT } from './command.ts'
import { inputsHelp } from './inputs-help.ts'

interface ReplayOptions {
  readonly json?: true
  readonly events?: true
  readonly format?: Architecture
}

/** `agentfold replay`: the exit code is 1 if the input cannot be read, is empty or is not a transcript. */
export const replayCommand: CommandMaker = ({ terminal, execute }) =>
  new Command('replay')
    .summary('show a session as a tree of its agents')
    .description(
      'Shows a session as a tree of its agents, with their status. While it reads from a pipe, it updates the tree.',
    )
    .argument('<session>', SESSION_ARGUMENT)
    .option('--json', 'print the state as JSON')
    .addOption(new Option('--events', 'print the events, one JSON object per line').conflicts('json'))
    .addOption(formatOption())
    .addHelpText('after', inputsHelp())
    .action((name: string, options: ReplayOptions) => execute(() => printReplay(name, options, terminal)))

async function printReplay(
  name: string,
  { json, events, format }: ReplayOptions,
  terminal: Terminal,
): Promise<number> {
  const { path } = await findReference(name, terminal)
  const isLive = path === '-' && !json && !events
  const display = isLive && terminal.screen ? new TreeDisplay(terminal.screen, terminal.isStyled) : undefined
  const reading = readPath({ path, format }, terminal, {
    onState: (state) => display?.draw(state),
    ...(events && { onEvents: (each) => writeEvents(each, terminal) }),
  })
  const { isCut, ...replayed } = await reading.finally(() => display?.clear())
  if (json) terminal.write(`${toJson(replayed, 2)}\n`)
  else if (!events)
    terminal.write(renderReplay(replayed, { isStyled: terminal.isStyled, columns: terminal.columns }))
  return 0
}

function writeEvents(events: readonly SessionEvent[], terminal: Terminal): void {
  for (const event of events) terminal.write(`${toJson(event)}\n`)
}
