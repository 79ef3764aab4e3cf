import type { MemoryFieldsOf } from '../../session/save/memory-shape.ts'
import { translationFields } from '../../session/save/translation-memory-shape.ts'
import { BLOCK } from '../../state/block.ts'
import type { AgUiSourceMemory, KnownStream } from './memory.ts'

/** The version of the fields below. A changed field needs the next number, because older saved memories do not have it. */
export const MEMORY_VERSION = 2

const STREAM: MemoryFieldsOf<KnownStream> = {
  'isOpen?': 'boolean',
  'repeated?': 'finite number',
  'args?': 'string',
}

/** Returns the fields of the memory, as `save` writes them and `load` checks them. */
export function memoryFields(): MemoryFieldsOf<AgUiSourceMemory> {
  const { subagent: _, ...byType } = BLOCK.byType
  return {
    ...translationFields(),
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
