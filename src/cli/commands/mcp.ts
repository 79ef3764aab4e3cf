import { Command } from 'commander'
import { type MachineOptions, machineOptions, openIndex } from '../list/machine-index.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { CommandMaker } from './command.ts'

interface McpOptions extends MachineOptions {
  readonly exclude: readonly string[]
  /** False after `--no-redact`. */
  readonly redact: boolean
}

/** `agentfold mcp`. */
export const mcpCommand: CommandMaker = ({ terminal, execute }) =>
  machineOptions(new Command('mcp'))
    .summary('answer agents about the sessions of this machine, over MCP')
    .description(
      'Runs a read-only MCP server on standard input and output, with the tools search_sessions, ' +
        'get_session, list_sessions, get_changes and stats. Secrets are hidden.',
    )
    .option(
      '--exclude <folder>',
      'answer nothing about the sessions that ran in a folder, or below it; repeat it for several',
      (folder: string, before: readonly string[]) => [...before, folder],
      [],
    )
    .option('--no-redact', 'do not hide home folders, e-mail addresses and keys of common formats')
    .addHelpText(
      'after',
      '\nexample, as the command of a server in the settings of your agent:\n  npx agentfold mcp --exclude ~/private',
    )
    .action((options: McpOptions) => execute(() => serveMcp(options, terminal)))

async function serveMcp({ exclude, redact, ...options }: McpOptions, terminal: Terminal): Promise<number> {
  const { runMcpServer } = await import('./mcp-server.ts')
  await runMcpServer({
    index: await openIndex(terminal, options, exclude),
    isRedacted: redact,
    signal: terminal.interruption?.() ?? new AbortController().signal,
  })
  return 0
}
