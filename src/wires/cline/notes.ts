import type { TranslationContext } from '../../reading/context.ts'
import { declareNotes, type NotesDeclaration, type NotesOf } from '../../reading/notes/notes.ts'
import { SEEN_LINES } from '../kit/lines.ts'

/** The tokens that a line states. The input includes the tokens of the cache. */
const TOKENS = {
  fields: {
    'inputTokens?': 'finite number',
    'outputTokens?': 'finite number',
    'cacheReadTokens?': 'finite number',
    'cacheWriteTokens?': 'finite number',
    'totalInputTokens?': 'finite number',
  },
} as const

/** A reply of the model whose agent is not known yet. */
const REPLY = {
  fields: {
    'text?': 'string',
    'thinking?': 'string',
    'tokens?': TOKENS,
    'time?': 'string',
    /** The text is whole, or the model has written none. */
    'hasEnded?': 'boolean',
  },
} as const

const FIELDS = {
  /** The program's own id of main, as long as it runs. */
  mainId: 'string',
  /** Its name, by the runtime id of a teammate. */
  teammates: { mapOf: 'string' },
  /** The calls whose teammates work on after them. */
  launched: { setOf: 'string' },
  /** The reply that goes on, by conversation. */
  replies: { mapOf: 'string' },
  /** The number of calls that are announced and have not begun, by conversation. */
  announced: { mapOf: 'finite number' },
  /** The conversation of the last line that named its agent, or whose agent is known. */
  lastActor: 'string',
  /** By conversation whose tokens a line has been compared with: the sum of its input tokens, with those of the cache. */
  inputSums: { mapOf: 'finite number' },
  /** By conversation: the time of the last message in its file. Older lines of the stream add nothing to it. */
  covered: { mapOf: 'string' },
  /**
   * The replies without an agent: several agents ask the model at the same time, and no line names its agent. The
   * last one has changed last.
   */
  unplaced: { listOf: REPLY },
  /** The last lines of the stream. */
  stream: SEEN_LINES,
} as const

/** The facts from earlier messages that no state shows. */
export type ClineNotes = NotesOf<typeof FIELDS>

/** A reply of the model whose agent is not known yet. */
export type UnplacedReply = NonNullable<ClineNotes['unplaced']>[number]

/** The tokens that a line states. */
export type ClineTokens = NonNullable<UnplacedReply['tokens']>

/** The notes of the source. */
export const NOTES: NotesDeclaration<ClineNotes> = /* @__PURE__ */ declareNotes(
  { source: 'cline', version: 1 },
  FIELDS,
)

/** The translation of a batch of messages. */
export type ClineContext = TranslationContext<ClineNotes>
