import { Command } from 'commander'
import { compareStrings } from '../../core/json/lists.ts'
import { isObject } from '../../core/json/values.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import { errorWithPath, readSessionTranscript, textIn } from '../../node/read/read-session.ts'
import type { Architecture } from '../../programs/program.ts'
import type { CombinedTranscript } from '../../reading/input/combined.ts'
import { parseTranscript } from '../../wires/transcript.ts'
import { scrubTranscript, transcriptTexts } from '../scrub/scrub-transcript.ts'
import { findReference } from '../session-reference.ts'
import { InputError, type Terminal } from '../terminal/terminal.ts'
import { oneLine } from '../terminal/text.ts'
import { type CommandMaker, formatOption, SESSION_ARGUMENT } from './command.ts'
import { inputsHelp } from './inputs-help.ts'

interface ScrubOptions {
  readonly format?: Architecture
}

/** `agentfold scrub`: the exit code is 1 if the session cannot be read, or if it has another shape without its words. */
export const scrubCommand: CommandMaker = ({ terminal, execute }) =>
  new Command('scrub')
    .summary('print a session without its words, for a report of a bug')
    .description(
      'Prints a session as its program wrote it, with its agents, and with other words, ids and paths. ' +
        'It checks that the shape of the session stays the same. The names of tools, models and agent ' +
        'types stay: look at the result before you publish it.',
    )
    .argument('<session>', SESSION_ARGUMENT)
    .addOption(formatOption())
    .addHelpText('after', inputsHelp())
    .action((name: string, { format }: ScrubOptions) => execute(() => scrub(name, format, terminal)))

async function scrub(name: string, format: Architecture | undefined, terminal: Terminal): Promise<number> {
  const { path } = await findReference(name, terminal)
  const transcript = await readTexts(path, terminal)
  if (transcriptTexts(transcript).every((text) => /^[\s\uFEFF]*$/.test(text)))
    throw new InputError(`${oneLine(path)}: empty input`)
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

/** The values of tools, whose fields may be ids. */
const FOREIGN = /^(?:input|output|data)$/

/** The lines of a file change. Two lines of one length are equal without their words. */
const LINES = /^(?:hunks|added|removed)$/

const KEPT = /^(?:type|status|kind|origin|subtype|program|protocol|version)$/

const IDS = /^(?:id|\w+Id|\w+Ids|code)$/

/**
 * Returns a state without its words: ids are numbered in their order, and each other text is its length. Two sessions
 * of one shape have equal values.
 */
export function sessionShape(state: SessionConversationState): string {
  const ids = new Map<string, number>()
  const numberOf = (id: string) => {
    const number = ids.get(id) ?? ids.size
    ids.set(id, number)
    return number
  }
  return JSON.stringify(state, (name, value) => {
    if (FOREIGN.test(name)) return typeof value
    if (LINES.test(name)) return undefined
    if (isObject(value)) return sorted(value)
    if (typeof value !== 'string' || KEPT.test(name)) return value
    return IDS.test(name) ? numberOf(value) : value.length
  })
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => compareStrings(left, right)))
}
