import { normalize } from 'node:path'
import type { Architecture } from '../../programs/program.ts'
import type { Entry } from '../../reading/input/entries.ts'
import type { TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { Format } from '../../wires/format.ts'
import { readChunks, statsOf } from '../files/read-piece.ts'
import type { FindOptions, FoundSession } from './find-in-folder.ts'
import { findSession, pathsOf } from './find-session.ts'
import { hasAgentFiles, readStoredSession } from './stored-session.ts'
import { joinPortions, type SessionEntries, textEntries, wholeEntries } from './text-entries.ts'
import { TranscriptPlacer } from './transcript-placer.ts'

/** The entries of a session in files, in folders or in a database. */
export interface OpenedSession extends SessionEntries {
  /** The session's own file. Absent for a session in a program's own storage. */
  readonly path?: string
  /** The files and folders that decide the entries. */
  readonly sources: readonly string[]
}

/** How to open a session. */
interface OpenOptions extends FindOptions {
  /** Gets the part of a long session that was read, from 0 to 1. */
  readonly onProgress?: (part: number) => void
  /** The files of a session that is in files, if they are known. */
  readonly found?: FoundSession
}

/** Opens a file, a session's file with the files of its subagents, a folder with one session, or a session in a program's own storage. */
export async function openSession(path: string, options: OpenOptions = {}): Promise<OpenedSession> {
  const { architecture, onProgress } = options
  const stored = options.found ? undefined : await readStoredSession(path, options)
  if (stored) {
    const whole = wholeEntries(stored.transcripts, stored.architecture)
    return { ...stored, ...whole, hasAgentFiles: hasAgentFiles(path, stored.architecture) }
  }
  const { format, transcripts } = options.found ?? (await findSession(path, options))
  const stats = statsOf(path)
  const files = transcripts.flatMap(pathsOf)
  // A folder decides the content of a session too: a new file in it changes its time.
  const sources = stats.isDirectory() ? [path, ...files] : files
  const [main, ...agents] = transcripts
  if (format && main.content) {
    const read = agents.flatMap(({ id = '', content }) => (content ? [{ id, content }] : []))
    const whole = wholeEntries([{ content: main.content }, ...read], format.name)
    return { ...whole, sources, hasAgentFiles: hasAgentFiles(main.path, format.name) }
  }
  const read = reporting(transcripts, onProgress)
  const own = await textEntries(read(normalize(main.path)), format?.name ?? architecture)
  // Another program wrote the session's own file, so the agents of that name are not its own.
  if (format && architecture === undefined && (own.detected ?? format.name) !== format.name)
    return openSession(path, { ...options, found: { transcripts: [{ path: main.path }] } })
  const portions = format ? joinFiles(transcripts, own, format, read) : own.portions
  const name = format?.name ?? own.architecture
  const isOwn = name !== undefined && hasAgentFiles(main.path, name)
  return { ...own, path: main.path, sources, portions, hasAgentFiles: isOwn }
}

/** Joins the entries of a session's files with those of its own file. */
async function* joinFiles(
  transcripts: readonly TranscriptFiles[],
  main: SessionEntries,
  format: Format<Architecture>,
  read: typeof readChunks,
): AsyncGenerator<readonly Entry[], void> {
  const ownPortions = async function* ({ id, path }: TranscriptFiles) {
    yield* (id === undefined ? main : await textEntries(read(path), format.name)).portions
  }
  const readers = transcripts.map((files) => new TranscriptPlacer(files, format).read(ownPortions(files)))
  for await (const portion of joinPortions(readers)) yield portion.map(({ entry }) => entry)
}

/** In bytes. A shorter session needs no progress report. */
const LONG_SESSION = 4_000_000

/** Returns a function that reads files, and reports the part of them all that it has read. */
function reporting(
  files: readonly TranscriptFiles[],
  onProgress: OpenOptions['onProgress'],
): typeof readChunks {
  let size = 0
  if (onProgress) for (const { path } of files) size += statsOf(path).size
  if (!onProgress || size < LONG_SESSION) return readChunks
  let read = 0
  return async function* (path) {
    for await (const chunk of readChunks(path)) {
      read += chunk.length
      onProgress(read / size)
      yield chunk
    }
  }
}
