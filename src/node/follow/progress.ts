import { SnapshotError } from '../../json/snapshot-error.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../json/values.ts'
import type { Architecture } from '../../programs/program.ts'
import { loadSession, saveSession } from '../../session/save-session.ts'
import type { Session } from '../../session/session.ts'
import { formatOf, isArchitecture } from '../../wires/all.ts'
import type { GrowingPlace } from './growing-transcript.ts'
import type { LinesProgress } from './session-lines.ts'

/** A place in a followed session, as plain JSON. Its size is proportional to the state and to the notes of the source. */
export interface SessionProgress {
  readonly version: typeof VERSION
  readonly architecture: Architecture
  /** The session, as `saveSession` saves it. */
  readonly session: JsonValue
  /** The place in each file. Absent if the program writes the session as a whole. */
  readonly lines?: LinesProgress
}

const VERSION = 2

/** Returns the place as plain JSON. */
export function saveProgress(
  architecture: Architecture,
  session: Session,
  lines?: LinesProgress,
): SessionProgress {
  return { version: VERSION, architecture, session: saveSession(session), ...(lines && { lines }) }
}

/** A progress that was read again. */
interface LoadedProgress {
  readonly architecture: Architecture
  readonly session: Session
  readonly lines?: LinesProgress
}

/** Reads a progress. Returns undefined for any other value, and for one of another version. */
export function loadProgress(saved: unknown): LoadedProgress | undefined {
  if (!isObject(saved) || saved.version !== VERSION || !isArchitecture(saved.architecture)) return undefined
  try {
    const session = loadSession(formatOf(saved.architecture).source, saved.session)
    const lines = saved.lines === undefined ? undefined : readLines(asObject(saved.lines))
    return { architecture: saved.architecture, session, ...(lines && { lines }) }
  } catch (error) {
    if (error instanceof SnapshotError) return undefined
    throw error
  }
}

function readLines({ path, threads, last }: JsonObject): LinesProgress {
  const places = asArray(threads).map((place) => readThread(asObject(place)))
  const own = { path: asString(path) ?? '', threads: places }
  if (!isObject(last)) return own
  const { time, rank, index } = last
  const place = { time: asString(time) ?? '', rank: asString(rank) ?? '', index: asFiniteNumber(index) ?? 0 }
  return { ...own, last: place }
}

/** A wrong number leads to other bytes than the saved ones, so the files are read from their beginning. */
function readThread(place: JsonObject): GrowingPlace {
  const facts = asObject(place.facts)
  const text = (name: string) => asString(place[name]) ?? ''
  const count = (name: string) => Math.max(0, asFiniteNumber(place[name]) ?? 0)
  return {
    path: text('path'),
    offset: count('offset'),
    lineStart: count('lineStart'),
    lineCount: count('lineCount'),
    head: text('head'),
    tail: text('tail'),
    firstTime: text('firstTime'),
    time: text('time'),
    entryCount: count('entryCount'),
    ...('message' in facts && {
      facts: { line: 0, transcript: asString(facts.transcript) ?? '', message: facts.message },
    }),
  }
}
