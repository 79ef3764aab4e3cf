import { setImmediate } from 'node:timers/promises'
import type { Architecture } from '../../programs/program.ts'
import { severalSessions, TranscriptError } from '../../reading/input/combined.ts'
import type { FileReader, TranscriptFiles } from '../../reading/input/transcript-files.ts'
import { allFormats, DEFAULT_ARCHITECTURE, formatOf } from '../../wires/all.ts'
import type { Format } from '../../wires/format.ts'
import { architectureOfFile, firstValues } from '../files/detect-file.ts'
import { fileReader } from '../files/file-reader.ts'
import { type ListFilesOptions, listFiles } from '../files/list-files.ts'

/** How to find a session. */
export interface FindOptions extends ListFilesOptions {
  /** The format of the session. Without it, the content shows the format. */
  readonly architecture?: Architecture | undefined
  /** Reads the files and folders. A pass over many sessions keeps what it has read. */
  readonly reader?: FileReader
}

/** The files of a session. Without a format, it is one file with any content. */
export interface FoundSession {
  readonly transcripts: readonly [TranscriptFiles, ...TranscriptFiles[]]
  readonly format?: Format<Architecture>
}

/**
 * Finds the one session in a folder: the files that a program stored, or else a recorded stream. Throws a
 * `TranscriptError` if there is no session, or if there are several.
 */
export async function findInFolder(path: string, options: FindOptions): Promise<FoundSession> {
  const { architecture, signal } = options
  const paths = await listFiles(path, (each) => isPartOfAnyFormat(each) || isStreamName(each), options)
  const given = architecture === undefined ? undefined : formatOf(architecture)
  const format = await formatOfFiles(paths, given ? [given] : allFormats(), signal)
  if (format) return selected(format, paths)
  const stream = await findStream(paths, options)
  if (stream !== undefined) return { transcripts: [{ path: stream }] }
  // The reader of these files says why they are no session: they are empty, or no program wrote them.
  const reporting = given ?? formatOf(DEFAULT_ARCHITECTURE)
  if (paths.some(given ? given.files.isPart : reporting.files.isSession)) return selected(reporting, paths)
  throw new TranscriptError('no-session', 'no session in the folder: pass a recorded stream as a file')
}

function selected(format: Format<Architecture>, paths: readonly string[]): FoundSession {
  return { format, transcripts: format.files.transcripts(paths.filter(format.files.isPart), fileReader) }
}

/**
 * Returns the format that recognizes the content of a file whose name it knows. Messages come before documents.
 * Throws a `TranscriptError` if two formats recognize messages.
 */
async function formatOfFiles(
  paths: readonly string[],
  formats: readonly Format<Architecture>[],
  signal: AbortSignal | undefined,
): Promise<Format<Architecture> | undefined> {
  const byFormat = formats.map((format) => ({ format, files: paths.filter(format.files.isSession) }))
  const sessions: { readonly format: Format<Architecture>; readonly path: string }[] = []
  for (const { format, files } of byFormat) {
    const path = await findPath(files, (each) => hasMessageOf(format, each), signal)
    if (path !== undefined) sessions.push({ format, path })
  }
  if (sessions.length > 1) throw severalSessions(sessions.map(({ path }) => path))
  if (sessions[0]) return sessions[0].format
  for (const { format, files } of byFormat)
    if ((await findPath(files, (each) => isDocumentOf(format, each), signal)) !== undefined) return format
  return undefined
}

function hasMessageOf(format: Format<Architecture>, path: string): boolean {
  return firstValues(path).some((value) => format.isMessage(value))
}

function isDocumentOf(format: Format<Architecture>, path: string): boolean {
  return path.endsWith('.json') && format.isDocument(fileReader.value(path))
}

/** Returns the file with a recorded stream; undefined if there is none. Throws a `TranscriptError` if there are several. */
async function findStream(
  paths: readonly string[],
  { architecture, signal }: FindOptions,
): Promise<string | undefined> {
  const known: { readonly path: string; readonly format: Format<Architecture> }[] = []
  for await (const path of inTurns(paths.filter(isStreamName), signal)) {
    const found = architectureOfFile(path)
    if (found === undefined || (architecture !== undefined && found !== architecture)) continue
    known.push({ path, format: formatOf(found) })
  }
  // The only file may be a session with another name, which some formats take for that of an agent. The default
  // format says what its own files lack.
  const isOnly = known.length === 1 && known[0]?.format.name !== DEFAULT_ARCHITECTURE
  const [stream, ...others] = known.filter(({ path, format }) => isOnly || !isAgentsFile(path, format))
  if (stream && others.length > 0) throw severalSessions([stream, ...others].map(({ path }) => path))
  return stream?.path
}

/** Whether people give that name to a stream that they record. */
function isStreamName(path: string): boolean {
  return path.endsWith('.jsonl') || path.endsWith('.ndjson')
}

function isAgentsFile(path: string, { files }: Format<Architecture>): boolean {
  return files.isPart(path) && !files.isSession(path)
}

function isPartOfAnyFormat(path: string): boolean {
  return allFormats().some(({ files }) => files.isPart(path))
}

/** The files that a scan looks at before other work of the process has its turn. */
const FILES_PER_TURN = 32

/**
 * Yields the paths of a long scan. The look at a file is synchronous, so other work of the process has its turn in
 * between. Without it, nothing could end the scan of a large folder. Throws the signal's reason after the abort.
 */
async function* inTurns(
  paths: readonly string[],
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void> {
  for (const [at, path] of paths.entries()) {
    if (at % FILES_PER_TURN === 0) await setImmediate()
    signal?.throwIfAborted()
    yield path
  }
}

/** Returns the first of the paths that is wanted, by a look at the files in turns. */
export async function findPath(
  paths: readonly string[],
  isWanted: (path: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  for await (const path of inTurns(paths, signal)) if (isWanted(path)) return path
  return undefined
}
