import { Command } from 'commander'
import { openSessionIndex } from '../../node/session-index/open-session-index.ts'
import { pushSessions } from '../../node/session-index/postgres/push-sessions.ts'
import { formatCount, plural } from '../../sinks/markdown/text/values.ts'
import { localOptions, progressLine, reportIssues } from '../list/machine-index.ts'
import { type Terminal, UsageError } from '../terminal/terminal.ts'
import { oneLine } from '../terminal/text.ts'
import { type CommandMaker, homeOption, INTERRUPTED } from './command.ts'

interface IndexCommandOptions {
  readonly to?: string
  readonly whole?: true
  readonly machine?: string
  readonly exclude: readonly string[]
  readonly prune?: true
}

/** `agentfold index`: the exit code is 1 if the database cannot be used. */
export const indexCommand: CommandMaker = ({ terminal, execute }) =>
  homeOption(new Command('index'))
    .summary('bring the index up to date, or push the sessions of this machine to that of a team')
    .description(
      'Brings the index of this machine up to date. With --to, it also pushes the sessions to an index of ' +
        'several machines in Postgres, each exactly once. Secrets are hidden as --redact hides them. A push ' +
        'that was interrupted goes on with the next one.',
    )
    .option('--to <address>', 'push to a database: postgres://user@host/database')
    .option('--whole', 'push the sessions as they are, with their secrets')
    .option('--machine <name>', 'the name of this machine; the default is that of the host')
    .option(
      '--exclude <folder>',
      'push no session that ran in a folder, or below it; repeat it for several',
      (folder: string, before: readonly string[]) => [...before, folder],
      [],
    )
    .option('--prune', 'remove the sessions of this machine whose files are gone, or that are excluded')
    .addHelpText(
      'after',
      [
        '\nexamples:',
        '  agentfold index --to postgres://team@db.example/sessions',
        '  agentfold list --index postgres://team@db.example/sessions',
      ].join('\n'),
    )
    .action((options: IndexCommandOptions) => execute(() => updateIndex(options, terminal)))

async function updateIndex(options: IndexCommandOptions, terminal: Terminal): Promise<number> {
  const { to, whole, machine, prune, exclude } = options
  if (to !== undefined) return push(to, options, terminal)
  if (whole || prune || machine !== undefined || exclude.length > 0)
    throw new UsageError('--whole, --machine, --exclude and --prune belong to a push: pass --to')
  const signal = terminal.interruption?.()
  const index = await openSessionIndex({ ...localOptions(terminal, {}), ...timeOf(terminal) })
  const progress = progressLine(terminal, 'read')
  try {
    const { isComplete } = await index.update({
      ...{ signal, onProgress: progress.report, onIssue: reportIssues(terminal) },
    })
    progress.clear()
    if (!isComplete) return INTERRUPTED
    terminal.write(`${plural(await index.count(), 'session')}\n`)
    return 0
  } finally {
    await index.close()
  }
}

function timeOf({ now }: Terminal): { readonly now?: () => number } {
  return now ? { now } : {}
}

async function push(
  address: string,
  { whole, machine, prune, exclude }: IndexCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const signal = terminal.interruption?.()
  const progress = progressLine(terminal, 'pushed')
  const result = await pushSessions(address, {
    ...{ ...localOptions(terminal, {}), ...timeOf(terminal), exclude },
    ...{ ...(whole && { whole }), ...(prune && { prune }), ...(machine !== undefined && { machine }) },
    ...{ onProgress: progress.report, onIssue: reportIssues(terminal), ...(signal && { signal }) },
  })
  progress.clear()
  const { pushed, unchanged, removed, isRemovalSkipped, isComplete } = result
  const counts = [
    `${plural(pushed, 'session')} pushed${whole ? ', with secrets' : ', without secrets of known forms'}`,
    `${formatCount(unchanged)} unchanged`,
    ...(removed > 0 ? [`${formatCount(removed)} removed`] : []),
    ...(prune && isRemovalSkipped && isComplete ? ['none removed: something could not be read'] : []),
  ]
  terminal.write(`${oneLine(result.machine)}: ${counts.join('; ')}\n`)
  return isComplete ? 0 : INTERRUPTED
}
