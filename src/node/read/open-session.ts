import { stat } from 'node:fs/promises'
import { normalize } from 'node:path'
import type { Architecture } from '../../programs/program.ts'
import type { Entry } from '../../session/input/entries.ts'
import type { TranscriptBase, TranscriptFiles } from '../../session/input/transcript-files.ts'
import { joinTranscripts } from '../../session/input/transcripts.ts'
import { formatOf } from '../../wires/all.ts'
import type { Format } from '../../wires/format.ts'
import { readChunks, readPieces } from '../files/file-reader.ts'
import type { OnUnreadable } from '../files/list-files.ts'
import { wrapReadError } from '../files/read-error.ts'
import { findSession, pathsOf } from './find-session.ts'
import { joinPortions } from './join-portions.ts'
import { type Meter, meterOf, type OnProgress } from './meter.ts'
import { readStoredSession } from './stored-session.ts'
import { inPortions, type SessionEntries, textEntries } from './text-entries.ts'
import { TranscriptReader } from './transcript-reader.ts'

/** The entries of a session in files, in folders or in a database. */
interface OpenedSession extends SessionEntries {
  /** The files and folders that decide the entries. */
  readonly sources: readonly string[]
}

/** How to open a session. */
interface OpenOptions {
  /** The format of the session. Without it, the content shows the format. */
  readonly architecture?: Architecture | undefined
  /** Gets each folder inside that cannot be read. Without it, such a folder is an error. */
  readonly onUnreadable?: OnUnreadable
  readonly onProgress?: OnProgress
}

/** Opens a file, a session's file with the files of its subagents, a folder with one session, or a session in a program's own storage. */
export async function openSession(
  path: string,
  { architecture, onUnreadable, onProgress }: OpenOptions = {},
): Promise<OpenedSession> {
  const stored = await readStoredSession(path, onUnreadable)
  if (stored) {
    const { transcripts, ...facts } = stored
    const rules = formatOf(stored.architecture).transcripts
    return { ...facts, portions: inPortions(joinTranscripts(transcripts, rules)) }
  }
  const { format, transcripts } = await findSession(path, architecture, onUnreadable)
  const paths = transcripts.flatMap(pathsOf)
  // A folder decides the content of a session too: a new file in it changes its time.
  const stats = await wrapReadError(stat(path))
  const sources = stats.isDirectory() ? [path, ...paths] : paths
  const meter = await meterOf(transcripts, onProgress)
  if (format) return { architecture: format.name, portions: portionsOf(transcripts, format, meter), sources }
  const file = normalize(transcripts[0].path)
  // A pipe has no places.
  const chunks = meter(stats.isDirectory() || stats.isFile() ? readPieces(file) : readChunks(file))
  return { ...(await textEntries(chunks, architecture)), sources }
}

/** Returns the joined entries of a session's files. */
function portionsOf(
  transcripts: readonly [TranscriptFiles, ...TranscriptFiles[]],
  format: Format<Architecture>,
  meter: Meter,
): AsyncIterable<readonly Entry[]> {
  const [{ content }, ...agents] = transcripts
  if (!content) return joinFiles(transcripts, format, meter)
  const read = agents.flatMap(({ id = '', content }) => (content ? [{ id, content }] : []))
  return inPortions(joinTranscripts([{ content }, ...read], format.transcripts))
}

async function* joinFiles(
  transcripts: readonly TranscriptFiles[],
  { name, transcripts: rules }: Format<Architecture>,
  meter: Meter,
): AsyncGenerator<readonly Entry[], void> {
  const portionsOfFile = async function* ({ path, bases = [] }: TranscriptFiles) {
    for (const base of bases) yield* basePortions(base, name)
    yield* (await textEntries(meter(readPieces(path)), name)).portions
  }
  const readers = transcripts.map((each) =>
    new TranscriptReader(each, rules).read(portionsOfFile(each), each.factsPath),
  )
  for await (const portion of joinPortions(readers)) yield portion.map(({ entry }) => entry)
}

/** Returns the entries of a file from which a transcript goes on. */
export async function* basePortions(
  { path, includes }: TranscriptBase,
  architecture: Architecture,
): AsyncGenerator<readonly Entry[], void> {
  const { portions } = await textEntries(readPieces(path), architecture)
  for await (const portion of portions)
    yield portion.filter((entry) => 'message' in entry && includes(entry.message))
}
