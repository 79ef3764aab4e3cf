import { TOKEN_USAGE, type TokenUsage } from '../../core/state/session.ts'
import type { TranslationContext } from '../../reading/context.ts'
import { type TypedShape, typedShape } from '../../reading/notes/note-shape.ts'
import { declareNotes, type NotesDeclaration, type NotesOf } from '../../reading/notes/notes.ts'
import { RESUMED_PLACE, type ResumedPlace } from '../kit/resumed-text.ts'
import { RENAMED_CALLS } from '../kit/reused-ids.ts'

const USAGE: TypedShape<TokenUsage> = /* @__PURE__ */ typedShape<TokenUsage>({ fields: TOKEN_USAGE })

const FIELDS = {
  renamedCalls: RENAMED_CALLS,
  /** The messages are those of a running program, and no stored ones. */
  isStream: 'boolean',
  /** The ids of the copies of this session. A connection may go on with one. */
  forks: { setOf: 'string' },
  /** By conversation: the tokens of a request whose reply has not come yet. */
  tokens: { mapOf: { fields: { apiCallId: 'string', 'model?': 'string', usage: USAGE } } },
  /** By conversation: the replies of the process that state their output alone. */
  openReplies: { mapOf: { bufferOf: 'string' } },
  /** By model, '' if none is known: the sum of all final tokens. */
  finalTokens: { mapOf: USAGE },
  /**
   * By conversation: the last deltas of the reply that streams. They come in the order of their times, so an older
   * one is a repeated one.
   */
  lastDeltas: { mapOf: { fields: { time: 'string', ids: { listOf: 'string' } } } },
  /** By conversation and block: the place that deltas have reached in an open text of an opened state. */
  textPlaces: { mapOf: /* @__PURE__ */ typedShape<ResumedPlace>(RESUMED_PLACE) },
  /** By id: the attachments of prompts. The file stores each one once, before the first prompt that has it. */
  assets: { mapOf: { fields: { mimeType: 'string', data: 'string' } } },
} as const

/** The facts from earlier messages that no state shows. */
export type CopilotNotes = NotesOf<typeof FIELDS>

/** The notes of the source. */
export const NOTES: NotesDeclaration<CopilotNotes> = /* @__PURE__ */ declareNotes(
  { source: 'copilot', version: 2 },
  FIELDS,
)

/** The translation of a batch of Copilot's messages into session events. */
export type CopilotContext = TranslationContext<CopilotNotes>
