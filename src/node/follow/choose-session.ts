import { type Stats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isEqual } from '../../core/json/equal.ts'
import { DEFAULT_ARCHITECTURE, formatOf } from '../../wires/all.ts'
import { encodingOf, MARK_LENGTH } from '../files/decode-text.ts'
import { irregularFile, readError, wrapReadError } from '../files/read-error.ts'
import { readPiece } from '../files/read-piece.ts'
import { findSession, pathsOf } from '../read/find-session.ts'
import { type OpenedSession, openSession } from '../read/open-session.ts'
import { readInput } from '../read/read-input.ts'
import { FollowedSession } from './followed-session.ts'
import { GrowingFiles } from './growing-files.ts'
import { stampOf, WholeContent } from './whole-content.ts'

interface ChoiceOptions {
  readonly refuseUnknown?: boolean | undefined
  readonly signal?: AbortSignal
}

/** Waits until the content of a path shows a session. */
export class SessionChooser {
  readonly #path: string
  readonly #options: ChoiceOptions
  /** The stamp of content that shows no session. The same content is not read again at each poll. */
  #stamp: string | undefined

  constructor(path: string, options: ChoiceOptions) {
    this.#path = path
    this.#options = options
  }

  /** Returns the session; undefined while there is none. `sources` are the files and folders that decide the session. */
  async choose(sources: readonly string[]): Promise<FollowedSession | undefined> {
    const stamp = await stampOf(sources)
    if (stamp === this.#stamp) return undefined
    const session = await chooseSession(this.#path, this.#options)
    this.#stamp = session ? undefined : stamp
    return session
  }
}

/**
 * Chooses the way to follow a session by its content. Returns undefined while the content does not show it: an empty
 * file, half of a first line, or lines of an unknown format. Throws a `TranscriptError` if there is no session.
 * `refuseUnknown` makes whole lines of an unknown format an error too.
 */
export async function chooseSession(
  path: string,
  { refuseUnknown = false, signal }: ChoiceOptions = {},
): Promise<FollowedSession | undefined> {
  const stamp = await stampOf([path])
  refusePipe(path)
  const opened = await openSession(path, { signal })
  const { architecture, content } = opened
  if (!architecture) {
    if (!refuseUnknown || content === 'unfinished') return undefined
    // Lines that show no format are no error if the default reader knows one of them.
    await readInput(opened, undefined, {})
    if (content === 'whole') return undefined
  }
  const format = formatOf(architecture ?? DEFAULT_ARCHITECTURE)
  const main = content === 'lines' ? await wrapReadError(growingFile(opened, path)) : undefined
  if (main !== undefined) return FollowedSession.open(format.name, new GrowingFiles(main, format))
  return (
    architecture && FollowedSession.open(format.name, new WholeContent(path, architecture, opened, stamp))
  )
}

/** A pipe has no places to go on from. To open one waits until somebody writes to it, and no signal ends that. */
function refusePipe(path: string): void {
  const stats = statsIfThere(path)
  if (stats && !stats.isFile() && !stats.isDirectory()) throw irregularFile(path)
}

function statsIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw readError(error, path)
  }
}

/**
 * Returns the session's own file, if it leads to all files of the session. In a folder with a fork, it does not lead
 * to those of the copied session. Lines of UTF-16 are not read one by one.
 */
async function growingFile(
  { path: main, sources }: OpenedSession,
  path: string,
): Promise<string | undefined> {
  if (main === undefined || encodingOf(await readPiece(main, 0, MARK_LENGTH)) !== 'utf-8') return undefined
  if (!(await stat(path)).isDirectory()) return main
  const { transcripts } = await findSession(main)
  return isEqual(transcripts.flatMap(pathsOf), sources.slice(1)) ? main : undefined
}
