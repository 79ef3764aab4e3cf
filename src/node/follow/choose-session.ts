import { open, stat } from 'node:fs/promises'
import { isEqual } from '../../json/equal.ts'
import { fileValue } from '../../session/input/jsonl.ts'
import { entriesIn } from '../../session/input/transcripts.ts'
import { EntryReader } from '../../session/reader.ts'
import { DEFAULT_ARCHITECTURE, formatOf } from '../../wires/all.ts'
import { detectArchitecture, isLines } from '../../wires/detect.ts'
import { decoderOf } from '../files/decode-text.ts'
import { wrapReadError } from '../files/read-error.ts'
import { readPiece } from '../files/read-piece.ts'
import { findSession, pathsOf } from '../read/find-session.ts'
import { isStoredSession } from '../read/stored-session.ts'
import { SessionDocument } from './session-document.ts'
import { SessionLines } from './session-lines.ts'

/** A session that is followed, in the way in which its program writes it. */
export type FollowedSession = SessionLines | SessionDocument

/**
 * Chooses the way to follow a session by its content. Returns undefined while the content does not show it: an empty file, half of a first
 * line, or lines of an unknown format. Throws a `TranscriptError` if there is no session. `refuseUnknown`
 * makes whole lines of an unknown format an error too.
 */
export async function chooseSession(
  path: string,
  { refuseUnknown = false }: { readonly refuseUnknown?: boolean | undefined } = {},
): Promise<FollowedSession | undefined> {
  if (isStoredSession(path)) return SessionDocument.open(path)
  const main = await mainFile(path)
  if (main === undefined) return SessionDocument.open(path)
  const beginning = await readBeginning(main)
  if (beginning === undefined) return SessionDocument.open(path)
  if (!isWhole(beginning)) return undefined
  const session = await chooseByContent(path, main, beginning)
  if (session || !refuseUnknown || isUnfinishedValue(beginning)) return session
  throwIfUnknown(beginning)
  return isLines(beginning) ? new SessionLines(main, formatOf(DEFAULT_ARCHITECTURE)) : undefined
}

async function chooseByContent(
  path: string,
  main: string,
  beginning: string,
): Promise<FollowedSession | undefined> {
  if (!isLines(beginning)) return SessionDocument.open(path)
  const architecture = detectArchitecture(beginning)
  return architecture && new SessionLines(main, formatOf(architecture))
}

/** Throws the `TranscriptError` of `readSession`. Lines that show no format are no error if its default reader knows one of them. */
function throwIfUnknown(beginning: string): void {
  const { source, transcripts } = formatOf(DEFAULT_ARCHITECTURE)
  const reader = new EntryReader(source)
  reader.read(entriesIn(beginning, transcripts))
  reader.refuseUnknown(undefined)
}

/** Returns the session's own file; undefined if the session has no file of lines that is its own. */
async function mainFile(path: string): Promise<string | undefined> {
  const { transcripts, format } = await findSession(path)
  if (!(await wrapReadError(stat(path))).isDirectory()) return path
  const main = transcripts[0].path
  const alone = await findSession(main, format?.name)
  return isEqual(alone.transcripts.flatMap(pathsOf), transcripts.flatMap(pathsOf)) ? main : undefined
}

/** In bytes. Some versions begin a file with long lines that show no format. */
const BEGINNING = 2 ** 22

/** Returns the text of the beginning; undefined for UTF-16, whose lines are not read one by one. */
async function readBeginning(path: string): Promise<string | undefined> {
  const file = await wrapReadError(open(path, 'r'), path)
  try {
    const { size } = await file.stat()
    const bytes = await wrapReadError(readPiece(file, 0, Math.min(size, BEGINNING)), path)
    const decoder = decoderOf(bytes)
    return decoder.encoding === 'utf-8' ? decoder.decode(bytes) : undefined
  } finally {
    await file.close()
  }
}

/** Whether the first line is complete, or the text is one JSON value. */
function isWhole(beginning: string): boolean {
  return beginning.trimStart().includes('\n') || fileValue(beginning) !== undefined
}

/** Whether the text may be the beginning of one JSON value on many lines. */
function isUnfinishedValue(beginning: string): boolean {
  return !isLines(beginning) && fileValue(beginning) === undefined
}
