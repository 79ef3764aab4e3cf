import { BLOCK, type BlockOf } from '../../core/state/block.ts'
import { CONTENT_PART, type UserContentPart } from '../../core/state/content.ts'
import { TOKEN_USAGE, type TokenUsage } from '../../core/state/session.ts'
import { typedShape } from '../../reading/notes/note-shape.ts'
import { declareNotes, type NotesDeclaration, type NotesOf } from '../../reading/notes/notes.ts'
import type { ItemOf } from '../../reading/notes/persistent-map.ts'

const PART = /* @__PURE__ */ typedShape<UserContentPart>(CONTENT_PART)

const FIELDS = {
  // Requests of both sides. No block has the id of a request of the client, and both sides count from 0.
  /** The client's requests that have no response, by JSON-RPC id. */
  clientCalls: {
    mapOf: {
      fields: {
        method: 'string',
        'sessionId?': 'string',
        'cwd?': 'string',
        /** The block of the prompt. */
        'promptId?': 'string',
        /** The key of the words of the prompt. */
        'words?': 'string',
      },
    },
  },
  /** By JSON-RPC id: the key of the words of a prompt that has its response. The same request may come again. */
  answeredPrompts: { mapOf: 'string' },
  /** The number of prompts without a response. A prompt may wait for the one before. */
  openPrompts: 'finite number',
  /** The prompts that wait for the turn before them. */
  queuedPrompts: { listOf: { fields: { 'id?': 'string', parts: { listOf: PART } } } },
  /** One of them comes from a state, so its id is not known. */
  hasUnnamedPrompt: 'boolean',
  /** The source went on from a state, and a response may belong to a request before it. */
  isOpened: 'boolean',
  /** The client's prompts are in the input, so an update without a prompt starts no turn. */
  hasPrompts: 'boolean',
  /** The JSON-RPC ids of the agent's requests that have no response. */
  agentCalls: { setOf: 'string' },
  /** By JSON-RPC id: the agent's request to the person. A block cannot be found by it, and an answer may come again. */
  requests: {
    mapOf: {
      fields: {
        conversationId: 'string',
        blockId: 'string',
        /** The call had ended before the request. Only an answer shows the block. */
        'hidden?': /* @__PURE__ */ typedShape<BlockOf<'request'>>({
          fields: BLOCK.fields,
          byType: { request: BLOCK.byType.request },
        }),
      },
    },
  },
  /** The blocks of the requests that the reader has read itself. A state may have those of another process too. */
  askedIds: { setOf: 'string' },
  /** The source has read the begin of the connection. No request of it is one of the state that the source went on from. */
  isConnected: 'boolean',
  /** The calls that have ended since. An earlier process may have had a call of the same id. */
  endedCalls: { setOf: 'string' },
  /** By id: the facts of sessions that the client has begun, while none is main. A state has those of main. */
  sessions: { mapOf: { fields: { 'cwd?': 'string', 'model?': 'string' } } },

  // Messages of the person
  /** The JSON-RPC id of the request whose response ends the replay. */
  loadId: 'string',
  /** A replay has begun, so `seen` counts. Before it, all prompts have been seen. */
  hasReplay: 'boolean',
  /** By the key of their words: */
  prompts: {
    mapOf: {
      fields: {
        /** the number of prompts, if there are several */
        'count?': 'finite number',
        /** the number of those that the last replay, or a message after it, has shown */
        'seen?': 'finite number',
        /** the number of those that the client has sent again after their replay. */
        'resent?': 'finite number',
      },
    },
  },
  /** The prompt of the turn, if it is an earlier one that comes again. */
  promptId: 'string',
  /** A prompt with the words of an earlier one. The first update of its turn shows whether it is the same prompt. */
  bufferedPrompt: { fields: { 'id?': 'string', parts: { listOf: PART } } },
  /** A message of the person, of which further chunks may come, by conversation. */
  bufferedMessages: { mapOf: { fields: { 'messageId?': 'string', parts: { bufferOf: PART } } } },
  /** The ids of main's messages that are prompts or interruptions. Their blocks have other ids, which a client's request can make too. */
  readMessages: { setOf: 'string' },

  // Messages of the agent
  /** By conversation: the message that goes on, also after the end of its turn. A chunk of any other known message comes again. */
  streams: {
    mapOf: {
      fields: {
        'messageId?': 'string',
        /** The text to which the next chunk may add. */
        'blockId?': 'string',
        /** The time of the last chunk in the log, in ms. */
        'at?': 'finite number',
        /** The program's number of the last chunk. */
        'number?': 'finite number',
      },
    },
  },
  /** The summary so far of a compaction, by `compositeKey` of conversation and id. */
  summaries: { mapOf: 'string' },
  /** The number of texts and notes whose messages have no id, by conversation. */
  unnamed: { mapOf: 'finite number' },
  /** By conversation: the joint with the state that the source went on from. Its last turn may come again, until a new block is there. */
  joints: {
    mapOf: {
      fields: {
        /** The text that was open there. */
        'openText?': { fields: { id: 'string', length: 'finite number' } },
        /** The turn comes again: from the end of that block, or from a position in its text. Without an id, from the first block. */
        'place?': { fields: { 'blockId?': 'string', position: 'finite number' } },
      },
    },
  },

  // Calls and agents
  /**
   * By `compositeKey` of conversation and id: the protocol's fields of a call that has not ended. An update has only
   * those that have changed, and the block shows no title, kind or diff.
   */
  calls: { mapOf: { fields: { toolName: 'string', fields: 'JSON object', 'response?': 'JSON object' } } },
  /** The calls that have ended, while the agents that they have launched still run. */
  launched: { setOf: 'string' },
  /** The agents whose sessions say that they run. The end of their call is not theirs. */
  reporting: { setOf: 'string' },
  /** The report of an agent that has not ended, by `toolUseId`. */
  reports: { mapOf: 'string' },
  /** The agents that run again, as the program says. Their next work shows that the report is no repeated one. */
  restarting: { setOf: 'string' },

  // Tokens
  /** The program's own id of the turn, which its tokens get, by conversation. */
  promptIds: { mapOf: 'string' },
  /** The tokens of main's agents in main's turn. The report of that turn holds them too. */
  agentTokens: /* @__PURE__ */ typedShape<TokenUsage>({ fields: TOKEN_USAGE }),
  /** The turns of main whose cost is part of the session's. They may come again. */
  pricedTurns: { setOf: 'string' },
  /** The program has stated a part of a turn's cost alone, so the whole is not known any more. */
  isCostUnknown: 'boolean',
  /** The agents whose turn has ended without any tokens. */
  withoutTokens: { setOf: 'string' },
  /** The report of main's turn holds the tokens of an agent that are not known. */
  hasUnknownTokens: 'boolean',
  /**
   * The last warning that tells why the turn has failed, and the number of main's blocks then. A warning with known
   * words adds no block.
   */
  failure: { fields: { message: 'string', place: 'finite number' } },
} as const

/** The facts from earlier messages that no state shows. */
export type AcpNotes = NotesOf<typeof FIELDS>

/** The notes of the source. */
export const NOTES: NotesDeclaration<AcpNotes> = /* @__PURE__ */ declareNotes(
  { source: 'acp', version: 9 },
  FIELDS,
)

/** A request of the client that has no response. */
export type ClientCall = ItemOf<AcpNotes['clientCalls']>

/** The message of the agent that goes on. */
export type MessageStream = ItemOf<AcpNotes['streams']>

/** The joint with the state that the source went on from. */
export type Joint = ItemOf<AcpNotes['joints']>

/** The protocol's fields of a call. */
export type CallNote = ItemOf<AcpNotes['calls']>
