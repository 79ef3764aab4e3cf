import { setImmediate } from 'node:timers/promises'
import { Command } from 'commander'
import type { Architecture } from '../../formats/all.ts'
import { redactAll } from '../../formats/markdown/redactions/all.ts'
import { toMarkdown } from '../../formats/markdown/to-markdown.ts'
import type { SessionReading } from '../../node/read/session-fold.ts'
import { readPath } from '../read-path.ts'
import { findReference, type SessionReference } from '../session-reference.ts'
import { conversationOf, sessionLines } from '../show/session.ts'
import type { Terminal } from '../terminal.ts'
import {
  type CommandMaker,
  colourOptions,
  formatOption,
  inputsHelp,
  isStyled,
  type StyleOptions,
} from './command.ts'

export interface ShowOptions extends StyleOptions {
  readonly agent?: string
  readonly full?: true
  readonly markdown?: true
  readonly redact?: true
  readonly format?: Architecture
}

/** `agentfold show`: the exit code is 1 if there is no such session, or if it cannot be read. */
export const showCommand: CommandMaker = ({ terminal, execute }) => {
  const command = new Command('show')
    .summary('show a conversation as people read it')
    .description('Shows a conversation as people read it, with its tools, and its agents at their places.')
    .argument('<session>', 'the id of a session, the beginning of an id, a file, a folder, or - for a pipe')
    .option('--agent <id>', 'show one agent, with the agents below it')
    .option('--full', 'show all of every text; without it, inputs and outputs of tools are shortened')
    .option('--markdown', 'print a Markdown document')
    .option('--redact', 'hide home folders, e-mail addresses and keys of common formats')
    .addOption(formatOption())
  return colourOptions(command)
    .addHelpText('after', inputsHelp())
    .action((name: string, options: ShowOptions) =>
      execute(async () => showSession(await findReference(name, terminal), options, terminal)),
    )
}

/** Prints the conversation of a session. */
export async function showSession(
  { path, title }: SessionReference,
  options: ShowOptions,
  terminal: Terminal,
): Promise<number> {
  const reading = await readPath({ path, format: options.format }, terminal)
  if (options.markdown) terminal.write(markdownOf(reading, options))
  else await writeLines(viewOf(reading, options, { terminal, title }), terminal)
  return 0
}

function markdownOf({ state }: SessionReading, { agent, full, redact }: ShowOptions): string {
  return toMarkdown(state, {
    conversationId: conversationOf(state, agent),
    ...(redact && { redact: redactAll }),
    ...(full && { toolOutputLines: Number.POSITIVE_INFINITY }),
  })
}

/** Returns the options of a view of sessions. */
export function viewOptions(options: ShowOptions, terminal: Terminal): Parameters<typeof sessionLines>[1] {
  return {
    columns: terminal.columns ?? DEFAULT_COLUMNS,
    isStyled: isStyled(options, terminal),
    isFull: options.full === true,
    redact: options.redact ? redactAll : (text) => text,
    agent: options.agent,
  }
}

function viewOf(
  reading: SessionReading,
  options: ShowOptions,
  { terminal, title }: { readonly terminal: Terminal; readonly title: string | undefined },
): Iterable<string> {
  return sessionLines(reading, { ...viewOptions(options, terminal), title })
}

/** For a pipe, which has no width. */
const DEFAULT_COLUMNS = 80

/** Between two batches, the process can notice that nobody reads the output any more. */
const BATCH = 200

async function writeLines(lines: Iterable<string>, terminal: Terminal): Promise<void> {
  let batch: string[] = []
  const flush = () => {
    if (batch.length > 0) terminal.write(`${batch.join('\n')}\n`)
    batch = []
  }
  for (const line of lines) {
    batch.push(line)
    if (batch.length < BATCH) continue
    flush()
    await setImmediate()
  }
  flush()
}
