import { checkOf, SnapshotError } from '../../core/json/check-shape.ts'
import type { FieldsOf } from '../../core/json/shape.ts'
import { isObject, type JsonValue } from '../../core/json/values.ts'
import type { Architecture } from '../../programs/program.ts'
import type { EntryPlace } from '../../reading/input/transcript-order.ts'
import { loadSession, saveSession } from '../../reading/save-session.ts'
import type { Session } from '../../reading/source.ts'
import { isArchitecture } from '../../wires/names.ts'
import { sourceOf } from '../../wires/source-of.ts'
import type { TranscriptPosition } from '../read/transcript-placer.ts'
import type { FilePlace } from './growing-file.ts'

/** A place in a followed session, as plain JSON. Its size is proportional to the state and to the notes of the source. */
export interface SessionProgress {
  readonly version: typeof VERSION
  readonly architecture: Architecture
  /** The session, as `saveSession` saves it. */
  readonly session: JsonValue
  /** The place in each file. Absent if the program writes the session as a whole. */
  readonly lines?: LinesProgress
}

/** The place up to which the files of one transcript are read, as plain JSON. */
export interface GrowingPlace extends FilePlace, TranscriptPosition {
  readonly path: string
}

/** The place in the files of a session, as plain JSON. Treat it as opaque. */
export interface LinesProgress {
  /** The session's own file. */
  readonly path: string
  readonly threads: readonly GrowingPlace[]
  /** The place of the last entry by time. */
  readonly last?: EntryPlace
}

/** A place in a followed session. */
export interface SessionPlace {
  readonly architecture: Architecture
  readonly session: Session
  readonly lines?: LinesProgress
}

const VERSION = 2

/** Returns the place as plain JSON. */
export function saveProgress({ architecture, session, lines }: SessionPlace): SessionProgress {
  return { version: VERSION, architecture, session: saveSession(session), ...(lines && { lines }) }
}

/** Reads a progress. Returns undefined for any other value, and for one of another version. */
export async function loadProgress(saved: unknown): Promise<SessionPlace | undefined> {
  if (!isObject(saved) || saved.version !== VERSION || !isArchitecture(saved.architecture)) return undefined
  const { architecture, lines } = saved
  if (lines !== undefined && !isLines(lines)) return undefined
  try {
    const session = loadSession(await sourceOf(architecture), saved.session)
    return { architecture, session, ...(lines && { lines }) }
  } catch (error) {
    if (error instanceof SnapshotError) return undefined
    throw error
  }
}

const LINES: FieldsOf<LinesProgress> = {
  path: 'string',
  threads: {
    listOf: {
      fields: {
        path: 'string',
        offset: 'finite number',
        lineStart: 'finite number',
        lineCount: 'finite number',
        head: 'string',
        tail: 'string',
        firstTime: 'string',
        time: 'string',
        entryCount: 'finite number',
        'facts?': { fields: { line: 'finite number', 'transcript?': 'string' } },
      },
    },
  },
  'last?': { fields: { time: 'string', rank: 'string', index: 'finite number' } },
}

function isLines(value: unknown): value is LinesProgress {
  return checkOf({ fields: LINES })(value, undefined, [])
}
