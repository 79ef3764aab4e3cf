import { FILE_CHANGE, type FileChange } from '../../core/state/file-change.ts'
import { type TypedShape, typedShape } from '../../reading/notes/note-shape.ts'
import { declareNotes, type NotesDeclaration, type NotesOf } from '../../reading/notes/notes.ts'
import type { ItemOf } from '../../reading/notes/persistent-map.ts'
import { RESUMED_PLACE, type ResumedPlace } from '../kit/resumed-text.ts'
import type { BusEvent } from './event.ts'

const SESSION = {
  fields: {
    /** The session that started this one, or an empty text if there is none. A session without a conversation is in no state. */
    'parentId?': 'string',
    /**
     * The turn of a session whose call is not known. Its blocks do not show whether its last message is the answer,
     * and it may have none yet.
     */
    'turn?': { oneOf: { running: true, answered: true, failed: true } },
    /** The time of the last change, in ms since the epoch. An older `info` is a repeated one. The state does not name it. */
    'updatedAt?': 'finite number',
    /**
     * The session's share of the cost, in units of 1e-9 US dollars. The state has the sum. Sums of integers do not
     * depend on their order.
     */
    'nanoDollars?': 'finite number',
    /** OpenCode reports the cost of the whole session, so the costs of its steps are not added up. */
    'reportsCost?': 'boolean',
    /** The session was in an opened state with others, so its share is not known. */
    'sharesCost?': 'boolean',
    /** The model's message that is not complete yet. It may have no block. */
    'openMessage?': 'string',
    /** The message of the last bus event. An export resets it: the events that follow may begin anywhere. */
    'currentMessage?': 'string',
    /** The user message that the model's last message answers. No block names it. */
    'answeredMessage?': 'string',
    /** The model's newest message that is complete, or that an opened state shows. A block does not show that its message is complete. */
    'newestMessage?': 'string',
    /** The last model of an opened state. A message whose beginning came before that state has it, if no block shows the message. */
    'missedModel?': 'string',
    /** The title of an agent's session whose call is not known. */
    'title?': 'string',
    /**
     * The root folder of the session's files. The paths in the sum of a turn's changes are relative to it. The state
     * names the working folder alone.
     */
    'worktree?': 'string',
    /** The user messages with changes that arrived before the worktree was known. */
    'unplacedMessages?': { listOf: 'string' },
    /** The first message of a pending revert. The next prompt removes it and all later ones. The block of the revert may stand anywhere. */
    'revertMessage?': 'string',
  },
} as const

const MESSAGE = {
  fields: {
    /** Only parts of the message have arrived, so its role is an assumption. */
    'isUnreported?': 'boolean',
    /** The message is the user's, and no block has its id yet. */
    'isUser?': 'boolean',
    /** The message is the model's summary of the earlier conversation. Its text names no message. */
    'isSummary?': 'boolean',
    /** The model's message has been reported, and is not complete. */
    'isOpen?': 'boolean',
    /** The person has refused a call of the open message without a comment: the model does not go on. */
    'isRefused?': 'boolean',
    /** The model that writes the message. Its next block has it. */
    'model?': 'string',
    /** The time of a user message whose block is not there yet. */
    'timestamp?': 'string',
    /** The sum of a turn's changes as OpenCode writes it, until its block shows it with the paths in the worktree. */
    'changes?': { listOf: /* @__PURE__ */ typedShape<FileChange>({ fields: FILE_CHANGE }) },
    /** The starts and ends of steps in a message that is not complete. A step has no block. */
    'steps?': { setOf: 'string' },
    /** The blocks that do not name the message, although it has them: texts of the program, compactions, retries and summaries. */
    'blockIds?': { setOf: 'string' },
  },
} as const

const EVENT: TypedShape<BusEvent> = /* @__PURE__ */ typedShape<BusEvent>({
  fields: {
    'id?': 'string',
    type: 'string',
    properties: 'JSON object',
    'isStored?': 'boolean',
    'isRoot?': 'boolean',
  },
})

const FIELDS = {
  /** The last line is broken. */
  isAfterBrokenLine: 'boolean',
  /** Main is a session whose events name no session. The state then has no id. */
  hasUnnamedMain: 'boolean',
  /** The session goes on from a state alone. Such a state does not show which parts were removed. */
  isReopened: 'boolean',
  /** By session id. */
  sessions: { mapOf: SESSION },
  /** The sessions that name it as their parent, until its place is known, by session id. */
  children: { mapOf: { bufferOf: 'string' } },
  /** The events of sessions whose conversation is not known yet, the session with the earliest event first, by session id. */
  buffered: { mapOf: { bufferOf: EVENT } },
  /** The buffered sessions that have proved to work, in the order of the proofs. */
  workingSessions: { setOf: 'string' },
  /** The sessions that became agents at the end of an input, because nothing links them to main. They may have no block yet. */
  unlinkedAgents: { setOf: 'string' },
  /**
   * By session and message: the messages of which the state does not show everything, open ones above all. A message
   * without a block has an empty note.
   */
  messages: { mapOf: MESSAGE },
  /** By session and id: the removed messages and parts. OpenCode never uses an id again, so a later event of one is a repeated one. */
  removed: { setOf: 'string' },
  /**
   * By session and part: the events that built a part that still grows. A repeated one adds nothing. A part without a
   * note has come whole.
   */
  partEvents: { mapOf: { setOf: 'string' } },
  /** The place that repeated deltas have reached in an open text of an opened state, by session and part. */
  textPlaces: { mapOf: /* @__PURE__ */ typedShape<ResumedPlace>(RESUMED_PLACE) },
  /** By session and message: the ids of a user message's parts. They have the order of its content, and the block has the content alone. */
  contentParts: { mapOf: { listOf: 'string' } },
  /**
   * By session and call: the part that has the call's id. If another call has the id already, by session, message and
   * call: a block has the part's id then.
   */
  callParts: { mapOf: 'string' },
  /** The events of ended turns and errors that have no block of their own. A repeated one must not end a later turn. */
  readEvents: { setOf: 'string' },
  /** Numbers the blocks of events that have no id. The last one may be removed. */
  eventsWithoutId: 'finite number',
} as const

/** The facts from earlier messages that no state shows. */
export type OpencodeNotes = NotesOf<typeof FIELDS>

/** The notes of the source. */
export const NOTES: NotesDeclaration<OpencodeNotes> = /* @__PURE__ */ declareNotes(
  { source: 'opencode', version: 5 },
  FIELDS,
)

/** The note on a session. */
export type SessionNote = ItemOf<OpencodeNotes['sessions']>

/** The note on a message. */
export type MessageNote = ItemOf<OpencodeNotes['messages']>
