import { existsSync } from 'node:fs'
import { chmod, mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { Command, Option } from 'commander'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { readError } from '../../node/files/read-error.ts'
import { environmentOf } from '../../node/list/program-places.ts'
import type { Architecture } from '../../programs/program.ts'
import { storageOf } from '../../programs/storages.ts'
import type { Loss } from '../../sinks/plan/losses.ts'
import { WriteError } from '../../sinks/writers/target.ts'
import { takesModel, writablePrograms } from '../../sinks/writers/targets/all.ts'
import {
  stateAt,
  type WriteOptions,
  type WrittenSession,
  writeSession,
} from '../../sinks/writers/write-session.ts'
import { readPath } from '../read-path.ts'
import { findReference } from '../session-reference.ts'
import { conversationOf } from '../show/print-session.ts'
import { InputError, type Terminal, UsageError } from '../terminal/terminal.ts'
import { oneLine } from '../terminal/text.ts'
import { type CommandMaker, formatOption, SESSION_ARGUMENT } from './command.ts'
import { inputsHelp } from './inputs-help.ts'

interface ContinueOptions {
  readonly in?: string
  readonly agent?: string
  readonly at?: string
  readonly cwd?: string
  readonly model?: string
  readonly dryRun?: true
  readonly format?: Architecture
}

/** `agentfold continue`: the exit code is 1 if the session cannot be read, or if a file exists already. */
export const continueCommand: CommandMaker = ({ terminal, execute }) =>
  new Command('continue')
    .summary('go on with a session in another program')
    .description(
      'Writes a session as another program stores it, says what is lost, and prints the command that resumes it there.',
    )
    .argument('<session>', SESSION_ARGUMENT)
    .addOption(
      new Option(
        '--in <program>',
        'the program that goes on; with --agent, by default that of the session',
      ).choices(writablePrograms()),
    )
    .option('--agent <id>', 'go on with the conversation of one agent: an id of it, or its beginning')
    .option('--at <block>', 'go on behind the block with that id, as if nothing had followed')
    .option('--cwd <folder>', 'the folder in which the program goes on; without it, that of the session')
    .option(
      '--model <model>',
      'the model to go on with, as provider/model, for a program that takes it from the session',
    )
    .option('--dry-run', 'write no file')
    .addOption(formatOption())
    .addHelpText('after', inputsHelp())
    .action((name: string, options: ContinueOptions, command: Command) => {
      if (options.in === undefined && options.agent === undefined)
        command.error("error: required option '--in <program>' not specified")
      return execute(() => continueSession(name, options, terminal))
    })

async function continueSession(name: string, options: ContinueOptions, terminal: Terminal): Promise<number> {
  const { path } = await findReference(name, terminal)
  const { state } = await readPath({ path, format: options.format }, terminal)
  const cwd = options.cwd === undefined ? state.session.cwd : resolve(options.cwd)
  if (!cwd) throw new InputError('the session names no folder: pass --cwd')
  const program = options.in ?? ownProgram(state)
  const agent = conversationOf(state, options.agent)
  const written = writeState(cutState(state, options.at), {
    program,
    cwd,
    ...(agent !== MAIN && { agent }),
    ...(options.model !== undefined && { model: options.model }),
  })
  for (const note of notesOf(options, { cwd, program })) terminal.writeError(`agentfold: ${oneLine(note)}\n`)
  const folder = folderOf(program, written, terminal)
  const lines = commandLines(written, { folder, cwd })
  // A second hand-over of the same session finds the files of the first one.
  for (const path of Object.keys(written.files))
    if (await exists(join(folder, path)))
      throw new InputError(`${join(folder, path)}: exists already: resume it with: ${lines.join(' && ')}`)
  terminal.write(describe(written, { folder, isDry: options.dryRun === true }))
  const isPrivate = storageOf(program)?.isPrivate === true
  if (!options.dryRun) await writeNewFiles(folder, written.files, isPrivate)
  terminal.write(`\nresume it with\n${lines.map((line) => `  ${line}`).join('\n')}\n`)
  return 0
}

/** Returns what a person should know before the program goes on. */
function notesOf(
  { model }: ContinueOptions,
  { cwd, program }: { readonly cwd: string; readonly program: string },
): readonly string[] {
  return [
    ...(existsSync(cwd) ? [] : [`${cwd}: no such folder: make it, or pass another --cwd`]),
    ...(model === undefined || takesModel(program)
      ? []
      : [`--model: ${program} takes no model from the session: choose it there`]),
  ]
}

/** Returns the program that wrote the session. */
function ownProgram({ session: { program = '' } }: SessionConversationState): string {
  if (writablePrograms().includes(program)) return program
  throw new InputError(
    `pass --in: ${oneLine(program) || 'the session names no program, and it'} has no writer`,
  )
}

function writeState(state: SessionConversationState, options: WriteOptions): WrittenSession {
  try {
    return writeSession(state, options)
  } catch (error) {
    if (!(error instanceof WriteError)) throw error
    throw new UsageError(`--${error.message}`, { cause: error })
  }
}

function cutState(state: SessionConversationState, at: string | undefined): SessionConversationState {
  if (at === undefined) return state
  const cut = stateAt(state, at)
  if (!cut)
    throw new InputError(`${oneLine(at)}: no block of the session has that id: see agentfold replay --json`)
  return cut
}

/** A file that the program imports is written into the current folder. */
function folderOf(program: string, { isImported }: WrittenSession, { ownHome }: Terminal): string {
  const [folder] = storageOf(program)?.folders(environmentOf(ownHome)) ?? []
  return isImported || !folder ? process.cwd() : folder.path
}

function describe(
  { files, losses }: WrittenSession,
  { folder, isDry }: { readonly folder: string; readonly isDry: boolean },
): string {
  const paths = Object.keys(files).map((path) => `  ${join(folder, path)}`)
  const lacks = losses.length === 0 ? ['nothing is lost'] : ['lost', ...losses.map(lossLine)]
  return `${[isDry ? 'would write' : 'writes', ...paths, ...lacks].join('\n')}\n`
}

function lossLine({ kind, count, places }: Loss): string {
  const shown = places.slice(0, MAX_PLACES).map(oneLine)
  const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more` : ''
  return `  ${kind} ${count} (${shown.join(', ')}${more})`
}

const MAX_PLACES = 3

function commandLines(
  { files, commands }: WrittenSession,
  { folder, cwd }: { readonly folder: string; readonly cwd: string },
): readonly string[] {
  const whole = (word: string) => (Object.hasOwn(files, word) ? join(folder, word) : word)
  const lines = commands.map((words) => words.map((word) => quoted(whole(word))).join(' '))
  return [`cd ${quoted(cwd)}`, ...lines]
}

/** Returns a word as a shell takes it. Its control characters would reach the terminal. */
function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  if (oneLine(word) === word) return `'${word.replaceAll("'", "'\\''")}'`
  const bytes = [...Buffer.from(word)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`)
  return `$'${bytes.join('')}'`
}

