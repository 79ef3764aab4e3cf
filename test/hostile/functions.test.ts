import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as agentfold from '../../src/index.ts'
import { claudeSource, claudeTranscript } from '../../src/sources/claude/index.ts'
import { opencodeSource, opencodeTranscript } from '../../src/sources/opencode/index.ts'
import { fold, spawn, text, upsert, usage } from '../reducer/example.ts'
import { ASKED_FOR, odd, withoutPollution } from './values.ts'

const state = fold(upsert(text('a')), spawn('T', { agentId: 'A' }), upsert(text('b'), 'T'), usage('m', 1))
const message = { id: 'm', timestamp: '2025-01-01T00:00:00Z', role: 'user', content: 'Hi.' } as const
const { log } = agentfold.appendMessage(agentfold.createConversationLog(), message)
const registry = agentfold.reduceAgentEvent(agentfold.createAgentRegistry(), {
  type: 'agent:started',
  at: 1,
  agentId: 'A',
  name: 'main',
  promptHashes: ['p'],
})
const claim = { parentAgentId: 'A', parentAgentTypeHash: 'h', expectedChildAgentName: 'n', promptHash: 'p' }
const claims = agentfold.createClaim([], claim, 0)
const turns = [{ type: 'text', role: 'user', text: 'Hi.' }]
const calls: Readonly<Record<string, (...args: never[]) => unknown>> = {
  ...functionsOf(agentfold),
  claudeTranscript,
  opencodeTranscript,
}

/** Right arguments of each function, one after the other of which is then made wrong. */
const RIGHT: Readonly<Record<string, readonly unknown[]>> = {
  appendMessage: [log, message, { idleTimeoutMs: 1 }],
  attachSummary: [log, 'conv-2025-01-01T00:00:00Z', { title: 't', summary: 's' }],
  buildAgentTree: [registry],
  buildSessionTree: [state],
  canonicalize: [{ a: 1 }, { hasNumbers: true }],
  claudeTranscript: [{ 'a.jsonl': '{}' }],
  compareSessions: [state, state],
  computeAgentTypeHash: ['a', 'b'],
  computeConversationHash: ['a', 'b', 'c'],
  computeToolSetHash: [[{ name: 'a' }]],
  conversationsToSummarize: [log],
  createAgentRegistry: [{ onAmbiguous: 'none' }],
  createClaim: [claims, claim, 1],
  createConversationLog: [],
  createInitialConversationState: [],
  createSessionStore: [{ state, schedule: 'manual' }],
  createSyncState: [{ epoch: 'e', seq: 1, limit: 1 }],
  currentContext: [log],
  decodeLines: [agentfold.initialLines, '{}\n'],
  detectArchitecture: ['{}'],
  endConversation: [log, 1],
  endLines: [agentfold.initialLines],
  expireClaims: [claims, 1],
  findBlock: [state, 'main', 'a'],
  findConversation: [state, 'main'],
  findSubagent: [state, 'T'],
  foldSessionEvents: [state, []],
  getConversation: [log, 'conv'],
  handleConversationTool: [log, { name: 'get_conversation', input: {} }, 1],
  hashCanonical: [{ a: 1 }, {}],
  hashFirstAssistantResponse: ['a'],
  hashSystemPrompt: ['a'],
  hashTurns: [turns],
  hashUserMessage: ['a'],
  identifyConversation: [state, { agentTypeHash: 'h' }],
  identifySession: [state, {}],
  isConversationEvent: [{}],
  matchClaim: [claims, { promptHashes: ['p'] }, 1, {}],
  materializeTurns: [turns, new Map(), {}],
  migrateHistory: [log, [message]],
  missing: [agentfold.createSyncState()],
  opencodeTranscript: [{ 'a.json': '{}' }],
  parseConversationLog: [agentfold.serializeConversationLog(log)],
  parseConversationSpec: ['{}', {}],
  parseSessionEvent: [{}],
  parseStoredTurns: ['[]'],
  parseSummary: ['{}'],
  parseTranscript: ['claude-sdk', '{"type":"user"}'],
  pastConversations: [log],
  readEndSignal: ['Bye.'],
  readTranscript: ['opencode', '{}'],
  receive: [agentfold.createSyncState(), { epoch: 'e', seq: 1, event: {} }],
  recentConversations: [log, 1],
  reduceAgentEvent: [registry, { type: 'clock:advanced', at: 2 }],
  reduceSessionEvent: [state, { type: 'session:idle' }],
  reduceSessionEvents: [state, [{ type: 'session:idle' }]],
  restore: [agentfold.snapshot({ state, epoch: 'e', seq: 1 })],
  serializeConversationLog: [log],
  sessionClaims: [state, {}],
  sessionConversation: [state, { now: 1 }],
  shortHash: ['abcdef', 3],
  snapshot: [{ state, epoch: 'e', seq: 1 }],
  spawnCall: ['Task', { prompt: 'Go.' }],
  stamp: [{ epoch: 'e', seq: 1 }, { type: 'session:idle' }],
  stepAgentEvent: [registry, { type: 'clock:advanced', at: 2 }],
  stepSessionEvent: [state, { type: 'session:idle' }],
  subagentBlockId: ['T'],
  sumUsage: [state.usage],
  summaryRequest: [{ id: 'c', startedAt: 't', endedAt: null, messages: [message] }, { model: 'm' }],
  toolCalls: [state],
  toolResultBlockId: ['T'],
}

