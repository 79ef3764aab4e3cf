import { fieldName } from '../../core/json/shape.ts'
import { asObject } from '../../core/json/values.ts'
import { SESSION_TURN, type SessionTurn, TURN_OUTCOME } from '../../core/state/turn.ts'
import type { TurnEnd } from '../turn.ts'
import { type NoteFields, type NoteShape, type NoteValue, type TypedShape, typedShape } from './note-shape.ts'
import { copyOfSlots, slotsOf } from './notes-draft.ts'
import { PersistentMap } from './persistent-map.ts'

/**
 * The facts from earlier messages that no state shows, for example messages that wait for a later one. They are
 * immutable, and only their source reads them. `saveSession` turns them into JSON.
 */
export class Notes<Values extends object = object> {
  readonly declaration: NotesDeclaration<Values>
  readonly values: Values

  constructor(declaration: NotesDeclaration<Values>, values: Values) {
    this.declaration = declaration
    this.values = values
  }
}

/** The one declaration of a source's notes. Their type, their initial values, saving and loading derive from it. */
export interface NotesDeclaration<Values extends object = object> {
  /** The name of the source. */
  readonly source: string
  /** A changed note needs the next version, because older saved sessions do not have it. */
  readonly version: number
  /** The shapes of the notes by name, each with the mark of an optional field: a note that says nothing is not saved. */
  readonly shapes: NoteFields
  readonly initial: Values
}

/** The notes of a declaration. A map or set may be empty; any other note is undefined while it says nothing. */
export type NotesOf<Fields> = CommonNotes & {
  readonly [Name in keyof Fields]: Fields[Name] extends
    | { readonly mapOf: NoteShape }
    | { readonly setOf: 'string' }
    ? NoteValue<Fields[Name]>
    : NoteValue<Fields[Name]> | undefined
}

/** The notes that every source has. */
export interface CommonNotes {
  /** The last turn, if another one has begun and main has got no new content since. */
  readonly lastTurn?: SessionTurn | undefined
  /** The end of the running turn, if the model has answered and the program has not reported the end yet. */
  readonly answer?: TurnEnd | undefined
  /** The start of the last turn, if an answer in a file ended it. Later work goes on with that turn. */
  readonly settled?: Pick<SessionTurn, 'startedAt'> | undefined
  /** The start that went on with a cut turn, until main gets content. A prompt shows that it was the start of another turn. */
  readonly restart?: Pick<SessionTurn, 'startedAt'> | undefined
  /** The agents with a line that is not JSON. It may have been the prompt. */
  readonly brokenStarts?: PersistentMap<true>
}

const START = /* @__PURE__ */ typedShape<Pick<SessionTurn, 'startedAt'>>({
  fields: { 'startedAt?': 'string' },
})
const COMMON: {
  readonly [Name in keyof CommonNotes]-?: TypedShape<CommonNotes[Name]> | { setOf: 'string' }
} = {
  lastTurn: /* @__PURE__ */ typedShape<SessionTurn>({ fields: SESSION_TURN }),
  answer: /* @__PURE__ */ typedShape<TurnEnd>({
    fields: { 'outcome?': TURN_OUTCOME, 'error?': 'string', 'timestamp?': 'string' },
  }),
  settled: START,
  restart: START,
  brokenStarts: { setOf: 'string' },
}

/** The name of a source, and the version of its notes. */
interface NotesLabel {
  readonly source: string
  readonly version: number
}

/**
 * Declares the notes of a source by name: the shape of each note, without a mark for optional notes.
 *
 * @example
 * ```ts
 * const FIELDS = { waiting: { mapOf: 'JSON object' }, lastId: 'string' } as const
 * const parrotNotes = declareNotes({ source: 'parrot', version: 1 }, FIELDS)
 * type ParrotNotes = NotesOf<typeof FIELDS>
 * ```
 */
export function declareNotes<Fields extends NoteFields>(
  label: NotesLabel,
  fields: Fields,
): NotesDeclaration<NotesOf<Fields>>
export function declareNotes(label: NotesLabel, fields: NoteFields): NotesDeclaration {
  const entries = [...Object.entries(COMMON), ...Object.entries(fields)]
  const isMap = (shape: NoteShape) => typeof shape === 'object' && ('mapOf' in shape || 'setOf' in shape)
  return {
    ...label,
    shapes: Object.fromEntries(entries.map(([name, shape]) => [`${name}?`, shape])),
    initial: slotsOf(
      Object.fromEntries(
        entries.map(([name, shape]) => [name, isMap(shape) ? new PersistentMap() : undefined]),
      ),
    ),
  }
}

/** Returns the values of the notes that say something: no undefined ones and no empty maps. */
export function nonEmptyNotes({ declaration, values }: Notes): object {
  const known = asObject(values)
  const says = (value: unknown) => value !== undefined && !(value instanceof PersistentMap && value.isEmpty)
  const entries = Object.keys(declaration.shapes).map((entry) => [fieldName(entry), known[fieldName(entry)]])
  return Object.fromEntries(entries.filter(([, value]) => says(value)))
}

/** Returns new notes with these values. */
export function newNotes<Values extends object>(
  declaration: NotesDeclaration<Values>,
  values?: Partial<Values>,
): Notes<Values> {
  return new Notes(declaration, copyOfSlots(declaration.initial, values))
}

/** Returns the values of notes. Throws a `TypeError` for notes that another source has made. */
export function notesOf<Values extends object>(
  declaration: NotesDeclaration<Values>,
  notes: unknown,
): Values {
  if (isDeclaredBy(declaration, notes)) return notes.values
  throw new TypeError(
    'pass a session that this source returned: `loadSession` makes it from what `saveSession` returned',
  )
}

function isDeclaredBy<Values extends object>(
  declaration: NotesDeclaration<Values>,
  notes: unknown,
): notes is Notes<Values> {
  return notes instanceof Notes && notes.declaration === declaration
}
