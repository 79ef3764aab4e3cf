import { declareMemory, type MemoryFieldsOf } from '../../session/notes/memory-shape.ts'
import type { CommonNotes, NotesDeclaration } from '../../session/notes/notes.ts'
import { BLOCK } from '../../state/block.ts'
import { type AgUiSourceMemory, initialMemory, type KnownStream } from './memory.ts'

/** The version of the fields below. A changed field needs the next number, because older saved memories do not have it. */
const MEMORY_VERSION = 3

const STREAM: MemoryFieldsOf<KnownStream> = {
  'isOpen?': 'boolean',
  'repeated?': 'finite number',
  'args?': 'string',
}

function memoryFields(): MemoryFieldsOf<Omit<AgUiSourceMemory, keyof CommonNotes>> {
  const { subagent: _, ...byType } = BLOCK.byType
  return {
    blocks: {
      mapOf: { mapOf: { fields: { ...STREAM, block: { ...BLOCK, byType }, order: 'finite number' } } },
    },
    pending: { mapOf: { mapOf: 'string' } },
    agents: {
      mapBy: 'id',
      of: {
        fields: {
          ...STREAM,
          id: 'string',
          order: 'finite number',
          status: { oneOf: { announced: true, running: true, suspended: true, ended: true } },
          'isFailed?': 'boolean',
          'parentId?': 'string',
          'startedIn?': 'string',
          'prompt?': 'string',
          'agentId?': 'string',
          'output?': 'string',
          'durationMs?': 'finite number',
        },
      },
    },
    agentRuns: { mapOf: 'string' },
    owners: { mapOf: 'string' },
    count: 'finite number',
    lanes: {
      mapBy: 'id',
      of: {
        fields: {
          id: 'string',
          kind: { oneOf: { text: true, thinking: true, call: true } },
          streamId: 'string',
        },
      },
    },
    'run?': { fields: { id: 'string', 'isRepeated?': 'boolean' } },
    endedRuns: { mapOf: 'string' },
    hasRuns: 'boolean',
    interrupts: { mapOf: { fields: { conversationId: 'string', id: 'string' } } },
    shared: 'JSON object',
    agentIds: { mapOf: 'string' },
    unnamed: 'finite number',
  }
}

/** The notes of the source. */
export const NOTES: NotesDeclaration<AgUiSourceMemory> = /* @__PURE__ */ declareMemory<AgUiSourceMemory>(
  { source: 'ag-ui', version: MEMORY_VERSION },
  /* @__PURE__ */ memoryFields(),
  initialMemory,
)
