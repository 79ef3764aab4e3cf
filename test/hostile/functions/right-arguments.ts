import { createSessionHub } from '../../../src/entries/hub.ts'
import type { SessionEvent, SessionConversationState as State } from '../../../src/entries/index.ts'
import type { Sink } from '../../../src/entries/source-kit.ts'
import { fold, spawn, text, upsert, usage } from '../../core/reducer/example.ts'
import { everything as agentfold } from '../../entries.ts'

// Every function of every entry point. A function with a callback or a source gets one of ours.
const modules = {
  ...agentfold,
  checkJoin: agentfold.checkJoin,
  checkSource: agentfold.checkSource,
  checkSink: agentfold.checkSink<undefined, never, readonly never[]>,
  expectIdempotent: agentfold.expectIdempotent<State, SessionEvent>,
  expectPure: agentfold.expectPure<State, SessionEvent>,
  expectSameInBatches: agentfold.expectSameInBatches<State, SessionEvent>,
  expectStableReferences: agentfold.expectStableReferences<State, SessionEvent>,
}

type Modules = typeof modules
type FunctionName = {
  [Name in keyof Modules]-?: Modules[Name] extends (...args: never[]) => unknown ? Name : never
}[keyof Modules]

const initial = agentfold.createInitialConversationState()
const events = [upsert(text('a')), spawn('T', { agentId: 'A' }), upsert(text('b'), 'T'), usage('m', 1)]
const state = fold(...events)
const ask = { type: 'request', id: 'r', status: 'pending', kind: 'permission', title: 'Bash' } as const
const asking = fold(
  { type: 'session:updated', facts: { program: 'claude-code' } },
  upsert({ ...ask, data: { tool_name: 'Bash' } }),
)
const message = { id: 'm', timestamp: '2025-01-01T00:00:00Z', role: 'user', content: 'Hi.' } as const
const { log } = agentfold.appendMessage(agentfold.createConversationLog(), message)
const { log: endedLog, ended } = agentfold.endConversation(log, 2e12)
if (!ended) throw new Error('a conversation ends when it is ended')
const registry = agentfold.reduceAgentEvent(agentfold.createAgentRegistry(), {
  type: 'agent:started',
  at: 1,
  agentId: 'A',
  name: 'main',
  promptHashes: ['p'],
})
const newClaim = {
  parentAgentId: 'A',
  parentAgentTypeHash: 'h',
  expectedChildAgentName: 'n',
  promptHash: 'p',
}
const claims = agentfold.createClaim([], newClaim, 0)
const child = { promptHashes: ['p'] }
const turn = { role: 'user', text: 'Hi.' } as const
const idle = { type: 'session:idle' } as const
const { stamped } = agentfold.stamp({ epoch: 'e', seq: 0 }, idle)
const clock = { type: 'clock:advanced', at: 2 } as const
const line = '{"type":"user","sessionId":"s","message":{"content":"Hi."}}'
// Only a line with a uuid is known when it comes again.
const named: unknown = { ...JSON.parse(line), uuid: 'u' }

const silentSink: Sink<undefined, never> = {
  initial: undefined,
  translate: (memory) => ({ memory, out: [] }),
  end: () => ({ out: [] }),
}

const chat = {
  messages: [],
  error: undefined,
  generateId: () => 'id',
  stop: async () => {},
  clearError: () => {},
  resumeStream: async () => {},
  sendMessage: async () => {},
}

