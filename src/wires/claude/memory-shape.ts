import { declareMemory, type MemoryFieldsOf } from '../../session/notes/memory-shape.ts'
import type { CommonNotes, NotesDeclaration } from '../../session/notes/notes.ts'
import { BLOCK } from '../../state/block.ts'
import { TOKEN_USAGE } from '../../state/session.ts'
import { TODO } from '../../state/todo.ts'
import type { LineBlocks, LinePlace } from './lines/line-place.ts'
import {
  type Agent,
  type AgentFacts,
  type BufferedLines,
  type ClaudeMemory,
  initialMemory,
  type MessageBlock,
  type ModelMessage,
  type StoredEnd,
} from './memory.ts'

/** The version of the fields below. A changed field needs the next number, because older saved memories do not have it. */
const MEMORY_VERSION = 3

const MESSAGE_BLOCK: MemoryFieldsOf<MessageBlock> = {
  id: 'string',
  contentType: 'string',
  'toolUseId?': 'string',
  index: 'finite number',
  isWhole: 'boolean',
  'unnamedText?': 'string',
  'repeatedText?': 'string',
  'startedPart?': 'JSON object',
  'textSoFar?': 'string',
}

const MODEL_MESSAGE: MemoryFieldsOf<ModelMessage> = {
  blocks: { listOf: { fields: MESSAGE_BLOCK } },
  'model?': 'string',
  'usage?': { fields: TOKEN_USAGE },
  isUsageFinal: 'boolean',
  'deltaUuids?': { mapOf: 'string' },
  'isStopped?': 'boolean',
}

const AGENT_FACTS: MemoryFieldsOf<AgentFacts> = {
  'agentId?': 'string',
  'parent?': 'string',
  'parentFromMeta?': 'string',
  'hasCall?': 'boolean',
  'prompt?': 'string',
  'name?': 'string',
  'description?': 'string',
  'messageId?': 'string',
  'timestamp?': 'string',
  'runId?': 'string',
  'isBackground?': 'boolean',
  'hasOpenCall?': 'boolean',
  'isTeammate?': 'boolean',
}

const STORED_END: MemoryFieldsOf<StoredEnd> = {
  status: { oneOf: { completed: true, error: true } },
  'output?': 'string',
  'durationMs?': 'finite number',
  'isProvisional?': 'boolean',
}

const AGENT: MemoryFieldsOf<Omit<Agent, keyof AgentFacts>> = {
  toolUseId: 'string',
  order: 'finite number',
  'resumedRunId?': 'string',
  'hasEnded?': 'boolean',
  'storedEnd?': { fields: STORED_END },
  'isResumed?': 'boolean',
  'hasUnknownRun?': 'boolean',
  'hasFailedRequest?': 'boolean',
  'isAbandoned?': 'boolean',
  'hasStopHook?': 'boolean',
}

const BUFFERED_LINES: MemoryFieldsOf<BufferedLines> = {
  group: 'string',
  first: 'JSON object',
  last: { bufferOf: 'JSON object' },
}

const LINE_BLOCKS: MemoryFieldsOf<LineBlocks> = {
  conversationId: 'string',
  'blockId?': 'string',
  'blockIds?': { listOf: 'string' },
}

const LINE_PLACE: MemoryFieldsOf<LinePlace> = {
  'parent?': 'string',
  'previous?': 'string',
  anchor: 'string',
  'firstPrompt?': 'string',
}

function memoryFields(): MemoryFieldsOf<Omit<ClaudeMemory, keyof CommonNotes>> {
  return {
    isStream: 'boolean',
    hasInit: 'boolean',
    'isInterruptedByEnd?': 'boolean',
    'streamedSession?': 'string',
    'compactedConversation?': 'string',
    queue: { listOf: { fields: { 'text?': 'string', hasLine: 'boolean' } } },
    queuedPrompts: { listOf: { fields: { text: 'string', blockId: 'string' } } },
    buffered: { mapBy: 'group', of: { fields: BUFFERED_LINES } },
    agentCount: 'finite number',
    linesWithoutUuid: 'finite number',
    promptedConversations: { mapOf: 'string' },
    unnamedPrompts: { mapOf: 'string' },
    unnamedResults: { mapOf: 'string' },
    streamingMessages: { mapOf: 'string' },
    streamedMessages: { mapOf: 'string' },
    'unpromptedMessages?': { listOf: 'string' },
    'joinedMessage?': 'string',
    'unfinishedMessage?': 'string',
    messages: { mapOf: { mapOf: { fields: MODEL_MESSAGE } } },
    readLines: { mapOf: { fields: LINE_BLOCKS } },
    'lastLine?': 'string',
    'lastAnchor?': 'string',
    places: { mapOf: { fields: LINE_PLACE } },
    placeCount: 'finite number',
    olderPlaces: { mapOf: { fields: LINE_PLACE } },
    promptsByAnchor: { mapOf: 'string' },
    pendingCalls: { mapOf: { mapOf: { fields: BLOCK.fields, byType: { tool_use: BLOCK.byType.tool_use } } } },
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
    tasks: { listOf: { fields: { id: 'string', ...TODO } } },
    abandonedCalls: { mapOf: 'string' },
    checkpoints: { mapOf: 'string' },
    'lastUserMessage?': { fields: BLOCK.fields, byType: { user_message: BLOCK.byType.user_message } },
    requests: { mapOf: { fields: BLOCK.fields, byType: { request: BLOCK.byType.request } } },
    requestCalls: { mapOf: 'string' },
    agents: { mapBy: 'toolUseId', of: { fields: { ...AGENT_FACTS, ...AGENT } } },
    lastTexts: { mapOf: 'string' },
    unfinishedAgents: { mapOf: 'string' },
    agentsWithoutCall: { mapOf: { fields: AGENT_FACTS } },
    toolUseIdByAgent: { mapOf: 'string' },
    resumeCalls: { mapOf: 'string' },
  }
}

/** The notes of the source. */
export const NOTES: NotesDeclaration<ClaudeMemory> = /* @__PURE__ */ declareMemory<ClaudeMemory>(
  { source: 'claude-sdk', version: MEMORY_VERSION },
  /* @__PURE__ */ memoryFields(),
  initialMemory,
)
