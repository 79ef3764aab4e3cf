import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  answerRequest,
  createReader,
  detectArchitecture,
  findBlock,
  pendingRequests,
  type RequestAnswer,
  RequestError,
  reduceSessionEvents,
  type SessionConversationState,
  sourceOf,
} from '../../src/entries/index.ts'
import type { PersonDecision, RequestReply } from '../../src/wires/kit/request-reply.ts'
import { fold, upsert } from '../core/reducer/example.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')

/** Recordings of one direction or both, with requests that the program sends. */
const RECORDINGS = [
  'claude-code-requests/01-permission/stream.ndjson',
  'claude-code-requests/09-question/stream.ndjson',
  'qwen/11-requests-sdk/sdk.ndjson',
  'codex/15-approval/app-server.ndjson',
  'interactive/codex-tui/11-question/rpc.ndjson',
  'acp/05-claude-permission/live.ndjson',
  'acp/24-opencode-permission/live.ndjson',
  'laws/gemini/11c-permission-cancelled/acp.ndjson',
  'laws/kimi/11-permission/rpc.ndjson',
  'grok/11-permission/rpc.ndjson',
  'pi/11-requests/rpc.ndjson',
]

/** A request at the moment when it was asked, with the reader before any answer. */
interface Asked {
  readonly before: readonly string[]
  readonly id: string
}

async function readerAt(lines: readonly string[], architecture: Parameters<typeof sourceOf>[0]) {
  const reader = createReader(await sourceOf(architecture))
  for (const line of lines) reader.push(`${line}\n`)
  return reader
}

/** Returns each request of a recording, with the lines up to it. */
async function requestsIn(name: string) {
  const raw = readFileSync(join(FIXTURES, name), 'utf8')
  const architecture = detectArchitecture(raw)
  if (!architecture) throw new Error(`${name}: no format`)
  const lines = raw.trim().split('\n')
  const reader = createReader(await sourceOf(architecture))
  const asked: Asked[] = []
  for (const [at, line] of lines.entries()) {
    reader.push(`${line}\n`)
    for (const { block } of pendingRequests(reader.state))
      if (!asked.some(({ id }) => id === block.id))
        asked.push({ id: block.id, before: lines.slice(0, at + 1) })
  }
  return { asked, architecture }
}

function requestOf(state: SessionConversationState, id: string) {
  for (const conversation of ['main', ...state.subagents.map(({ toolUseId }) => toolUseId)]) {
    const block = findBlock(state, conversation, id)
    if (block?.type === 'request') return block
  }
  throw new Error(`no request ${id}`)
}

/** Whether the program asks with a method of its own. */
function isOwn(data: unknown): boolean {
  return JSON.stringify(data)?.includes('"method":"_') === true
}

function messageOf(reply: RequestReply): unknown {
  if (reply.type !== 'message') throw new Error(`a ${reply.type} is no message`)
  return reply.message
}

describe.each(RECORDINGS)('a reply to %s', (name) => {
  it('is what the source reads as that answer, for every option and label', async () => {
    const { asked, architecture } = await requestsIn(name)
    expect(asked.length).toBeGreaterThan(0)
    let replies = 0
    for (const { before, id } of asked) {
      const { state } = await readerAt(before, architecture)
      const { kind, options = [], questions = [], data } = requestOf(state, id)
      if (isOwn(data)) {
        expect(() => answerRequest(state, id, options[0]?.id ?? '')).toThrow('the method _x.ai')
        continue
      }
      const labels = questions.map((question) => [question.options.at(-1)?.label ?? 'My own words.'])
      const answers: RequestAnswer[] =
        kind === 'question' && questions.length > 0 ? [labels] : options.map((option) => option.id)
      for (const answer of answers) {
        const reader = await readerAt(before, architecture)
        reader.push(messageOf(answerRequest(state, id, answer)))
        const answered = requestOf(reader.state, id)
        expect(answered.status).toBe('complete')
        const label = options.find((option) => option.id === answer)?.label
        // A decision that grants nothing is read as the plain refusal.
        expect([answer, [[label]]]).toContainEqual(answered.answer)
        replies += 1
      }
    }
    expect(replies).toBeGreaterThan(0)
  })

  it('refuses with the program’s own refusal', async () => {
    const { asked, architecture } = await requestsIn(name)
    for (const { before, id } of asked) {
      const reader = await readerAt(before, architecture)
      const { kind, data } = requestOf(reader.state, id)
      const hasNoRefusal = JSON.stringify(data)?.includes('item/tool/requestUserInput')
      if (hasNoRefusal || isOwn(data)) continue
      reader.push(messageOf(answerRequest(reader.state, id, { denied: true })))
      const { status, denied, answer } = requestOf(reader.state, id)
      expect(status, kind).toBe('complete')
      // A cancelled request has no answer.
      expect(denied === true || answer === undefined).toBe(true)
    }
  })
})

