import { Command } from 'commander'
import { errorWithPath } from '../../node/read/read-session.ts'
import { readSessionTranscript, textIn } from '../../node/read/session-transcript.ts'
import type { Architecture } from '../../programs/program.ts'
import type { CombinedTranscript } from '../../reading/input/combined.ts'
import { parseTranscript } from '../../wires/transcript.ts'
import { scrubTranscript } from '../scrub/scrub-transcript.ts'
import { sessionShape } from '../scrub/session-shape.ts'
import { findReference } from '../session-reference.ts'
import { InputError, type Terminal } from '../terminal/terminal.ts'
import { oneLine } from '../terminal/text.ts'
import { type CommandMaker, formatOption, inputsHelp, SESSION_ARGUMENT } from './command.ts'

interface ScrubOptions {
  readonly format?: Architecture
}

/** `agentfold scrub`: the exit code is 1 if the session cannot be read, or if it has another shape without its words. */
export const scrubCommand: CommandMaker = ({ terminal, execute }) =>
  new Command('scrub')
    .summary('print a session without its words, for a report of a bug')
    .description(
      'Prints a session as its program wrote it, with its agents, and with other words, ids and paths. It checks that the shape of the session stays the same. The names of tools, models and agent types stay: look at the result before you publish it.',
    )
    .argument('<session>', SESSION_ARGUMENT)
    .addOption(formatOption())
    .addHelpText('after', inputsHelp())
    .action((name: string, { format }: ScrubOptions) => execute(() => scrub(name, format, terminal)))

async function scrub(name: string, format: Architecture | undefined, terminal: Terminal): Promise<number> {
  const { path } = await findReference(name, terminal)
  const transcript = await readTexts(path, terminal)
  const scrubbed = scrubTranscript(transcript)
  if ((await shapeOf(transcript, path, format)) !== (await shapeOf(scrubbed, path, format)))
    throw new InputError(
      `${oneLine(path)}: not printed, because the session has another shape without its words`,
    )
  terminal.write(textOf(scrubbed))
  return 0
}

async function readTexts(path: string, terminal: Terminal): Promise<CombinedTranscript> {
  try {
    if (path === '-') return { main: await textIn(terminal.stdin), subagents: [] }
    return await readSessionTranscript(path)
  } catch (error) {
    throw await errorWithPath(error, path)
  }
}

async function shapeOf(
  transcript: CombinedTranscript,
  path: string,
  format: Architecture | undefined,
): Promise<string> {
  const raw = rawOf(transcript)
  try {
    return sessionShape(format === undefined ? parseTranscript(raw) : parseTranscript(format, raw))
  } catch (error) {
    throw await errorWithPath(error, path)
  }
}

/** A session without agents' files is its own text. */
function rawOf(transcript: CombinedTranscript): string | CombinedTranscript {
  return transcript.subagents.length === 0 ? transcript.main : transcript
}

function textOf(transcript: CombinedTranscript): string {
  const raw = rawOf(transcript)
  const text = typeof raw === 'string' ? raw : JSON.stringify(raw)
  return text.endsWith('\n') ? text : `${text}\n`
}
