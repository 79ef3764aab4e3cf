import { TODO } from '../../core/state/todo.ts'
import type { Memory, TranslationContext } from '../../reading/context.ts'
import { typedShape } from '../../reading/notes/note-shape.ts'
import { declareNotes, type NotesDeclaration, type NotesOf } from '../../reading/notes/notes.ts'
import type { ItemOf } from '../../reading/notes/persistent-map.ts'
import { RENAMED_CALLS } from '../kit/reused-ids.ts'
import type { Task } from './task-list.ts'

/** A block of a model message that streams. */
const STREAMED_BLOCK = {
  fields: {
    /** The API's index. A call's id in the state does not have it. */
    index: 'finite number',
    id: 'string',
    /** The length of its text in the history. A stream that joins may begin the text again. */
    'knownLength?': 'finite number',
    /** How far the repeated stream of that text has come. Its deltas add nothing before the end. */
    'repeatedLength?': 'finite number',
  },
} as const

/** Facts about an agent that its conversation in the state does not show. */
const AGENT_NOTE = {
  fields: {
    // Facts of an agent without a block of its call. No event can tell them.
    'parent?': 'string',
    'agentId?': 'string',
    'prompt?': 'string',
    'name?': 'string',
    'description?': 'string',
    'phase?': 'string',
    'launchedBy?': 'string',
    'messageId?': 'string',
    'timestamp?': 'string',
    /** The run of a workflow that has launched the agent. */
    'workflowRun?': 'string',
    /** The conversation that holds the call, as the agent's meta file states it. The source has not read the call. */
    'parentFromMeta?': 'string',
    /** A call for this agent exists, and its result will report the end. */
    'hasCall?': 'boolean',
    /** The first run of an agent without a parent, or of one that has resumed. The call's own result belongs to it. */
    'runId?': 'string',
    /** The agent works in the background, and its call has no result so far. */
    'isBackground?': 'boolean',
    /** The result of the call only launched the agent. */
    'isLaunched?': 'boolean',
    /** The agent has run more than once. Its first start, if a live stream repeats it, is not its current run. */
    'isResumed?': 'boolean',
    /**
     * The history has the agent's last resume, but does not name its run. A live stream may repeat earlier runs
     * before it names that run.
     */
    'hasUnknownRun?': 'boolean',
    /** That run, once a live stream has named it. */
    'resumedRunId?': 'string',
    /**
     * The history states the end of the run, and a live stream that follows repeats it: with facts that the history
     * lacks, or with other ones.
     */
    'storedEnd?': { fields: { hasOutput: 'boolean', hasDuration: 'boolean' } },
    /** The result of the call may still come, with another end. Some versions report a failed agent as completed before. */
    'isEndProvisional?': 'boolean',
  },
} as const

/** The place of a line in the tree of main's file. A person who rewinds the conversation begins another branch. */
const LINE_PLACE = {
  fields: {
    /** The uuid of the parent. */
    'parent?': 'string',
    /**
     * The line's own message of the model, or else the nearest one among its ancestors, or else the first ancestor,
     * or the line of an earlier state above it.
     */
    anchor: 'string',
    /** The first prompt on the way from the anchor to the line. */
    'firstPrompt?': 'string',
  },
} as const