it.each([
  [
    'opencode-requests/01-permission/events.ndjson',
    'once',
    /^\/permission\/per_\w+\/reply$/,
    { reply: 'once' },
  ],
  [
    'opencode-requests/01-permission/events.ndjson',
    { denied: true, comment: 'Not this file.' } as PersonDecision,
    /^\/permission\/per_\w+\/reply$/,
    { reply: 'reject', message: 'Not this file.' },
  ],
  ['kilo/11-requests/events.ndjson', 'always', /^\/permission\/per_\w+\/reply$/, { reply: 'always' }],
  ['opencode-requests/05-question/events.ndjson', 'JSON', /^\/question\/que_\w+\/reply$/, undefined],
  [
    'opencode-requests/05-question/events.ndjson',
    { denied: true } as const,
    /^\/question\/que_\w+\/reject$/,
    {},
  ],
])('answers the server of %s', async (name, answer, path, body) => {
  const { asked, architecture } = await requestsIn(name)
  const [first] = asked
  if (!first) throw new Error('no request')
  const { state } = await readerAt(first.before, architecture)
  const { questions } = requestOf(state, first.id)
  const reply = answerRequest(
    state,
    first.id,
    questions && answer === 'JSON' ? questions.map(() => ['JSON']) : answer,
  )
  expect(reply).toEqual({
    type: 'http',
    method: 'POST',
    path: expect.stringMatching(path),
    body: body ?? { answers: questions?.map(() => ['JSON']) },
  })
})

it('answers a permission of Copilot with a call, and a question not at all', async () => {
  const { asked, architecture } = await requestsIn('copilot/11-permissions/rpc.ndjson')
  const kinds = new Set<string>()
  for (const { before, id } of asked) {
    const { state } = await readerAt(before, architecture)
    const { kind } = requestOf(state, id)
    kinds.add(kind)
    if (kind === 'question') expect(() => answerRequest(state, id, 'pear')).toThrow(RequestError)
    else
      expect(answerRequest(state, id, { denied: true, comment: 'No.' })).toEqual({
        type: 'call',
        method: 'session.permissions.handlePendingPermissionRequest',
        params: { sessionId: state.session.id, requestId: id, result: { kind: 'reject', feedback: 'No.' } },
      })
  }
  expect(kinds.has('permission')).toBe(true)
})

