import type { TranslationContext } from '../../reading/context.ts'
import { declareNotes, type NotesDeclaration, type NotesOf } from '../../reading/notes/notes.ts'
import { SEEN_LINES } from '../kit/lines.ts'

/** A prompt or a call, and the numbers of the next text and the next thought after it. */
const PLACE = {
  fields: { id: 'string', 'texts?': 'finite number', 'thoughts?': 'finite number' },
} as const

const FIELDS = {
  /** The blocks of the prompts that a file has named, by the id of the message. Only files have such ids. */
  prompts: { mapOf: 'string' },
  /** By message of a file with results: the last block of main before the next message. A rewind may name the message. */
  resultMessages: { mapOf: 'string' },
  /** By thread and block: the prompts that no file has named so far. A file may repeat one with its id. */
  unnamedPrompts: { setOf: 'string' },
  /** By thread: the number of prompts so far. Those of abandoned branches count. */
  promptCounts: { mapOf: 'finite number' },
  /** By thread: the last prompt or call in its file. A file that is read again is behind the state. */
  places: { mapOf: PLACE },
  /** The last prompt or call in the stream. A stream that comes again is behind the state. */
  streamPlace: PLACE,
  /**
   * The text that the stream builds. A reader that joined late has another last text. `position` is the place that
   * pieces of a known text have reached, in UTF-16 units.
   */
  openText: { fields: { id: 'string', 'position?': 'finite number' } },
  /** The last lines of the stream, and when its process began. */
  stream: { fields: { ...SEEN_LINES.fields, 'start?': 'string' } },
  /** The forms whose lines belong to another session, until one names this session again. */
  otherSessions: { setOf: 'string' },
  /** The program writes the whole history of main as lines with new ids. They end with a list of them. */
  isRewriting: 'boolean',
} as const

/** The facts from earlier messages that no state shows. */
export type GeminiNotes = NotesOf<typeof FIELDS>

/** The notes of the source. */
export const NOTES: NotesDeclaration<GeminiNotes> = /* @__PURE__ */ declareNotes(
  { source: 'gemini', version: 1 },
  FIELDS,
)

/** The translation of a batch of messages. */
export type GeminiContext = TranslationContext<GeminiNotes>
