import { Command, Option } from 'commander'
import { omitUndefined } from '../../core/json/fields.ts'
import { STATISTIC_KEYS, type Statistic, type StatisticKey } from '../../node/session-index/statistics.ts'
import { formatCount } from '../../sinks/markdown/text/values.ts'
import { reportNone } from '../list/filter.ts'
import { type MachineOptions, machineOptions, timeOptions, withIndex } from '../list/machine-index.ts'
import { csvLine, readPrices } from '../list/prices.ts'
import { keyText, partialCost } from '../list/summary-text.ts'
import { type Terminal, UsageError, widthsFor } from '../terminal/terminal.ts'
import { toJson } from '../terminal/text.ts'
import type { CommandMaker } from './command.ts'

interface StatsOptions extends MachineOptions {
  readonly by?: StatisticKey
  readonly since?: string
  readonly until?: string
  readonly cwd?: string
  readonly prices?: string
  readonly json?: true
  readonly csv?: true
}

/** `agentfold stats`. */
export const statsCommand: CommandMaker = ({ terminal, execute }) =>
  timeOptions(machineOptions(new Command('stats')), 'count from a day on', 'and before another')
    .summary('sum up all sessions by day, project, program, model, agent type or tool')
    .description(
      'Sums up the sessions of this machine: turns, failures, tokens, cost, and the time that they waited ' +
        'for the person. Days are in UTC.',
    )
    .addOption(
      new Option('--by <key>', 'a row for each of these; the default is day').choices(STATISTIC_KEYS),
    )
    .option('--cwd <folder>', 'count the sessions that ran in a folder, or below it')
    .option(
      '--prices <file>',
      "prices for sessions without a cost: LiteLLM's model_prices_and_context_window.json",
    )
    .option('--json', 'print one JSON object per row')
    .addOption(new Option('--csv', 'print comma-separated values').conflicts('json'))
    .addHelpText(
      'after',
      [
        '\nexamples:',
        '  agentfold stats --since 7d',
        '  agentfold stats --by model --prices model_prices_and_context_window.json',
        '  agentfold stats --by tool --csv',
      ].join('\n'),
    )
    .action((options: StatsOptions) => execute(() => printStats(options, terminal)))

async function printStats(
  { by = 'day', since, until, cwd, prices, json, csv, ...options }: StatsOptions,
  terminal: Terminal,
): Promise<number> {
  if (by === 'tool' && prices !== undefined)
    throw new UsageError('a tool has no cost: leave out --prices, or choose another --by')
  const priceOf = prices === undefined ? undefined : await readPrices(prices)
  const filter = omitUndefined({ since, until, cwd })
  const query = { by, ...filter, ...(priceOf && { priceOf }) }
  const rows = await withIndex(terminal, options, (index) => index.stats(query))
  if (json) for (const row of rows) terminal.write(`${toJson(row)}\n`)
  else if (csv) writeCsv(rows, terminal)
  else await writeTable(rows, by, terminal)
  if (rows.length === 0) await reportNone(filter, options, terminal)
  if (rows.some(({ unpricedSessions = 0 }) => unpricedSessions > 0)) {
    const marks = json || csv ? '' : ' (+ and ?)'
    terminal.writeError(
      `agentfold: some costs lack sessions with tokens and no known cost${marks}${prices === undefined ? ': use --prices' : ''}\n`,
    )
  }
  return 0
}

const FIELDS = [
  ...(['key', 'sessions', 'turns', 'failed', 'waitedMs', 'inputTokens', 'outputTokens'] as const),
  ...(['cacheReadTokens', 'cacheWriteTokens', 'costUsd', 'unpricedSessions', 'calls'] as const),
]

function writeCsv(rows: readonly Statistic[], terminal: Terminal): void {
  terminal.write(csvLine(FIELDS))
  for (const row of rows) terminal.write(csvLine(FIELDS.map((field) => row[field])))
}

async function writeTable(rows: readonly Statistic[], by: StatisticKey, terminal: Terminal): Promise<void> {
  const counts = by === 'tool' ? ['calls'] : ['tokens in', 'out', 'waited', 'cost']
  const table = [[by, 'sessions', 'turns', 'failed', ...counts], ...rows.map((row) => cells(row, by))]
  const { pad, widthOf } = await widthsFor(table.flat())
  const widths = table[0]?.map((_, at) => Math.max(...table.map((line) => widthOf(line[at] ?? '')))) ?? []
  for (const line of table) {
    const columns = line.map((cell, at) => {
      const width = widths[at] ?? 0
      return at === 0 ? pad(cell, width) : `${' '.repeat(Math.max(0, width - widthOf(cell)))}${cell}`
    })
    terminal.write(`${columns.join('  ').trimEnd()}\n`)
  }
}

function cells(row: Statistic, by: StatisticKey): readonly string[] {
  const { key, sessions, turns, failed, waitedMs, calls = 0, costUsd, unpricedSessions = 0 } = row
  const name = keyText(key)
  const counts = [sessions, turns, failed].map(formatCount)
  if (by === 'tool') return [name, ...counts, formatCount(calls)]
  const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = row
  const input = inputTokens + cacheReadTokens + cacheWriteTokens
  const waited = waitedMs === undefined ? '' : `${formatCount(Math.round(waitedMs / 1000))} s`
  const cost = partialCost(costUsd, unpricedSessions > 0)
  return [name, ...counts, formatCount(input), formatCount(outputTokens), waited, cost]
}
