import { Command } from 'commander'
import type { SessionConversationState } from '../../core/state/session.ts'
import { followSession } from '../../node/follow/follow-session.ts'
import type { Architecture } from '../../programs/program.ts'
import { redactAll } from '../../redaction/redactions.ts'
import { SessionRedaction } from '../../redaction/session.ts'
import { FollowView } from '../follow/follow-view.ts'
import { SettledTexts } from '../growing-block.ts'
import { readPath } from '../read-path.ts'
import { findReference } from '../session-reference.ts'
import { type ShowOptions, viewOptions } from '../show/print-session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { LiveDisplay } from '../tree-display.ts'
import { type CommandMaker, formatOption, INTERRUPTED, reportWaiting, SESSION_ARGUMENT } from './command.ts'
import { inputsHelp } from './inputs-help.ts'

type FollowOptions = Pick<ShowOptions, 'full' | 'redact'> & { readonly format?: Architecture }

/** `agentfold follow`: the exit code is 130 after Ctrl-C, 0 at the end of a pipe, and 1 if there is no such session. */
export const followCommand: CommandMaker = ({ terminal, execute }) =>
  new Command('follow')
    .summary('show a conversation while it goes on')
    .description(
      'Shows a conversation while it goes on. Each part is printed when it is final. On a terminal, ' +
        'the last lines show what happens at the moment. Ctrl-C ends it.',
    )
    .argument('<session>', SESSION_ARGUMENT)
    .option('--full', 'show all of every text; without it, inputs and outputs of tools are shortened')
    .option('--redact', 'hide home folders, e-mail addresses and keys of common formats')
    .addOption(formatOption())
    .addHelpText('after', inputsHelp())
    .action((name: string, options: FollowOptions) => execute(() => follow(name, options, terminal)))

async function follow(name: string, options: FollowOptions, terminal: Terminal): Promise<number> {
  const { path } = await findReference(name, terminal)
  let view = new FollowView(viewOptions(options, terminal))
  const { screen } = terminal
  const display = screen && new LiveDisplay(screen, (state) => view.tail(state))
  const redaction = options.redact && new SessionRedaction(redactAll)
  const settled = new SettledTexts()
  const print = (read: SessionConversationState) => {
    const state = redaction ? redaction.redact(settled.settle(read)) : read
    const lines = view.lines(state)
    if (lines.length > 0) {
      display?.clear()
      terminal.write(`${lines.join('\n')}\n`)
    }
    display?.draw(state)
  }
  try {
    if (path === '-') return await followPipe(options.format, terminal, print)
    return await followFile(path, terminal, {
      print,
      onOtherSession: () => {
        view = new FollowView(viewOptions(options, terminal))
      },
    })
  } finally {
    display?.clear()
  }
}

type Print = (state: SessionConversationState) => void

async function followPipe(
  format: Architecture | undefined,
  terminal: Terminal,
  print: Print,
): Promise<number> {
  const { state } = await readPath({ path: '-', format }, terminal, { onState: print })
  print(state)
  return 0
}

async function followFile(
  path: string,
  terminal: Terminal,
  { print, onOtherSession }: { readonly print: Print; readonly onOtherSession: () => void },
): Promise<number> {
  const signal = terminal.interruption?.() ?? new AbortController().signal
  let id: string | undefined
  let hasRestarted = false
  for await (const update of followSession(path, { signal, refuseUnknown: true })) {
    const { state, issues } = update
    if (update.saveProgress() === undefined) reportWaiting(path, terminal)
    hasRestarted ||= issues.some(({ code }) => code === 'restarted')
    if (hasRestarted && isOther(id, state)) onOtherSession()
    if (state.session.id !== undefined) hasRestarted = false
    id = state.session.id ?? id
    print(state)
  }
  return INTERRUPTED
}

/** Whether another session has taken the place of the file. */
function isOther(id: string | undefined, { session }: SessionConversationState): boolean {
  return id !== undefined && session.id !== undefined && session.id !== id
}