// A missing function does not compile.
const RIGHT: { readonly [Name in FunctionName]: Parameters<Modules[Name]> } = {
  answerEvents: ['a', { role: 'assistant', content: 'Hi.' }, { at: 0 }],
  answerRequest: [asking, 'r', 'allow'],
  appendMessage: [log, message, { conversationIdleTimeoutMinutes: 1 }],
  assertParity: [state, state],
  attachSummary: [endedLog, ended.id, { title: 't', summary: 's' }],
  buildAgentTree: [registry],
  buildSessionTree: [state],
  canonicalize: [{ a: 1 }, { hasNumbers: true }],
  checkJoin: [agentfold.claudeSource, { history: [named], live: [], cuts: [0] }],
  checkSink: [silentSink, events, { read: (out) => out, expected: () => [] }],
  checkSource: [agentfold.claudeSource, [JSON.parse(line)]],
  claudeTranscript: [{ 'a.jsonl': line }],
  codexTranscript: [{ 'rollout-a.jsonl': '{"type":"session_meta","payload":{"id":"s"}}' }],
  copilotTranscript: [
    { 'events.jsonl': '{"type":"session.start","data":{"sessionId":"s"},"id":"e","parentId":null}' },
  ],
  compactEvents: [events],
  compareSessions: [state, state],
  computeAgentTypeHash: ['a', 'b'],
  computeConversationHash: ['a', 'b', 'c'],
  computeToolSetHash: [[{ name: 'a' }]],
  connectSession: ['/s', { fetch: async () => new Response(null, { status: 404 }) }],
  connectHub: ['/', { fetch: async () => new Response(null, { status: 404 }) }],
  conversationsToSummarize: [endedLog],
  ownTokens: [agentfold.buildSessionTree(state)],
  readAnswer: ['messages', []],
  requestIds: [{ 'thread-id': 'a' }],
  sessionChat: [chat],
  uiMessageResponse: [createSessionHub(), 's', { request: new Request('http://a/messages') }],
  uiMessageSink: [{ version: 6 }],
  createAgentRegistry: [{ onAmbiguous: 'none' }],
  createClaim: [claims, newClaim, 1],
  createConversationLog: [],
  createInitialConversationState: [],
  createReader: [agentfold.claudeSource, {}],
  createRequestAgents: [{ newId: () => 'a' }],
  createSessionStore: [{ state, schedule: 'manual' }],
  declareNotes: [{ source: 's', version: 1 }, { waiting: { mapOf: 'string' } }],
  defineSource: [
    {
      notes: agentfold.declareNotes({ source: 's', version: 1 }, {}),
      begin: (session) => new agentfold.TranslationContext(session),
      open() {},
      translate() {},
      end: (context) => context.endInput(),
    },
  ],
  createSyncState: [{ epoch: 'e', seq: 1, limit: 1 }],
  currentContext: [log],
  decodeLines: [agentfold.initialLines, '{}\n'],
  detectArchitecture: [line],
  endConversation: [log, 2e12],
  endLines: [agentfold.initialLines],
  expectIdempotent: [agentfold.sessionFold, events],
  expectPure: [agentfold.sessionFold, events],
  expectSameInBatches: [agentfold.sessionFold, events],
  expectStableReferences: [agentfold.sessionFold, events],
  expireClaims: [claims, 1],
  findBlock: [state, 'main', 'a'],
  findConversation: [state, 'main'],
  findSubagent: [state, 'T'],
  foldSessionEvents: [state, events],
  getConversation: [endedLog, ended.id],
  handleConversationTool: [endedLog, { name: 'get_conversation', input: {} }],
  forgetAgents: [registry, { before: 2 }],
  hashCanonical: [{ a: 1 }, {}],
  hashFirstAssistantResponse: ['a'],
  hashSystemPrompt: ['a'],
  hashTurns: [[turn]],
  isContentHash: ['a'.repeat(64)],
  isReplayState: ['pending'],
  isTerminalReplayState: ['failed'],
  transitionReplay: ['pending', 'failed'],
  upsertConversation: [null, { name: 'a', turns: [turn], now: '2026-05-22T08:00:00Z' }],
  hashUserMessage: ['a'],
  identifyConversation: [state, { agentTypeHash: 'h' }],
  identifySession: [state, { agentTypeHash: () => 'h' }],
  isConversationEvent: [idle],
  matchClaim: [claims, child, 1, { onAmbiguous: 'none' }],
  loadSession: [agentfold.claudeSource, agentfold.saveSession(agentfold.claudeSource.open())],
  materializeTurns: [[turn], new Map(), {}],
  migrateHistory: [log, [message]],
  missing: [agentfold.createSyncState()],
  opencodeTranscript: [{ 'a.json': '{"info":{"id":"s"},"messages":[]}' }],
  parseConversationLog: [agentfold.serializeConversationLog(log)],
  parseConversationSpec: ['{"name":"n","turns":[]}', {}],
  parseSessionEvent: [idle],
  parseStoredTurns: ['[]'],
  parseSummary: ['{"title":"t","summary":"s"}'],
  parseTranscript: ['claude-sdk', line],
  pastConversations: [endedLog],
  readEndSignal: ['Bye.'],
  readTranscript: ['claude-sdk', line],
  receive: [agentfold.createSyncState(), stamped],
  recentConversations: [endedLog, 1],
  reduceAgentEvent: [registry, clock],
  reduceSessionEvent: [state, idle],
  reduceSessionEvents: [state, events],
  replay: [events, initial],
  requestEvent: ['a', { messages: [{ role: 'user', content: 'Hi.' }] }, { at: 0 }],
  restore: [agentfold.snapshot({ state, epoch: 'e', seq: 1 })],
  saveSession: [agentfold.claudeSource.open()],
  serializeConversationLog: [log],
  sessionClaims: [state, { agentTypeHash: () => 'h' }],
  sessionConversation: [state, { now: 1 }],
  shortHash: ['abcdef', 3],
  snapshot: [{ state, epoch: 'e', seq: 1 }],
  sourceOf: ['codex'],
  spanSink: [{ sessionId: 's' }],
  spawnCall: ['Task', { prompt: 'Go.' }, { tools: ['delegate'] }],
  stamp: [{ epoch: 'e', seq: 1 }, idle],
  stepAgentEvent: [registry, clock],
  stepSessionEvent: [state, idle],
  subagentBlockId: ['T'],
  branches: [state],
  fileChanges: [state],
  partialInput: [
    {
      type: 'tool_use',
      id: 'c',
      conversationId: 'main',
      status: 'pending',
      toolName: 'Read',
      toolUseId: 'c',
      input: {},
      inputText: '{',
    },
  ],
  pendingRequests: [state],
  geminiTranscript: [{ 'session-a.jsonl': '{"sessionId":"s","projectHash":"p","kind":"main"}' }],
  kimiTranscript: [{ 'agents/main/wire.jsonl': '{"type":"metadata","protocol_version":"1","created_at":1}' }],
  qwenTranscript: [
    {
      'chats/a.jsonl':
        '{"uuid":"u","parentUuid":null,"sessionId":"s","type":"user","message":{"parts":[{"text":"a"}]}}',
    },
  ],
  clineTranscript: [
    {
      's/s.messages.json':
        '{"version":1,"agent":"lead","sessionId":"s","origin":{},"messages":[{"id":"m","role":"user","content":"a"}]}',
    },
  ],
  piTranscript: [{ 's.jsonl': '{"type":"session","version":3,"id":"s","cwd":"/srv"}' }],
  textOf: [{ ...ask, conversationId: 'main' }],
  todos: [state],
  totalTokens: [agentfold.buildSessionTree(state)],
  sumUsage: [state.usage],
  summaryRequest: [ended, { model: 'm' }],
  sessionStatus: [state],
  contextTokens: [state, 'main'],
  costOf: [state, () => undefined],
  toAgUiMessages: [state],
  toAgUiState: [state],
  toSessionUpdates: [state, { sessionId: 's' }],
  toUIMessages: [state, { conversationId: 'T' }],
  toolCalls: [state],
  toSpans: [state, { sessionId: 's' }],
  toAtif: [state],
  stateAt: [state, 'b'],
  writablePrograms: [],
  writeSession: [state, { program: 'codex', cwd: '/srv/demo' }],
  tracesOf: [state, []],
  toolResultBlockId: ['T'],
}

/** A public function, and right arguments for it. */
export interface Callable {
  readonly name: string
  readonly right: readonly unknown[]
  call(args: readonly unknown[]): unknown
}

/** All public functions. */
export const CALLABLES: readonly Callable[] = Object.entries(RIGHT).map(([name, right]) => ({
  name,
  right,
  call: (args) => Reflect.apply(Reflect.get(modules, name), undefined, args),
}))
