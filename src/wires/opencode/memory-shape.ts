import type { Variants } from '../../json/shape/shape.ts'
import { declareMemory, type MemoryFieldsOf } from '../../session/notes/memory-shape.ts'
import type { CommonNotes, NotesDeclaration } from '../../session/notes/notes.ts'
import { RESUMED_PLACE } from '../../session/resume/resumed-text.ts'
import { BLOCK } from '../../state/block.ts'
import { CONTENT_PART } from '../../state/content.ts'
import { FILE_CHANGE } from '../../state/file-change.ts'
import {
  type BufferedSession,
  initialMemory,
  type KnownMessage,
  type KnownPart,
  type KnownSession,
  type KnownTask,
  type OpencodeMemory,
  type StreamingBlock,
} from './memory.ts'

/** The version of the fields below. A changed field needs the next number, because older saved memories do not have it. */
const MEMORY_VERSION = 2

const SESSION: MemoryFieldsOf<KnownSession> = {
  id: 'string',
  'parentId?': 'string',
  isOriginKnown: 'boolean',
  turn: { oneOf: { idle: true, running: true, answered: true, failed: true, interrupted: true } },
  isCompleted: 'boolean',
  hasMessages: 'boolean',
  reportsCost: 'boolean',
  nanoDollars: 'finite number',
  'updatedAt?': 'finite number',
  'resumedCost?': { oneOf: { own: true, shared: true } },
  'openMessageId?': 'string',
  'currentMessageId?': 'string',
  'answeredMessageId?': 'string',
  'newestMessageId?': 'string',
  'resumedModel?': 'string',
  errors: {
    listOf: {
      fields: { messageId: 'string', 'parentId?': 'string', 'code?': 'string', 'text?': 'string' },
    },
  },
  'unassignedError?': { fields: { blockId: 'string', 'code?': 'string', 'text?': 'string' } },
  'worktree?': 'string',
  'unplacedMessageIds?': { listOf: 'string' },
  'revertMessageId?': 'string',
}

function streamingBlock(): Variants<StreamingBlock['type']> {
  return {
    fields: BLOCK.fields,
    byType: {
      assistant_text: BLOCK.byType.assistant_text,
      thinking: BLOCK.byType.thinking,
      user_message: { ...BLOCK.byType.user_message, content: 'string' },
    },
  }
}

function partFields(): MemoryFieldsOf<Omit<KnownPart, keyof CommonNotes>> {
  return {
    id: 'string',
    blockIds: { listOf: 'string' },
    'content?': CONTENT_PART,
    'subagentCallId?': 'string',
    'isFinal?': 'boolean',
    'unattributed?': { fields: { part: 'JSON object', id: 'string', 'eventId?': 'string' } },
    'seenEventIds?': { mapOf: 'string' },
    'output?': 'string',
    'timestamp?': 'string',
    'isPlaceholder?': 'boolean',
    'sortId?': 'string',
    'resumedText?': {
      fields: { block: streamingBlock(), 'place?': RESUMED_PLACE },
    },
  }
}

function messageFields(): MemoryFieldsOf<Omit<KnownMessage, keyof CommonNotes>> {
  return {
    id: 'string',
    isReported: 'boolean',
    isUser: 'boolean',
    isSummary: 'boolean',
    isComplete: 'boolean',
    'isRefused?': 'boolean',
    'model?': 'string',
    'timestamp?': 'string',
    parts: { mapBy: 'id', of: { fields: partFields() } },
    streamingPartIds: { listOf: 'string' },
    'removedPartIds?': { listOf: 'string' },
    'lastResumedPartId?': 'string',
    'changes?': { listOf: { fields: FILE_CHANGE } },
  }
}

const TASK: MemoryFieldsOf<KnownTask> = {
  callId: 'string',
  order: 'finite number',
  'resumedCallId?': 'string',
  'agentId?': 'string',
  'prompt?': 'string',
  isStarted: 'boolean',
  runId: 'string',
  hasEnded: 'boolean',
}

const BUFFERED_SESSION: MemoryFieldsOf<BufferedSession> = {
  sessionId: 'string',
  order: 'finite number',
  'workOrder?': 'finite number',
  last: {
    bufferOf: {
      fields: {
        'id?': 'string',
        type: 'string',
        properties: 'JSON object',
        'isStored?': 'boolean',
        'isRoot?': 'boolean',
      },
    },
  },
}

function memoryFields(): MemoryFieldsOf<Omit<OpencodeMemory, keyof CommonNotes>> {
  return {
    'mainSessionId?': 'string',
    nanoDollars: 'finite number',
    taskCount: 'finite number',
    eventsWithoutId: 'finite number',
    bufferedSessions: { mapBy: 'sessionId', of: { fields: BUFFERED_SESSION } },
    bufferedEventCount: 'finite number',
    eventIdsWithBlock: { mapOf: 'string' },
    idleEventIds: { mapOf: 'string' },
    sessions: { mapBy: 'id', of: { fields: SESSION } },
    messages: { mapOf: { fields: messageFields() } },
    removedMessages: { mapOf: 'string' },
    resumedParts: {
      mapOf: {
        fields: {
          part: { fields: partFields() },
          message: { fields: { isUser: 'boolean', isSummary: 'boolean', 'timestamp?': 'string' } },
        },
      },
    },
    tasks: { mapBy: 'callId', of: { fields: TASK } },
    callIdBySession: { mapOf: 'string' },
    partIdByCall: { mapOf: 'string' },
    requests: { mapBy: 'id', of: { fields: BLOCK.fields, byType: { request: BLOCK.byType.request } } },
    callRequests: { mapOf: { fields: { ids: { listOf: 'string' } } } },
  }
}

/** The notes of the source. */
export const NOTES: NotesDeclaration<OpencodeMemory> = /* @__PURE__ */ declareMemory<OpencodeMemory>(
  { source: 'opencode', version: MEMORY_VERSION },
  /* @__PURE__ */ memoryFields(),
  initialMemory,
)
