import { declareMemory, type MemoryFieldsOf } from '../../session/notes/memory-shape.ts'
import type { CommonNotes, NotesDeclaration } from '../../session/notes/notes.ts'
import { RESUMED_PLACE } from '../../session/resume/resumed-text.ts'
import { BLOCK } from '../../state/block.ts'
import { CONTENT_PART } from '../../state/content.ts'
import { TOKEN_USAGE } from '../../state/session.ts'
import {
  type CodexMemory,
  type HeldMessage,
  initialMemory,
  type KnownItem,
  type KnownThread,
} from './memory.ts'

/** The version of the fields below. A changed field needs the next number, because older saved memories do not have it. */
const MEMORY_VERSION = 2

const HELD: MemoryFieldsOf<HeldMessage> = {
  role: { oneOf: { user: true, assistant: true } },
  'id?': 'string',
  content: { listOf: CONTENT_PART },
  'time?': 'string',
}

const THREAD: MemoryFieldsOf<KnownThread> = {
  id: 'string',
  order: 'finite number',
  isMain: 'boolean',
  'isOther?': 'boolean',
  'callId?': 'string',
  'parentId?': 'string',
  'agentPath?': 'string',
  'model?': 'string',
  'turnId?': 'string',
  'hasTurns?': 'boolean',
  run: { oneOf: { none: true, running: true, ended: true } },
  'reports?': { oneOf: { events: true, items: true, history: true } },
  'heldEntry?': { fields: HELD },
  'heldReport?': { fields: HELD },
  'heldCompaction?': { fields: { 'summary?': 'string', 'time?': 'string' } },
  unnamed: 'finite number',
  openTextIds: { listOf: 'string' },
  'replyId?': 'string',
  total: 'finite number',
  'sum?': { fields: TOKEN_USAGE },
  'searches?': 'finite number',
  'announcedIds?': { listOf: 'string' },
  'lastText?': 'string',
  'resumedUntil?': 'string',
  'hasResumedWork?': 'boolean',
}

function itemFields(): MemoryFieldsOf<Omit<KnownItem, keyof CommonNotes>> {
  return {
    id: 'string',
    'endedBy?': { oneOf: { item: true, output: true } },
    'call?': { fields: BLOCK.fields, byType: { tool_use: BLOCK.byType.tool_use } },
    'time?': 'string',
    'patch?': 'string',
    'output?': 'string',
    'role?': { oneOf: { plan: true, agent: true } },
    'deltaTime?': 'string',
    'deltas?': { listOf: 'string' },
    'resumedText?': {
      fields: {
        kind: { oneOf: { text: true, thinking: true } },
        content: 'string',
        'place?': RESUMED_PLACE,
      },
    },
  }
}

function memoryFields(): MemoryFieldsOf<Omit<CodexMemory, keyof CommonNotes>> {
  return {
    'mainId?': 'string',
    'currentId?': 'string',
    processes: 'finite number',
    'isBetweenProcesses?': 'boolean',
    threadCount: 'finite number',
    threads: { mapBy: 'id', of: { fields: THREAD } },
    items: { mapOf: { fields: itemFields() } },
    endedTurns: { mapOf: 'string' },
    requests: { mapOf: { fields: BLOCK.fields, byType: { request: BLOCK.byType.request } } },
    'resumedUntil?': 'string',
  }
}

/** The notes of the source. */
export const NOTES: NotesDeclaration<CodexMemory> = /* @__PURE__ */ declareMemory<CodexMemory>(
  { source: 'codex', version: MEMORY_VERSION },
  /* @__PURE__ */ memoryFields(),
  initialMemory,
)