/** The permissions of a folder that does not exist yet: sessions are the person's alone. */
const PRIVATE = 0o700

/**
 * Writes new files into a folder, with its permissions, or for the person alone whatever the folder allows. If a file
 * cannot be written, those of this call are removed again.
 */
async function writeNewFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  isPrivate: boolean,
): Promise<void> {
  const mode = (await modeOf(folder)) ?? PRIVATE
  const written: string[] = []
  try {
    // The session's own file is the last one: no program finds half a session.
    for (const [path, text] of Object.entries(files)) {
      const absolute = join(folder, path)
      const created = await mkdir(dirname(absolute), { recursive: true, mode })
      if (created !== undefined) await chmod(created, mode)
      await writeNewFile(absolute, { text, mode: mode & (isPrivate ? 0o600 : 0o666), written })
    }
  } catch (error) {
    for (const path of written) await rm(path, { force: true })
    throw new InputError(readError(error).message, { cause: error })
  }
}

interface NewFile {
  readonly text: string
  readonly mode: number
  /** The files of this call. One that somebody else has made in the meantime is not among them. */
  readonly written: string[]
}

async function writeNewFile(path: string, { text, mode, written }: NewFile): Promise<void> {
  const file = await open(path, 'wx', mode)
  written.push(path)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}

async function exists(path: string): Promise<boolean> {
  return (await modeOf(path)) !== undefined
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777
  } catch {
    return undefined
  }
}
