import { BLOCK } from '../../state/block.ts'
import { CONTENT_PART } from '../../state/content.ts'
import { SESSION_FACTS } from '../../state/session.ts'
import type { MemoryFieldsOf } from '../translation/memory-shape.ts'
import type {
  BufferedSession,
  KnownMessage,
  KnownPart,
  KnownSession,
  KnownTask,
  OpencodeMemory,
} from './memory.ts'

/** The version of the fields below. A changed field needs the next number, because older saved memories do not have it. */
export const MEMORY_VERSION = 1

const TURN: MemoryFieldsOf<Pick<OpencodeMemory, 'turn'>> = {
  turn: { oneOf: { none: true, running: true, answered: true, failed: true, interrupted: true } },
}

const SESSION: MemoryFieldsOf<Omit<KnownSession, 'turn'>> = {
  id: 'string',
  'parentId?': 'string',
  isOriginKnown: 'boolean',
  isCompleted: 'boolean',
  hasMessages: 'boolean',
  reportsCost: 'boolean',
  nanoDollars: 'finite number',
  'openMessageId?': 'string',
  'currentMessageId?': 'string',
  errors: {
    listOf: {
      fields: { messageId: 'string', 'parentId?': 'string', 'code?': 'string', 'text?': 'string' },
    },
  },
  'revertMessageId?': 'string',
}

const PART: MemoryFieldsOf<KnownPart> = {
  id: 'string',
  blockIds: { listOf: 'string' },
  'content?': CONTENT_PART,
  'subagentCallId?': 'string',
  'isFinal?': 'boolean',
  'unattributed?': { fields: { part: 'JSON object', id: 'string', 'eventId?': 'string' } },
  'seenEventIds?': { mapOf: 'string' },
}

const MESSAGE: MemoryFieldsOf<KnownMessage> = {
  id: 'string',
  isReported: 'boolean',
  isUser: 'boolean',
  isSummary: 'boolean',
  isComplete: 'boolean',
  'model?': 'string',
  'timestamp?': 'string',
  parts: { mapBy: 'id', of: { fields: PART } },
  streamingPartIds: { listOf: 'string' },
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

/** The fields of the memory, as `save` writes them and `load` checks them. */
export const MEMORY_FIELDS: MemoryFieldsOf<OpencodeMemory> = {
  facts: { fields: SESSION_FACTS },
  ...TURN,
  'mainSessionId?': 'string',
  nanoDollars: 'finite number',
  taskCount: 'finite number',
  eventsWithoutId: 'finite number',
  bufferedSessions: { mapBy: 'sessionId', of: { fields: BUFFERED_SESSION } },
  bufferedEventCount: 'finite number',
  eventIdsWithBlock: { mapOf: 'string' },
  sessions: { mapBy: 'id', of: { fields: { ...TURN, ...SESSION } } },
  messages: { mapOf: { fields: MESSAGE } },
  tasks: { mapBy: 'callId', of: { fields: TASK } },
  callIdBySession: { mapOf: 'string' },
  partIdByCall: { mapOf: 'string' },
  requests: { mapOf: { fields: BLOCK.fields, byType: { system: BLOCK.byType.system } } },
}
