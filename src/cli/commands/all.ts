import type { CommandMaker } from './command.ts'

/** Loads each command by its name, in the order of the help. A command starts sooner without the code of the others. */
export const COMMANDS: ReadonlyMap<string, () => Promise<CommandMaker>> = new Map([
  ['list', async () => (await import('./list.ts')).listCommand],
  ['show', async () => (await import('./show.ts')).showCommand],
  ['follow', async () => (await import('./follow.ts')).followCommand],
  ['search', async () => (await import('./search.ts')).searchCommand],
  ['stats', async () => (await import('./stats.ts')).statsCommand],
  ['cost', async () => (await import('./cost.ts')).costCommand],
  ['export', async () => (await import('./export.ts')).exportCommand],
  ['serve', async () => (await import('./serve.ts')).serveCommand],
  ['replay', async () => (await import('./replay.ts')).replayCommand],
  ['parity', async () => (await import('./parity.ts')).parityCommand],
  ['identify', async () => (await import('./identify.ts')).identifyCommand],
  ['continue', async () => (await import('./continue.ts')).continueCommand],
  ['scrub', async () => (await import('./scrub.ts')).scrubCommand],
  ['mcp', async () => (await import('./mcp.ts')).mcpCommand],
  ['completion', async () => (await import('./completion.ts')).completionCommand],
])
