import { expect, it } from 'vitest'
import { createConversationLog, handleConversationTool } from '../../src/entries/conversations.ts'
import {
  ConversationNotFoundError,
  identifyConversation,
  identifySession,
  isContentHash,
  isReplayState,
  isTerminalReplayState,
  materializeTurns,
  parseConversationSpec,
  parseStoredTurns,
  shortHash,
  transitionReplay,
  upsertConversation,
} from '../../src/entries/identity.ts'
import { createInitialConversationState, parseSessionEvent } from '../../src/entries/index.ts'
import { writeSession } from '../../src/entries/writers.ts'

// The arguments of plain JavaScript, of a request, and of a model. No compiler has seen them.

const cycle: Record<string, unknown> = { name: 'x' }
cycle.self = cycle
cycle.turns = [cycle]
const list: unknown[] = []
list.push(list)

const HOSTILE: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['an empty list', []],
  ['a list with null', [null]],
  ['a list in itself', list],
  ['an object in itself', cycle],
  ['NaN', Number.NaN],
  ['a number', 7],
  ['a bigint', 10n],
  ['an empty text', ''],
  ['a long text', 'x'.repeat(300_000)],
  ['the name of a prototype', '__proto__'],
  ['the name of a method', 'constructor'],
  ['a prototype as a key', JSON.parse('{"__proto__":{"hash":"x"},"constructor":1}')],
  ['an object without a prototype', Object.create(null)],
  ['a symbol', Symbol('x')],
  ['a function', () => 1],
  ['a date', new Date(Number.NaN)],
  ['a map', new Map()],
  ['bytes', new Uint8Array(2)],
  ['half of a surrogate pair', '\ud800'],
]

/** Each takes an argument of any type. A result with `issues` or an `issue` states them. */
const FUNCTIONS: Readonly<Record<string, (value: never) => unknown>> = {
  'upsertConversation: existing': (value) => upsertConversation(value, conversation),
  'upsertConversation: a row': (value) => upsertConversation({ ...row, createdAt: value }, conversation),
  'upsertConversation: conversation': (value) => upsertConversation(null, value),
  'upsertConversation: name': (value) => upsertConversation(null, { ...conversation, name: value }),
  'upsertConversation: turns': (value) => upsertConversation(null, { ...conversation, turns: value }),
  'upsertConversation: a turn': (value) => upsertConversation(null, { ...conversation, turns: [value] }),
  'upsertConversation: a text': (value) =>
    upsertConversation(null, { ...conversation, turns: [{ role: 'user', text: value }] }),
  'upsertConversation: now': (value) => upsertConversation(null, { ...conversation, now: value }),
  'transitionReplay: from': (value) => transitionReplay(value, 'completed'),
  'transitionReplay: to': (value) => transitionReplay('pending', value),
  isContentHash,
  isReplayState,
  isTerminalReplayState,
  shortHash,
  'shortHash: length': (value) => shortHash('a'.repeat(64), value),
  ConversationNotFoundError: (value) => new ConversationNotFoundError(value),
  parseConversationSpec: (value) => parseConversationSpec(value),
  'parseConversationSpec: limits': (value) => parseConversationSpec('{"name":"x","turns":[]}', value),
  parseStoredTurns,
  'materializeTurns: turns': (value) => materializeTurns(value, new Map()),
  'materializeTurns: a turn': (value) => materializeTurns([value], new Map()),
  'materializeTurns: audio': (value) =>
    materializeTurns([{ role: 'user', text: 'x', audio: value }], new Map()),
  'materializeTurns: audioByKey': (value) => materializeTurns([{ role: 'agent' }], value),
  'materializeTurns: bytes': (value) => materializeTurns(uploaded, new Map([['a', value]])),
  parseSessionEvent,
  'parseSessionEvent: context': (value) => parseSessionEvent({ type: 'session:idle', context: value }),
  'parseSessionEvent: a field of the context': (value) =>
    parseSessionEvent({ type: 'session:idle', context: { conversationId: value, timestamp: value } }),
  'identifyConversation: state': (value) => identifyConversation(value, { agentTypeHash: 'a' }),
  'identifyConversation: options': (value) => identifyConversation(state, value),
  'identifyConversation: conversationId': (value) =>
    identifyConversation(state, { agentTypeHash: 'a', conversationId: value }),
  'identifyConversation: firstUserText': (value) =>
    identifyConversation(state, { agentTypeHash: 'a', firstUserText: value }),
  'identifyConversation: program': (value) =>
    identifyConversation(state, { agentTypeHash: 'a', program: value }),
  'identifySession: state': (value) => identifySession(value, { agentTypeHash: 'a' }),
  'identifySession: options': (value) => identifySession(state, value),
  'identifySession: agentTypeHash': (value) => identifySession(state, { agentTypeHash: value }),
  'handleConversationTool: call': (value) => handleConversationTool(log, value),
  'handleConversationTool: name': (value) => handleConversationTool(log, { name: value, input: {} }),
  'get_conversation: input': (value) => getConversation(value),
  'get_conversation: before': (value) => getConversation({ before: value }),
  'get_conversation: query': (value) => getConversation({ query: value }),
  'get_conversation: count': (value) => getConversation({ count: value }),
  'get_conversation: conversation_id': (value) => getConversation({ conversation_id: value }),
  'writeSession: session': (value) => writeSession(value, { program: 'codex', cwd: '/x' }),
  'writeSession: options': (value) => writeSession(state, value),
  'writeSession: program': (value) => writeSession(state, { program: value, cwd: '/x' }),
  'writeSession: cwd': (value) => writeSession(state, { program: 'codex', cwd: value }),
  'writeSession: model': (value) => writeSession(state, { program: 'codex', cwd: '/x', model: value }),
  'writeSession: agent': (value) => writeSession(state, { program: 'codex', cwd: '/x', agent: value }),
}

