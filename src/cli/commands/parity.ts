import { Command } from 'commander'
import { compareSessions, type SessionComparison } from '../../checks/parity/compare.ts'
import type { ExcludedContent, SessionDifference } from '../../checks/parity/comparison.ts'
import type { SessionReading } from '../../node/read/read-input.ts'
import type { Side } from '../../programs/coverage.ts'
import { plural } from '../../sinks/markdown/text/values.ts'
import { readPath } from '../read-path.ts'
import { findReference } from '../session-reference.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { issueLines, toJson, truncate } from '../terminal/text.ts'
import { type CommandMaker, SESSION_ARGUMENT } from './command.ts'
import { inputsHelp } from './inputs-help.ts'

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

/** A comparison with the issues of each input. */
interface ParityReport extends SessionComparison {
  readonly issues: Readonly<Record<Side, SessionReading['issues']>>
}

/** Renders the differences, the ignored content and the issues as text. Two sessions with different ids are probably a wrong choice. */
function renderParity(
  { differences, excluded, issues }: ParityReport,
  ids: Readonly<Record<Side, string | undefined>>,
): string {
  const head = differences.length === 0 ? 'equal' : plural(differences.length, 'difference')
  const isOther = ids.live !== undefined && ids.stored !== undefined && ids.live !== ids.stored
  const other = isOther ? [`different sessions: ${truncate(ids.live)} and ${truncate(ids.stored)}`] : []
  const ignored = excluded.length === 0 ? ['nothing ignored'] : ['ignored', ...excluded.map(excludedLine)]
  const sides = (['live', 'stored'] as const).flatMap((side) => sideLines(side, issues[side]))
  return `${[...other, head, ...differences.flatMap(differenceLines), '', ...ignored, ...sides].join('\n')}\n`
}

function differenceLines({
  kind,
  conversationId,
  id,
  field,
  live,
  stored,
}: SessionDifference): readonly string[] {
  const place = [kind, conversationId, id, field].flatMap((part) =>
    part === undefined ? [] : truncate(part),
  )
  return [`  ${place.join(' · ')}`, `    live    ${valueLine(live)}`, `    stored  ${valueLine(stored)}`]
}

function valueLine(value: unknown): string {
  if (value === undefined) return '–'
  try {
    return truncate(JSON.stringify(value))
  } catch {
    return '(nested too deep to show)'
  }
}

function sideLines(side: Side, issues: SessionReading['issues']): readonly string[] {
  const [count, ...lines] = issueLines(issues)
  return count === undefined ? [] : ['', `${side}: ${count}`, ...lines]
}

function excludedLine({ kind, side, count }: ExcludedContent): string {
  return `  ${side} ${kind} ${count}`
}
