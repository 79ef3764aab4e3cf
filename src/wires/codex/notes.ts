import { BLOCK, type BlockOf } from '../../core/state/block.ts'
import { CONTENT_PART, type UserContentPart } from '../../core/state/content.ts'
import { typedShape } from '../../reading/notes/note-shape.ts'
import { declareNotes, type NotesDeclaration, type NotesOf } from '../../reading/notes/notes.ts'
import type { ItemOf } from '../../reading/notes/persistent-map.ts'
import { RESUMED_PLACE, type ResumedPlace } from '../kit/resumed-text.ts'

/** A message in the model's history, or one that the program has reported. The other of the two makes it a block. */
const MESSAGE = {
  fields: {
    role: { oneOf: { user: true, assistant: true } },
    'id?': 'string',
    content: { listOf: /* @__PURE__ */ typedShape<UserContentPart>(CONTENT_PART) },
    'time?': 'string',
    /** The line before the entry, or after it, is broken. It may have been the report of the entry. */
    'isBesideBroken?': 'boolean',
  },
} as const

/** A turn of main. */
const ROUND = {
  fields: {
    'turnId?': 'string',
    /** The fork that has the turn, if main goes on as one. */
    'forkId?': 'string',
    /** The last block before the turn. */
    'after?': 'string',
    'hasPrompt?': 'boolean',
    /** The number of its first line. */
    'ordinal?': 'finite number',
    /** The tokens of the thread before it. */
    'total?': 'finite number',
  },
} as const

/** The place of the turns that a person takes back: their number, the first one, or the number of the first line that is not kept. */
const REWIND_PLACE = {
  fields: {
    'turns?': 'finite number',
    'beforeTurnId?': 'string',
    'ordinal?': 'finite number',
    /** The tokens of the thread go back, too. */
    'countsAgain?': 'boolean',
  },
} as const

