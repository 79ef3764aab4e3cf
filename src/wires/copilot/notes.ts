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
  /** The tokens of a request whose reply has not come yet, by conversation. */
  tokens: { mapOf: { fields: { apiCallId: 'string', 'model?': 'string', usage: USAGE } } },
  /** The replies of the process that state their output alone, by conversation. */
  openReplies: { mapOf: { bufferOf: 'string' } },
  /** The sum of all final tokens, by model, '' if none is known. */
  finalTokens: { mapOf: USAGE },
  /**
   * By conversation: the last deltas of the reply that streams. They come in the order of their times, so an older
   * one is a repeated one.
   */
  lastDeltas: { mapOf: { fields: { time: 'string', ids: { listOf: 'string' } } } },
  /** The place that deltas have reached in an open text of an opened state, by conversation and block. */
  textPlaces: { mapOf: /* @__PURE__ */ typedShape<ResumedPlace>(RESUMED_PLACE) },
  /** By id: the attachments of prompts. The file stores each one once, before the first prompt that has it. */
  assets: { mapOf: { fields: { mimeType: 'string', data: 'string' } } },
} as const

/** The facts from earlier messages that no state shows. */
export type CopilotNotes = NotesOf<typeof FIELDS>

/** The notes of the source. */
export const NOTES: NotesDeclaration<CopilotNotes> = /* @__PURE__ */ declareNotes(
  { source: 'copilot', version: 3 },
  FIELDS,
)

/** The translation of a batch of Copilot's messages into session events. */
export type CopilotContext = TranslationContext<CopilotNotes>