/** What the library may throw where it is used wrongly, and nothing that only says how an engine gave up. */
function expectDocumented(error: unknown): void {
  const kinds = [
    TypeError,
    RangeError,
    agentfold.CanonicalizationError,
    agentfold.ConversationLimitError,
    agentfold.RecordedAudioUploadKeyError,
    agentfold.SnapshotError,
    agentfold.TranscriptError,
  ]
  expect(kinds.some((kind) => error instanceof kind)).toBe(true)
  expect(String(error)).not.toMatch(/call stack|Invalid (string|array) length/)
}

it('every function is among those that are tried', () => {
  expect(Object.keys(RIGHT).sort()).toEqual(Object.keys(calls).sort())
})

/** They put texts together or cut them, and do nothing else. */
const TEXTUAL = ['shortHash', 'subagentBlockId', 'toolResultBlockId']

describe.each(Object.entries(RIGHT).filter(([name]) => !TEXTUAL.includes(name)))('%s', (name, right) => {
  const call = (args: readonly unknown[]) => Reflect.apply(calls[name] ?? expect.unreachable, undefined, args)

  it('takes what is right', () => {
    try {
      call(right)
    } catch (error) {
      expectDocumented(error)
    }
  })

  it.skipIf(right.length === 0)('takes an argument of any kind, or says what is wrong with it', () => {
    withoutPollution(() =>
      fc.assert(
        fc.property(fc.nat({ max: Math.max(0, right.length - 1) }), odd, (place, value) => {
          try {
            call(right.with(place, value))
          } catch (error) {
            // What a getter of an argument throws is its own.
            if (error !== ASKED_FOR) expectDocumented(error)
          }
        }),
        { numRuns: 150 },
      ),
    )
  })
})

const SOURCES: readonly { readonly name: string; readonly source: agentfold.Source<unknown> }[] = [
  { name: 'claude', source: anySource(claudeSource) },
  { name: 'opencode', source: anySource(opencodeSource) },
]

/** Messages in which a field of a field of one may be of any kind. */
const messages = fc.array(
  fc.oneof(
    odd,
    fc.dictionary(
      fc.constantFrom(
        'type',
        'message',
        'event',
        'uuid',
        'session_id',
        'properties',
        'payload',
        'content',
        'subtype',
      ),
      fc.oneof(
        odd,
        fc.dictionary(fc.constantFrom('id', 'type', 'part', 'info', 'content', 'usage', 'sessionID'), odd),
      ),
    ),
    fc
      .tuple(fc.constantFrom('assistant', 'user', 'system', 'result', 'attachment', 'stream_event'), odd, odd)
      .map(([type, message, content]) => ({
        type,
        session_id: 's',
        message: { id: 'm', content: [content, { type: 'tool_use', id: message, input: content }] },
        event: message,
        subtype: content,
      })),
    fc
      .tuple(
        fc.constantFrom('message.updated', 'message.part.updated', 'session.updated', 'session.error'),
        odd,
        odd,
      )
      .map(([type, info, part]) => ({
        type,
        properties: {
          sessionID: 's',
          info: { id: 's', role: info, error: part, time: info },
          part: { id: part, messageID: info, type: 'tool', state: { status: 'completed', input: part } },
        },
      })),
  ),
  { maxLength: 5 },
)

it.each(SOURCES)(
  'the source of $name translates messages of any kind into events, or reports them',
  ({ source }) => {
    withoutPollution(() =>
      fc.assert(
        fc.property(messages, (all) => {
          let memory = source.initial
          for (const each of all) {
            const translated = source.translate(memory, each)
            memory = translated.memory
            for (const event of translated.events)
              expect(agentfold.parseSessionEvent(event)).toEqual({ ok: true, event })
          }
          for (const event of source.end(memory).events)
            expect(agentfold.isConversationEvent(event)).toBe(true)
        }),
        { numRuns: 1000 },
      ),
    )
  },
)

function anySource<Memory>(source: agentfold.Source<Memory>): agentfold.Source<unknown> {
  const memories = new Map<unknown, Memory>([[source.initial, source.initial]])
  const known = (memory: unknown): Memory => memories.get(memory) ?? source.initial
  return {
    initial: source.initial,
    translate: (memory, message) => {
      const translated = source.translate(known(memory), message)
      memories.set(translated.memory, translated.memory)
      return translated
    },
    end: (memory) => source.end(known(memory)),
  }
}

function functionsOf(module: object): Readonly<Record<string, (...args: never[]) => unknown>> {
  return Object.fromEntries(
    Object.entries(module).filter(
      ([, value]) => typeof value === 'function' && !/^class /.test(String(value)),
    ),
  )
}