const FIELDS = {
  renamedCalls: RENAMED_CALLS,
  // The session
  /** A live stream reports the end of its turns. A file does not. */
  isStream: 'boolean',
  /** The stream has added no content to the history of main: a reconnect may repeat turns. */
  isCatchingUp: 'boolean',
  /** The source went on from a state alone, which has no lines. */
  isOpened: 'boolean',
  /** The source has read the beginning of a turn in the stream. */
  hasInit: 'boolean',
  /** The message of main that the stream has reported last, if it is not the last one of the state: a reconnect repeats an earlier turn. */
  repeatedMessage: 'string',
  /** The model has answered while agents worked in the background. The program keeps the result of that turn back until they have ended. */
  owesResult: 'boolean',
  /** The id of the stream's first session. A file's lines may name several ids, because some versions resume under a new one. */
  streamedSession: 'string',
  /** The compacted conversation. The program's next message in it is the summary. */
  compactedConversation: 'string',
  /** The session's task list, with the ids that the model uses. */
  tasks: { listOf: /* @__PURE__ */ typedShape<Task>({ fields: { ...TODO, id: 'string' } }) },

  // Lines
  /** The uuids of the lines that have no block with that id. A repeated line must add nothing. */
  readLines: { setOf: 'string' },
  /** The number of lines without a uuid. Each of them has a number in its place. */
  linesWithoutUuid: 'finite number',
  /** The lines that wait until their agent's call is known, by group. */
  buffered: {
    mapOf: {
      fields: { group: 'string', first: 'JSON object', last: { bufferOf: 'JSON object' } },
    },
  },
  /** The lines that wait for the line above them, in the order of the file, by uuid. */
  earlyLines: { mapOf: 'JSON object' },
  /** The uuids of those lines, by the uuid of the line above. */
  earlyChildren: { mapOf: { bufferOf: 'string' } },
  /** By uuid: the blocks of the last lines of the model. A later line may supersede them. */
  lastModelLines: {
    listOf: { fields: { uuid: 'string', conversationId: 'string', blockIds: { listOf: 'string' } } },
  },
  /** The last line in the tree of main's file. */
  lastLine: 'string',
  /** The places of lines in that tree that a later line may name as its parent, by uuid. */
  places: { mapOf: LINE_PLACE },
  /** The lines with the last anchor, and those with the anchor before it. */
  lastPlaces: { bufferOf: 'string' },
  earlierPlaces: { bufferOf: 'string' },
  /** The uuid of the first prompt of the active branch, by anchor. */
  promptsByAnchor: { mapOf: 'string' },

  // Messages of the person
  /** The messages that wait while the model works, the first one first. A message with images has no text there. */
  queue: { listOf: { fields: { 'text?': 'string', hasLine: 'boolean', 'mayRepeat?': 'boolean' } } },
  /** The message that has just left the queue. Its user line comes next. */
  dequeued: { fields: { text: 'string', timestamp: 'string' } },
  /** A line of main is broken, and no message has come since. It may have been a prompt. */
  mayLackPrompt: 'boolean',
  /** The prompt in the last line that repeats the last one. */
  lastPrompt: 'string',
  /**
   * The time of the last operation on the queue, or of the last block in the state that the source went on from. An
   * earlier operation comes again.
   */
  queuedUntil: 'string',
  /** The prompts that left the queue, and that no line of their own holds yet. */
  queuedPrompts: { listOf: { fields: { text: 'string', blockId: 'string' } } },
  /** By `promptKey`: prompts whose line has no known uuid. A line with the same content repeats them. */
  unnamedPrompts: { setOf: 'string' },
  /** The ids of messages before which the program saved the files, and that the source has not read yet. */
  checkpoints: { setOf: 'string' },
  /** The stream has reported the prompt of its turn, or a whole block of the answer. Before that, the prompt may still follow. */
  hasPrompt: 'boolean',
  /** The messages that main has streamed before that prompt. */
  unpromptedMessages: { listOf: 'string' },

  // Messages of the model
  /** The id of the message that streams, by conversation. */
  streamingMessages: { mapOf: 'string' },
  /** By conversation: the message that streamed last. It stays after the message's end. */
  streams: {
    mapOf: {
      fields: {
        messageId: 'string',
        /** The stream of the message has ended. A repeated one adds nothing. */
        'isStopped?': 'boolean',
        /** The blocks that have begun, and whose whole block is not there yet. */
        blocks: { listOf: STREAMED_BLOCK },
        /** A repeated delta adds nothing. */
        'deltaUuids?': { setOf: 'string' },
      },
    },
  },
  /** The message of main's last line in the stream, if the source has not read the message's start: it joined the stream later. */
  joinedMessage: 'string',
  /** The messages whose lines have no known uuid. A line with a text of theirs repeats it. */
  unnamedMessages: { setOf: 'string' },
  /** The next index in a message whose last block has an unknown type, so that the state does not have it, by conversation and message. */
  nextIndexes: { mapOf: 'finite number' },

  // Calls, requests and agents
  /** By `compositeKey` of conversation and tool use: the results that arrived before their call. */
  earlyResults: {
    mapOf: {
      fields: {
        part: 'JSON object',
        'timestamp?': 'string',
        toolUseResult: 'JSON object',
        'decision?': 'JSON object',
      },
    },
  },
  /** The id of the last request for the call, until the call has its result, by tool use id. */
  requestIds: { mapOf: 'string' },
  /** The requests that the reader has read itself. A state may have those of another process too. */
  askedIds: { setOf: 'string' },
  /** By tool use id: the calls whose resume has begun. The value is the agent's call if the result will report its end. */
  resumeCalls: { mapOf: 'string' },
  /** By tool use id. */
  agents: { mapOf: AGENT_NOTE },
  /** The tool use ids of those without a conversation. The state does not have them. */
  unplacedAgents: { setOf: 'string' },
  /** The tool use ids of agents without a parent, and of teammates whose files have another id than the call's result, by agent id. */
  toolUseIds: { mapOf: 'string' },
  /** The call that started it, by the id of a workflow's run. */
  workflowCalls: { mapOf: 'string' },
  /** The facts of agents whose call the source has not read, for example a call of an earlier run of the program, by agent id. */
  agentsWithoutCall: { mapOf: AGENT_NOTE },
} as const

/** The facts that the source needs beyond the state. */
export type ClaudeNotes = NotesOf<typeof FIELDS>

export const NOTES: NotesDeclaration<ClaudeNotes> = /* @__PURE__ */ declareNotes(
  { source: 'claude-sdk', version: 4 },
  FIELDS,
)

/** The note on an agent. */
export type AgentNote = ItemOf<ClaudeNotes['agents']>

/** The message that a conversation streamed last. */
export type MessageStream = ItemOf<ClaudeNotes['streams']>

/** A block of that message. */
export type StreamedBlock = MessageStream['blocks'][number]

/** The place of a line in the tree of main's file. */
export type LinePlace = ItemOf<ClaudeNotes['places']>

/** Lines that wait until their agent's call is known. */
export type BufferedLines = ItemOf<ClaudeNotes['buffered']>

/** Notes that the stream has shown more than an earlier history. Nearly each line comes here. */
export function stopCatchingUp(notes: ClaudeContext['notes']): void {
  if (notes.values.isCatchingUp !== undefined) notes.remember({ isCatchingUp: undefined })
}

/** The translation of messages of Claude Code. */
export type ClaudeContext = TranslationContext<ClaudeNotes>

/** The parts of the context with which a rule reads and remembers. A rule with them alone emits nothing. */
export type ClaudeMemory = Memory<ClaudeContext>