// A note by thread has `'main'` for all ids of main. A note by item has the `compositeKey` of both.
const FIELDS = {
  // Threads
  /** The ids that main had before it went on as a fork. The state has the last one alone. */
  earlierMainIds: { setOf: 'string' },
  /** The thread of messages that name none, if it is not main. */
  currentThread: 'string',
  /**
   * By thread of another session on the same connection: its last turn, which the turns of its agents name. No event
   * shows such a thread.
   */
  otherSessions: { mapOf: 'string' },
  /** The temporary threads of the program and of side questions. They belong to no session. */
  temporaryThreads: { setOf: 'string' },
  /** By thread: the facts of an agent's file. No event can tell them before one names the agent's call. */
  origins: {
    mapOf: {
      fields: { 'parentId?': 'string', 'agentPath?': 'string', 'nickname?': 'string', 'role?': 'string' },
    },
  },
  /** The role of the agent that the call starts, while no message has named the agent, by call. */
  roles: { mapOf: 'string' },
  /** The model of its next tokens, if its last tokens do not show it, by agent's thread. */
  models: { mapOf: 'string' },
  /** The time of the copies of its parent's history, with which its file begins, by agent's thread. */
  copies: { mapOf: 'string' },
  /** The program reports messages as `events` without ids or as `items`, or the file has neither: `history`, by thread. */
  reports: { mapOf: { oneOf: { events: true, items: true, history: true } } },

  // Turns
  /** By thread: main's last turn, and the running turn of an agent. It is empty without an id. The state has no ids of turns. */
  turns: { mapOf: 'string' },
  /** The turns of the conversation, in order, without those that the person took back. */
  rounds: { listOf: ROUND },
  /** A review of main goes on. */
  isInReview: 'boolean',
  /** The client's request to take turns back, by JSON-RPC id. */
  rewinds: { mapOf: REWIND_PLACE },
  /**
   * The requests that have taken turns back, with the last turn that they left, and the times of the notes about it.
   * They may come again.
   */
  doneRewinds: { setOf: 'string' },
  /** A revert whose note has not come, or whose place is not known until the next tokens. */
  lastRevert: { oneOf: { requested: true, unknown: true } },
  /** The turns that have ended. A repeated message must not start them again. */
  endedTurns: { setOf: 'string' },
  /** The source went on from a state alone. The first messages of a thread may have come before it. */
  isOpened: 'boolean',
  /** The end of the last turn in the state that the source went on from. Messages up to then belong to turns that are over. */
  endedUntil: 'string',
  /** By thread: the last time in that state. A turn that started before is the known one, and comes again. */
  knownUntil: { mapOf: 'string' },
  /** The number of processes of `codex exec`. Their items count from 0 again. */
  processes: 'finite number',
  /** The state that the source went on from ends between two processes, and the next one may have begun. */
  isBetweenProcesses: 'boolean',

  // Messages that wait
  /** The messages of the app-server that came before the thread was known, by thread. */
  earlyMessages: { mapOf: { bufferOf: 'JSON object' } },
  /** The threads whose last line is broken. */
  brokenLines: { setOf: 'string' },
  /** An entry of the history that waits for its report, by thread. */
  bufferedEntries: { mapOf: MESSAGE },
  /** A report that waits for its entry, which may have an id, by thread. */
  bufferedReports: { mapOf: MESSAGE },
  /** By thread: the last plan that an entry of the history has proposed. An item may repeat it. */
  proposedPlans: { mapOf: { fields: { id: 'string', text: 'string' } } },
  /** A compaction whose item is still to come, by thread. */
  bufferedCompactions: {
    mapOf: { fields: { 'summary?': 'string', 'time?': 'string', 'keptBlockIds?': { listOf: 'string' } } },
  },
  /** The number of searches that an event has reported, while their entries are still to come, by thread. */
  searches: { mapOf: 'finite number' },
  /** By process of a command that goes on, with its thread: the call that started it. */
  commands: { mapOf: 'string' },
  /** By item: the text of the patch that a running call applies. Its input has only the paths. */
  patches: { mapOf: 'string' },
  /** The blocks of the requests that the reader has read itself. A state may have those of another process too. */
  askedIds: { setOf: 'string' },
  /** By JSON-RPC id: the request without an answer. A block's id cannot be found by it. */
  requests: {
    mapOf: {
      fields: {
        threadId: 'string',
        blockId: 'string',
        /** The call had ended before the request came, perhaps again. Only an answer shows the block. */
        'hidden?': /* @__PURE__ */ typedShape<BlockOf<'request'>>({
          fields: BLOCK.fields,
          byType: { request: BLOCK.byType.request },
        }),
      },
    },
  },

  // Items
  /** By item: the calls that wrote a plan. They are no blocks, and a repeated one must not replace a later plan. */
  planCalls: { setOf: 'string' },
  /**
   * By item: the texts of cut replies, and the blocks that the person took back. They are no blocks of the
   * conversation any more, and a repeated or late message must not show them again.
   */
  removedItems: { setOf: 'string' },
  /** The blocks that the end of their turn finalized, and whose own end may still come, by item. */
  unfinishedItems: { setOf: 'string' },
  /** By item: the time of the last delta, and the deltas of that time. An older or equal one is repeated. */
  lastDeltas: { mapOf: { fields: { time: 'string', deltas: { listOf: 'string' } } } },
  /** The place of repeated deltas in a text that was open in the state that the source went on from, by item. */
  resumedTexts: { mapOf: /* @__PURE__ */ typedShape<ResumedPlace>(RESUMED_PLACE) },
  /** The number of blocks whose entries have no id, by thread. */
  unnamed: { mapOf: 'finite number' },
  /** By item of a stream: the block without an id that a file has of it. By that block: the item. */
  unnamedItems: { mapOf: 'string' },
  /** The number of the first such block that no item of a stream has come to, by thread. */
  unnamedPlaces: { mapOf: 'finite number' },
  /** The last item that a stream has shown of main, in a session with such blocks. */
  lastItem: 'string',

  // Tokens
  /** The last text of the reply whose tokens are still to come, by thread. */
  replies: { mapOf: 'string' },
  /**
   * By thread, with main's own ids: the total of the last report, which tells a new report from a repeated one. A
   * full context window moves it without a reply.
   */
  totals: { mapOf: 'finite number' },
  /** By thread: a lower total that came later. A new prompt counts from there. Reports that come again have no new prompt. */
  lowerTotals: { mapOf: 'finite number' },
} as const

/** The facts from earlier messages that no state shows. */
export type CodexNotes = NotesOf<typeof FIELDS>

/** The notes of the source. */
export const NOTES: NotesDeclaration<CodexNotes> = /* @__PURE__ */ declareNotes(
  { source: 'codex', version: 8 },
  FIELDS,
)

/** A message that waits for the other one. */
export type BufferedMessage = ItemOf<CodexNotes['bufferedEntries']>

/** The report of the program on a message. */
export type Report = Pick<BufferedMessage, 'role' | 'content'>

/** A turn of main. */
export type Round = NonNullable<CodexNotes['rounds']>[number]

/** The place of the turns that a person takes back. */
export type RewindPlace = ItemOf<CodexNotes['rewinds']>

/** How a thread reports its messages. */
export type Reports = ItemOf<CodexNotes['reports']>