describe('answerRequest', () => {
  const ask = { type: 'request', id: 'r', status: 'pending', kind: 'permission', title: 'Bash' } as const
  const options = [
    { id: 'allow', label: 'Allow' },
    { id: 'deny', label: 'Deny' },
  ]
  const claude = { type: 'session:updated', facts: { program: 'claude-code' } } as const
  const asking = fold(claude, upsert({ ...ask, options, toolUseId: 'c', data: { input: { command: 'ls' } } }))
  const refusalOf = (state: SessionConversationState, answer: RequestAnswer | PersonDecision, id = 'r') => {
    try {
      answerRequest(state, id, answer)
    } catch (error) {
      return error instanceof RequestError ? error.code : error
    }
    return undefined
  }

  it('finds the request of an agent', () => {
    const inAgent = reduceSessionEvents(fold(claude), [
      upsert({ ...ask, options, data: { tool_name: 'X' } }, 'T'),
    ])
    expect(answerRequest(inAgent, 'r', 'allow')).toMatchObject({
      message: { response: { response: { updatedInput: {} } } },
    })
  })

  it('says why there is no reply', () => {
    expect(refusalOf(asking, 'allow', 'other')).toBe('unknown-request')
    expect(refusalOf(asking, 'maybe')).toBe('wrong-answer')
    expect(refusalOf(asking, {})).toBe('wrong-answer')
    expect(refusalOf(fold(claude, upsert({ ...ask, status: 'complete' })), 'allow')).toBe('not-pending')
    expect(refusalOf(fold(claude, upsert({ ...ask, options })), 'allow')).toBe('no-answer-taken')
    expect(refusalOf(fold(upsert({ ...ask, options })), 'allow')).toBe('no-answer-taken')
    const facts = { program: 'kimi' }
    expect(refusalOf(fold({ type: 'session:updated', facts }, upsert({ ...ask, options })), 'allow')).toBe(
      'no-answer-taken',
    )
  })

  it.each(['codex', 'acp'])('does not guess the form of a method of %s that it does not know', (protocol) => {
    const facts = protocol === 'acp' ? { protocol } : { program: protocol }
    const state = fold(
      { type: 'session:updated', facts },
      upsert({ ...ask, data: { id: 1, method: 'own/ask', params: {} } }),
    )
    expect(refusalOf(state, 'allow')).toBe('no-answer-taken')
  })

  it.each([
    ['accept', { permissions: { network: true }, scope: 'turn' }],
    ['acceptForSession', { permissions: { network: true }, scope: 'session' }],
    ['decline', { permissions: {}, scope: 'turn' }],
  ])('grants the permissions of Codex: %s', (answer, result) => {
    const data = {
      id: 4,
      method: 'item/permissions/requestApproval',
      params: { permissions: { network: true } },
    }
    const codex = { type: 'session:updated', facts: { program: 'codex' } } as const
    const decisions = ['accept', 'acceptForSession', 'decline'].map((id) => ({ id, label: id }))
    const state = fold(codex, upsert({ ...ask, options: decisions, data }))
    expect(messageOf(answerRequest(state, 'r', answer))).toEqual({ id: 4, result })
  })

  it('sends a decision that is an object as the program listed it, and a filled form', () => {
    const codex = { type: 'session:updated', facts: { program: 'codex' } } as const
    const decision = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['echo'] } }
    const params = { availableDecisions: ['accept', decision] }
    const data = { id: 4, method: 'item/commandExecution/requestApproval', params }
    const state = fold(codex, upsert({ ...ask, data }))
    expect(messageOf(answerRequest(state, 'r', 'acceptWithExecpolicyAmendment'))).toEqual({
      id: 4,
      result: { decision },
    })
    const form = fold(
      codex,
      upsert({ ...ask, data: { id: 5, method: 'mcpServer/elicitation/request', params: {} } }),
    )
    const content = { name: 'n' }
    expect(messageOf(answerRequest(form, 'r', { answer: 'accept', content }))).toEqual({
      id: 5,
      result: { action: 'accept', content },
    })
  })

  it('confirms a dialog of Pi', () => {
    const pi = { type: 'session:updated', facts: { program: 'pi' } } as const
    const yesNo = ['Yes', 'No'].map((id) => ({ id, label: id }))
    const state = fold(pi, upsert({ ...ask, options: yesNo, data: { method: 'confirm' } }))
    expect(messageOf(answerRequest(state, 'r', 'Yes'))).toMatchObject({ id: 'r', confirmed: true })
    expect(messageOf(answerRequest(state, 'r', 'No'))).toMatchObject({ id: 'r', confirmed: false })
  })
})
