import { Command, Option } from 'commander'
import type { Price } from '../../core/selectors/cost.ts'
import type { SessionRecord } from '../../node/session-index/session-questions.ts'
import { costsOf, hasTokens } from '../../node/session-index/statistics.ts'
import { redactJson } from '../../redaction/printable.ts'
import { redactAll } from '../../redaction/redactions.ts'
import { reportNone } from '../list/filter.ts'
import { type MachineOptions, machineOptions, timeOptions, withIndex } from '../list/machine-index.ts'
import { csvLine, readPrices } from '../list/prices.ts'
import { type Terminal, UsageError } from '../terminal/terminal.ts'
import { toJson } from '../terminal/text.ts'
import { type CommandMaker, programOption } from './command.ts'

interface ExportOptions extends MachineOptions {
  readonly all?: true
  readonly since?: string
  readonly until?: string
  readonly cwd?: string
  readonly program?: string
  readonly prices?: string
  readonly json?: true
  readonly ndjson?: true
  readonly csv?: true
  readonly redact?: true
}

/** `agentfold export`. */
export const exportCommand: CommandMaker = ({ terminal, execute }) =>
  timeOptions(machineOptions(new Command('export')), 'write what changed since a time', 'and before another')
    .summary('write the facts of all sessions: one object or one row a session')
    .description(
      'Writes a session a line: its facts, status, tokens by day, agent type and model, tools, calls with ' +
        'their targets, agents and changed files. Its texts are in agentfold show <session> --json.',
    )
    .addOption(
      new Option('--all', 'write all sessions; without it, choose some').conflicts([
        'since',
        'until',
        'cwd',
        'program',
      ]),
    )
    .option('--cwd <folder>', 'write the sessions that ran in a folder, or below it')
    .addOption(programOption('write the sessions of one program'))
    .option('--prices <file>', 'prices for sessions without a cost, as agentfold stats takes them')
    .addOption(new Option('--ndjson', 'one JSON object per line; the default').conflicts(['json', 'csv']))
    .addOption(new Option('--json', 'one JSON list').conflicts('csv'))
    .option('--csv', 'comma-separated values, without the lists of a session')
    .option('--redact', 'hide home folders, e-mail addresses and keys of common formats')
    .addHelpText(
      'after',
      '\nexamples:\n  agentfold export --all > sessions.ndjson\n  agentfold export --since 7d --csv',
    )
    .action((options: ExportOptions) => execute(() => writeExport(options, terminal)))

async function writeExport(options: ExportOptions, terminal: Terminal): Promise<number> {
  const { all, since, until, cwd, program, prices, json, csv, redact } = options
  if (!all && [since, until, cwd, program].every((each) => each === undefined))
    throw new UsageError('nothing to export: pass --all, or --since, --until, --cwd or --program')
  const priceOf = prices === undefined ? undefined : await readPrices(prices)
  const query = { since, until, cwd, program }
  const found = await withIndex(terminal, options, (index) => index.records(query))
  if (found.length === 0) await reportNone(options, options, terminal)
  const records = priceOf ? found.map((record) => withCost(record, priceOf)) : found
  const shown = redact ? records.map((record) => redactJson(record, redactAll)) : records
  if (csv) writeRows(shown, terminal)
  else if (json) {
    terminal.write('[')
    for (const [at, record] of shown.entries()) terminal.write(`${at === 0 ? '' : ','}\n${toJson(record)}`)
    terminal.write('\n]\n')
  } else for (const record of shown) terminal.write(`${toJson(record)}\n`)
  return 0
}

/** A session without a cost gets one if each of its models has a price. */
function withCost(record: SessionRecord, priceOf: (model: string) => Price | undefined): SessionRecord {
  const costs = record.costUsd === undefined ? costsOf(record, record.parts, priceOf) : []
  const known = costs.filter((cost) => cost !== undefined)
  const isWhole = known.length === record.parts.filter(hasTokens).length && known.length > 0
  return isWhole ? { ...record, costUsd: sumOf(known) } : record
}

const FIELDS = [
  ...(['id', 'path', 'format', 'program', 'title', 'firstPrompt', 'cwd', 'startedAt', 'updatedAt'] as const),
  ...(['model', 'status', 'reason', 'costUsd', 'agents', 'isProvisional', 'answer'] as const),
]

const TOKENS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const

function writeRows(records: readonly SessionRecord[], terminal: Terminal): void {
  terminal.write(csvLine([...FIELDS, ...TOKENS, 'turns', 'failed', 'calls', 'files']))
  for (const record of records) {
    const { parts, calls, files } = record
    // The tokens of a row are those of main and of all agents.
    const tokens = TOKENS.map((name) => sumOf(parts.map((part) => part[name])))
    const main = parts.filter(({ agentType }) => agentType === 'main')
    const sums = [sumOf(main.map(({ turns }) => turns)), sumOf(main.map(({ failed }) => failed))]
    terminal.write(
      csvLine([...FIELDS.map((field) => record[field]), ...tokens, ...sums, calls.length, files.length]),
    )
  }
}

function sumOf(counts: readonly (number | undefined)[]): number {
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
}
