import { Command, Option } from 'commander'
import type { SessionRecord } from '../../node/session-index/session-questions.ts'
import { redactJson } from '../../redaction/printable.ts'
import { redactAll } from '../../redaction/redactions.ts'
import { reportNone } from '../list/filter.ts'
import { type MachineOptions, machineOptions, sinceOption, withIndex } from '../list/machine-index.ts'
import { csvLine } from '../list/prices.ts'
import { type Terminal, UsageError } from '../terminal/terminal.ts'
import { toJson } from '../terminal/text.ts'
import { type CommandMaker, programOption } from './command.ts'

interface ExportOptions extends MachineOptions {
  readonly all?: true
  readonly since?: string
  readonly cwd?: string
  readonly program?: string
  readonly json?: true
  readonly ndjson?: true
  readonly csv?: true
  readonly redact?: true
}

/** `agentfold export`. */
export const exportCommand: CommandMaker = ({ terminal, execute }) =>
  machineOptions(new Command('export'))
    .summary('write the facts of all sessions: one object or one row a session')
    .description(
      'Writes a session a line: its facts, status, tokens by day, agent type and model, tools, calls with ' +
        'their targets, agents and changed files. Its texts are in agentfold show <session> --json.',
    )
    .addOption(
      new Option('--all', 'write all sessions; without it, choose some').conflicts([
        'since',
        'cwd',
        'program',
      ]),
    )
    .addOption(sinceOption('write what changed since a time: 3d, 12h or 2026-11-01'))
    .option('--cwd <folder>', 'write the sessions that ran in a folder, or below it')
    .addOption(programOption('write the sessions of one program'))
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
  const { all, since, cwd, program, json, csv, redact } = options
  if (!all && [since, cwd, program].every((each) => each === undefined))
    throw new UsageError('nothing to export: pass --all, or --since, --cwd or --program')
  const records = await withIndex(terminal, options, (index) => index.records({ since, cwd, program }))
  if (records.length === 0) await reportNone(options, options, terminal)
  const shown = redact ? records.map((record) => redactJson(record, redactAll)) : records
  if (csv) writeRows(shown, terminal)
  else if (json) {
    terminal.write('[')
    for (const [at, record] of shown.entries()) terminal.write(`${at === 0 ? '' : ','}\n${toJson(record)}`)
    terminal.write('\n]\n')
  } else for (const record of shown) terminal.write(`${toJson(record)}\n`)
  return 0
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
