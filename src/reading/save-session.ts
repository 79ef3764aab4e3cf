import { describeIssue, refuse, type ShapeIssue, SnapshotError } from '../core/json/check-shape.ts'
import { checksumOf } from '../core/json/checksum.ts'
import { copyJson, isTooDeep, MAX_DEPTH } from '../core/json/depth.ts'
import { asObject, isObject, type JsonObject, type JsonValue } from '../core/json/values.ts'
import { restoreState } from '../core/state/restore-state.ts'
import { codecOf } from './notes/note-codec.ts'
import { Notes, type NotesDeclaration, newNotes, nonEmptyNotes } from './notes/notes.ts'
import type { Session, Source } from './source.ts'

/**
 * Returns the session as plain JSON, with the name of its source, versions and a checksum. Its size is proportional
 * to the state and the notes. Throws a `TypeError` for a value that no source returned.
 */
export function saveSession(session: Session): JsonValue {
  const { notes } = asObject(session)
  if (!(notes instanceof Notes)) throw new TypeError('pass a session that a source returned')
  const { source, version, shapes } = notes.declaration
  const content = {
    state: copyJson(session.state),
    notes: codecOf({ fields: shapes }).encode(nonEmptyNotes(notes)),
  }
  return { version: VERSION, source, notesVersion: version, checksum: checksumOf(content), ...content }
}

const VERSION = 1

/**
 * Returns the session that `saveSession` saved. The source goes on exactly as before. Throws a `SnapshotError`, whose
 * `issues` name the wrong places, for any other value.
 */
export function loadSession(source: Source, saved: unknown): Session {
  try {
    return read(source, saved)
  } catch (error) {
    // A getter or a proxy of the value threw.
    throw error instanceof SnapshotError ? error : notSaved('unreadable')
  }
}

function read(source: Source, saved: unknown): Session {
  if (!isObject(saved)) throw notSaved('the value is no object')
  const declaration = declarationOf(source, saved)
  const issues: ShapeIssue[] = []
  checkDepth('state', saved.state, issues)
  const state = issues.length > 0 ? undefined : restoreState(saved.state, issues, ['state'])
  const values = codecOf({ fields: declaration.shapes }).decode(saved.notes, issues, ['notes'])
  // The shapes name the place of a deep note, but do not look at unknown fields.
  if (issues.length === 0) checkDepth('notes', saved.notes, issues)
  if (!state || issues.length > 0 || !isObject(values))
    throw notSaved(issues.map(describeIssue)[0] ?? '', issues)
  if (saved.checksum !== checksumOf({ state: copyJson(saved.state), notes: copyJson(saved.notes) }))
    throw new SnapshotError('damaged', 'the session is not as it was saved: its checksum differs')
  return { state, notes: newNotes(declaration, values) }
}

/**
 * A subagent's block is three levels deeper than in its event, and a note in a list of a map somewhat more. Each note
 * has its own limit, too.
 */
const MAX_DEPTHS = { state: MAX_DEPTH + 3, notes: MAX_DEPTH + 8 }

function checkDepth(part: keyof typeof MAX_DEPTHS, value: unknown, issues: ShapeIssue[]): void {
  const depth = MAX_DEPTHS[part]
  if (isTooDeep(value, depth)) refuse(issues, 'invalid-value', [part], `a value of at most ${depth} levels`)
}

/** Returns the declaration of the saved notes. */
function declarationOf(
  source: Source,
  { version, source: name, notesVersion }: JsonObject,
): NotesDeclaration {
  if (typeof version !== 'number' || typeof name !== 'string' || typeof notesVersion !== 'number')
    throw notSaved('it needs version, source and notesVersion')
  const declaration = source.notes.find((each) => each.source === name)
  if (!declaration)
    throw new SnapshotError('other-source', `a session of ${name}, but this source reads ${namesOf(source)}`)
  if (version !== VERSION || notesVersion !== declaration.version)
    throw new SnapshotError(
      'unknown-version',
      `a session of version ${version}.${notesVersion}, but this library reads version ${VERSION}.${declaration.version}`,
    )
  return declaration
}

function namesOf({ notes }: Source): string {
  return notes.map(({ source }) => source).join(', ')
}

function notSaved(reason: string, issues: readonly ShapeIssue[] = []): SnapshotError {
  return new SnapshotError('not-a-snapshot', `not a saved session: ${reason}`, issues)
}