const uploaded = [{ role: 'user', text: 'x', audio: { kind: 'recorded', upload_key: 'a' } }] as const
const state = createInitialConversationState()
const log = createConversationLog()
const conversation = { name: 'x', turns: [{ role: 'agent' }], now: '2026-05-22T08:00:00Z' } as const
const row = upsertConversation(null, conversation)
const getConversation = (input: unknown) => handleConversationTool(log, { name: 'get_conversation', input })

/** Returns the problems that a result or an error states. */
function problemsOf(run: () => unknown): readonly unknown[] {
  try {
    const { issues = [], issue } = Object(run())
    return issue === undefined ? issues : [issue]
  } catch (error) {
    return [error]
  }
}

it.each(Object.entries(FUNCTIONS))('%s: a wrong value gets a code and a path', (_, run) => {
  for (const [name, value] of HOSTILE)
    for (const problem of problemsOf(() => run(value as never))) {
      expect(problem, name).toMatchObject({ code: expect.stringMatching(/^[a-z-]+$/) })
      const { path } = Object(problem)
      expect(typeof path === 'string' || Array.isArray(path), `${name}: ${String(problem)}`).toBe(true)
    }
})

it.each([
  ['existing', { ...row, createdAt: 'x' }, conversation, ['existing', 'createdAt']],
  ['a row that is a list', [], conversation, ['existing']],
  ['a turn that is null', null, { ...conversation, turns: [null] }, ['turns', 0]],
  ['a text', null, { ...conversation, turns: [{ role: 'user', text: 7 }] }, ['turns', 0, 'text']],
  [
    'an unknown field',
    null,
    { ...conversation, turns: [{ role: 'agent', path: '/x' }] },
    ['turns', 0, 'path'],
  ],
])('upsertConversation leads to %s', (_, existing, given, path) => {
  expect(() => upsertConversation(existing as never, given as never)).toThrow(
    expect.objectContaining({ name: 'ConversationRowError', code: 'invalid-value', path }),
  )
})

it.each<[unknown, string, readonly string[]]>([
  [null, 'unknown-tool', ['name']],
  [{ name: 'x' }, 'unknown-tool', ['name']],
  [{ name: 'get_conversation', input: [] }, 'invalid-argument', ['input']],
  [{ name: 'get_conversation', input: { after: 'x' } }, 'unknown-argument', ['input', 'after']],
  [{ name: 'get_conversation', input: { before: null } }, 'invalid-argument', ['input', 'before']],
  [{ name: 'get_conversation', input: { before: 'x' } }, 'unknown-conversation', ['input', 'before']],
  [{ name: 'get_conversation', input: { query: 7 } }, 'invalid-argument', ['input', 'query']],
  [
    { name: 'get_conversation', input: { conversation_id: 'x' } },
    'unknown-conversation',
    ['input', 'conversation_id'],
  ],
])('the host sees why the call %j failed', (call, code, path) => {
  const handled = handleConversationTool(log, call as never)
  expect(handled.issue).toEqual({ code, path })
  expect(handled.result.isError).toBe(true)
  expect(handleConversationTool(log, { name: 'get_conversation', input: {} })).not.toHaveProperty('issue')
})

it.each<[string, unknown, unknown, string, string]>([
  ['session', null, { program: 'codex', cwd: '/x' }, 'invalid-value', 'session'],
  ['options', state, null, 'unknown-program', 'program'],
  ['folder', state, { program: 'codex' }, 'invalid-value', 'cwd'],
  ['model', state, { program: 'codex', cwd: '/x', model: 7 }, 'invalid-value', 'model'],
  ['agent', state, { program: 'codex', cwd: '/x', agent: 10n }, 'unknown-agent', 'agent'],
])('writeSession leads to a wrong %s', (_, session, options, code, path) => {
  expect(() => writeSession(session as never, options as never)).toThrow(
    expect.objectContaining({ code, path }),
  )
})
