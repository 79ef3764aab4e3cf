import { declareMemory, type MemoryFieldsOf } from '../../session/notes/memory-shape.ts'
import type { CommonNotes, NotesDeclaration } from '../../session/notes/notes.ts'
import { RESUMED_PLACE } from '../../session/resume/resumed-text.ts'
import { BLOCK } from '../../state/block.ts'
import { CONTENT_PART } from '../../state/content.ts'
import { TOKEN_USAGE } from '../../state/session.ts'
import {
  type AcpMemory,
  initialMemory,
  type KnownCall,
  type KnownSession,
  type KnownThread,
  type OpenText,
} from './memory.ts'

/** The version of the fields below. A changed field needs the next number, because older saved memories do not have it. */
const MEMORY_VERSION = 3

const OPEN_TEXT: MemoryFieldsOf<OpenText> = {
  blockId: 'string',
  kind: { oneOf: { text: true, thinking: true } },
  'messageId?': 'string',
  content: 'string',
}

const THREAD: MemoryFieldsOf<KnownThread> = {
  id: 'string',
  'messageId?': 'string',
  'openText?': { fields: OPEN_TEXT },
  'heldMessage?': { fields: { 'messageId?': 'string', parts: { listOf: CONTENT_PART } } },
  unnamed: 'finite number',
  'promptId?': 'string',
  'turnTokens?': { fields: TOKEN_USAGE },
  'agentTokens?': { fields: TOKEN_USAGE },
  'hasReported?': 'boolean',
  'retriedId?': 'string',
  'hasUnknownTokens?': 'boolean',
  'lastText?': 'string',
  'resumedTurn?': {
    fields: {
      items: {
        listOf: {
          fields: {
            kind: { oneOf: { text: true, thinking: true, call: true } },
            'id?': 'string',
            content: 'string',
          },
        },
      },
      'openText?': { fields: OPEN_TEXT },
      'index?': 'finite number',
      'place?': RESUMED_PLACE,
    },
  },
}

const CALL: MemoryFieldsOf<KnownCall> = {
  id: 'string',
  conversationId: 'string',
  role: { oneOf: { tool: true, agent: true, compaction: true } },
  toolName: 'string',
  fields: 'JSON object',
  'terminal?': 'string',
  'response?': 'JSON object',
  'isEnded?': 'boolean',
}

const SESSION: MemoryFieldsOf<KnownSession> = {
  id: 'string',
  role: { oneOf: { root: true, child: true, other: true, new: true } },
  'cwd?': 'string',
  'model?': 'string',
}

function memoryFields(): MemoryFieldsOf<Omit<AcpMemory, keyof CommonNotes>> {
  return {
    'rootId?': 'string',
    sessions: { mapBy: 'id', of: { fields: SESSION } },
    threads: { mapBy: 'id', of: { fields: THREAD } },
    messages: {
      mapOf: {
        fields: { id: 'string', blocks: 'finite number', 'isWhole?': 'boolean', 'at?': 'finite number' },
      },
    },
    calls: { mapOf: { fields: CALL } },
    agents: {
      mapBy: 'id',
      of: {
        fields: {
          id: 'string',
          order: 'finite number',
          'agentId?': 'string',
          run: { oneOf: { announced: true, running: true, ended: true } },
          'hasOutput?': 'boolean',
          'isInBackground?': 'boolean',
          'parentId?': 'string',
          'isRestarting?': 'boolean',
        },
      },
    },
    agentIds: { mapOf: 'string' },
    agentCount: 'finite number',
    prompts: {
      mapBy: 'id',
      of: {
        fields: { id: 'string', known: 'finite number', seen: 'finite number', repeated: 'finite number' },
      },
    },
    'promptId?': 'string',
    'heldPrompt?': { fields: { 'id?': 'string', parts: { listOf: CONTENT_PART } } },
    clientCalls: {
      mapBy: 'id',
      of: {
        fields: {
          id: 'string',
          method: 'string',
          'sessionId?': 'string',
          'promptId?': 'string',
          'cwd?': 'string',
          'words?': 'string',
          'isAnswered?': 'boolean',
        },
      },
    },
    agentCalls: { mapOf: 'string' },
    openPrompts: 'finite number',
    'isResumed?': 'boolean',
    'hasUnnamedPrompt?': 'boolean',
    hasPrompts: 'boolean',
    'loadId?': 'string',
    requests: { mapOf: { fields: BLOCK.fields, byType: { request: BLOCK.byType.request } } },
  }
}

/** The notes of the source. */
export const NOTES: NotesDeclaration<AcpMemory> = /* @__PURE__ */ declareMemory<AcpMemory>(
  { source: 'acp', version: MEMORY_VERSION },
  /* @__PURE__ */ memoryFields(),
  initialMemory,
)
