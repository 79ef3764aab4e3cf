import type { TranslationContext } from '../../reading/context.ts'
import { declareNotes, type NotesDeclaration, type NotesOf } from '../../reading/notes/notes.ts'

const FIELDS = {
  /**
   * By conversation: the last prompt or call, the numbers of the next block and of the next message after it, and the
   * message that is being built. Neither form has ids that the other one knows, apart from those of calls.
   */
  places: {
    mapOf: {
      fields: {
        id: 'string',
        blocks: 'finite number',
        messages: 'finite number',
        'messageId?': 'string',
        'isOpen?': 'boolean',
      },
    },
  },
  /** By conversation: the text or thought that is being built. `cut` is the place where an attempt broke, in UTF-16 units. */
  openTexts: { mapOf: { fields: { id: 'string', 'cut?': 'finite number' } } },
  /** By conversation: the number of prompts so far. Those of abandoned branches count. */
  promptCounts: { mapOf: 'finite number' },
  /** The lines of the stream that have come, and those of pieces of a text in the running turn. */
  lines: { setOf: 'string' },
  pieces: { setOf: 'string' },
  /** By record: the last block of main after it, or an empty text. A rewind names the record that it goes back to. */
  records: { mapOf: 'string' },
  /** By conversation: the last time in the state that the session goes on from. Records up to that time come again. */
  knownUntil: { mapOf: 'string' },
  /**
   * The stream repeats what the session has from elsewhere. `at` is the place behind the last block of main that has
   * come, and `text` is what has come of a text, which stands at `place`. The lines that are held may be known or
   * new.
   */
  behind: {
    fields: {
      at: 'finite number',
      'held?': { bufferOf: 'JSON value' },
      text: 'string',
      'place?': { fields: { block: 'finite number', offset: 'finite number', 'parentId?': 'string' } },
    },
  },
  /** The place behind its last block that has come, by agent that the stream repeats. */
  behindAgents: { mapOf: 'finite number' },
  /** The session that the stream goes on with, if it is a fork. */
  forkId: 'string',
  /** The last new line of the stream. Empty if none so far has an id of its own. */
  lastLine: 'string',
  /** The last line that has come again. Lines come again up to the last new one. */
  repeatedLine: 'string',
  /** The prompts that the client has sent behind the last new line, and how many of them have come again. */
  sentPrompts: { listOf: 'JSON value' },
  repeatedPrompts: 'finite number',
  /** A line that begins a turn has come. All such lines have one id, so the next line shows whether it is a repeated one. */
  pendingTurn: { fields: { isNew: 'boolean' } },
  /** A turn of the stream has begun, and no line of it has added anything so far. */
  isFresh: 'boolean',
  /** The last request to the model that its own file has the answer of, by run of an agent. */
  rounds: { mapOf: 'finite number' },
  /** The last piece of its text, by run of an agent. */
  lastPieces: { mapOf: { fields: { time: 'string', text: 'string' } } },
  /** The prompts that the client has sent while the turn ran. */
  queue: { listOf: 'JSON value' },
  /** The stream is that of the terminal, which has no line for the end of a turn. */
  isTerminal: 'boolean',
  /** The file has shown that a reply is whole. */
  isAnswered: 'boolean',
  /** The agents that work in the background, by their calls. */
  background: { setOf: 'string' },
  /** By agent: the end in its facts. The call, or a notification, may have it too. */
  ends: { mapOf: 'string' },
} as const

/** The facts from earlier messages that no state shows. */
export type QwenNotes = NotesOf<typeof FIELDS>

/** The notes of the source. */
export const NOTES: NotesDeclaration<QwenNotes> = /* @__PURE__ */ declareNotes(
  { source: 'qwen', version: 1 },
  FIELDS,
)

/** The translation of a batch of messages. */
export type QwenContext = TranslationContext<QwenNotes>
