import {
  createInitialConversationState,
  detectArchitecture,
  readTranscript,
  reduceSessionEvents,
  type SessionConversationState,
  TranscriptError,
} from '../../../src/entries/index.ts'
import type { FileReader } from '../../../src/reading/input/transcript-files.ts'
import { combineFiles, type TranscriptFiles } from '../../../src/reading/input/transcript-files.ts'
import { allFormats } from '../../../src/wires/all.ts'
import type { Format } from '../../../src/wires/format.ts'
import type { ReadTranscript } from '../../../src/wires/transcript.ts'
import { type Files, firstValues, readerOf } from './memory-reader.ts'

/** A session among files in memory. */
export interface FoundSession {
  readonly path: string
  /** The title that the program stored. */
  readonly title: string | undefined
  /** Reads the session with its subagents. Throws a `TranscriptError`. */
  readonly read: () => ReadSession
}

/** A session that was read to its end. */
export interface ReadSession extends Pick<ReadTranscript, 'issues'> {
  readonly state: SessionConversationState
}

/** Reads the text of a file, or the files of a session. Throws a `TranscriptError`. */
export function readText(raw: Parameters<typeof readTranscript>[1]): ReadSession {
  const { events, issues } = readTranscript(raw)
  return { state: reduceSessionEvents(createInitialConversationState(), events), issues }
}

type FormatNames = ReadonlyMap<string, string | undefined>

/** Returns the sessions among files: those that a program stored, or else recorded streams. A file alone is a session, whatever its name. */
export function sessionsIn(files: Files): readonly FoundSession[] {
  const [only, ...others] = files
  if (only && others.length === 0) return [{ path: only[0], title: undefined, read: () => readText(only[1]) }]
  const names = new Map([...files].map(([path, text]) => [path, detectArchitecture(text)]))
  const stored = allFormats().flatMap((format) => storedSessions(format, files, names))
  if (stored.length > 0) return stored
  return [...files].flatMap(([path, text]) =>
    isStream(path, names) ? [{ path, title: undefined, read: () => readText(text) }] : [],
  )
}

/** Whether people give that name to a stream that they record, and a format knows its content. */
function isStream(path: string, names: FormatNames): boolean {
  return /\.(?:jsonl|ndjson)$/.test(path) && names.get(path) !== undefined
}

/** Returns the sessions that a program stored in its own files. */
function storedSessions(format: Format, files: Files, names: FormatNames): readonly FoundSession[] {
  const isOwn = (path: string) => names.get(path) === format.name
  const paths = [...files.keys()].filter((path) => isOwn(path) || names.get(path) === undefined).sort()
  if (!paths.some((path) => isOwn(path) && format.files.isSession(path))) return []
  const place = { format, files, paths: paths.filter(format.files.isPart), reader: readerOf(files) }
  try {
    return [foundSession(format.files.transcripts(place.paths, place.reader), place)]
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error
    return (error.sessions ?? []).map((path) => foundSession(transcriptsAt(path, place), place))
  }
}

interface Place {
  readonly format: Format
  readonly files: Files
  /** The files that may belong to a session of the format. */
  readonly paths: readonly string[]
  readonly reader: FileReader
}

/** Returns a session's file with the files of its subagents, which are at the places that the format names. */
function transcriptsAt(
  path: string,
  { format, paths, reader }: Place,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  const { isPart, isSession, agentFiles, transcripts } = format.files
  const places = agentFiles(path, reader)
  if (!places) return [{ path }]
  const own = [places.folder, ...(places.furtherFolders?.(reader) ?? [])].filter((each) => each !== undefined)
  const isAgents = (each: string) => isPart(each) && !isSession(each)
  const inside = paths.filter((each) => isAgents(each) && own.some((folder) => isInside(each, folder)))
  const linked = inside.flatMap((each) => places.leadsTo?.(each) ?? [])
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const beside = paths.filter(
    (each) =>
      each.lastIndexOf('/') === folder.length - 1 &&
      each.startsWith(folder) &&
      places.isBeside(each.slice(folder.length)),
  )
  const agents = new Set([...inside, ...linked, ...beside].filter((each) => paths.includes(each)))
  agents.delete(path)
  return agents.size === 0 ? [{ path }] : transcripts([path, ...agents], reader, path)
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

function foundSession(
  transcripts: readonly [TranscriptFiles, ...TranscriptFiles[]],
  { format, files, reader }: Place,
): FoundSession {
  const [{ path }] = transcripts
  const facts = firstValues(reader, path).map(format.storage.facts)
  return {
    path,
    title: facts.map(({ title }) => title).find((title) => title !== undefined),
    read: () => readText(combineFiles(Object.fromEntries(files), () => transcripts)),
  }
}
