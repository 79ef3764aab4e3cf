import { describe, expect, it } from 'vitest'
import { fileChanges, type SessionConversationState, toolCalls } from '../../../src/entries/index.ts'
import { compareSessions } from '../../../src/entries/parity.ts'
import { type MatcherResult, sessionMatchers } from '../../../src/entries/testing.ts'
import { fold, spawn, upsert } from '../../core/reducer/example.ts'
import {
  busSessions,
  claudeSessions,
  codexSessions,
  requestSessions,
  type Session,
} from '../parity/sessions.ts'

expect.extend(sessionMatchers)

const call = (toolName: string, toolUseId: string) =>
  upsert({ type: 'tool_use', id: toolUseId, status: 'complete', toolName, toolUseId, input: {} })
const inAgent = (toolName: string, toolUseId: string, conversationId: string) => ({
  ...call(toolName, toolUseId),
  conversationId,
})
const changed = { path: '/srv/app/src/add.js', kind: 'edit', added: 1, removed: 1 } as const

const state = fold(
  { type: 'session:running' },
  call('Read', 'c1'),
  spawn('T', { subagentType: 'reviewer', agentId: 'A' }),
  inAgent('Bash', 'c2', 'T'),
  inAgent('Bash', 'c3', 'T'),
  upsert({
    type: 'tool_result',
    id: 'c1:result',
    toolUseId: 'c1',
    status: 'complete',
    output: '',
    isError: false,
    changes: [changed],
  }),
  upsert({ type: 'request', id: 'r', status: 'complete', kind: 'permission', title: 'Bash: npm test' }),
)
const over = fold(
  { type: 'session:running' },
  spawn('T', { subagentType: 'reviewer' }),
  { type: 'subagent:completed', toolUseId: 'T', status: 'completed' },
  { type: 'session:idle', outcome: 'finished' },
)

describe('the matchers of a session', () => {
  it('read like sentences', () => {
    expect(state).toHaveCalled('Bash')
    expect(state).toHaveCalled('Bash', { times: 2 })
    for (const place of ['reviewer', 'T', 'A']) expect(state).toHaveCalled('Bash', { in: place, times: 2 })
    expect(state).not.toHaveCalled('Bash', { in: 'main' })
    expect(state).toHaveCalled('Agent', { in: 'main', times: 1 })
    expect(state).toHaveCalled('Edit', { times: 0 })
    expect(state).toHaveChanged('src/add.js')
    expect(state).toHaveChanged('/srv/app/src/add.js', { in: 'main' })
    expect(state).not.toHaveChanged('dd.js')
    expect(state).not.toHaveChanged('src/add.js', { in: 'reviewer' })
    expect(state).toHaveAsked()
    expect(state).toHaveAsked('npm test', { in: 'main' })
    expect(state).toHaveAsked(/^Bash/)
    expect(state).not.toHaveAsked('npm run')
    expect(state).not.toHaveFinished()
    expect(over).toHaveFinished()
    expect(over).toHaveFinished({ in: 'reviewer' })
    expect(state).not.toHaveFinished({ in: 'reviewer' })
  })

  it.each([
    [
      () => expect(state).toHaveCalled('Edit'),
      'to call Edit, but the calls are Read, the start of an agent, Bash (2)',
    ],
    [() => expect(state).toHaveCalled('Bash', { in: 'A', times: 1 }), 'to call Bash in A, once, but'],
    [() => expect(state).not.toHaveCalled('Bash'), 'not to call Bash, but'],
    [() => expect(state).toHaveFinished(), 'to finish, but the status is running'],
    [() => expect(state).toHaveChanged('b.js'), 'but the changed files are /srv/app/src/add.js'],
    [() => expect(over).toHaveAsked(), 'to ask, but the requests are none'],
    [() => expect(over).toHaveAsked('Bash'), 'to ask Bash, but the requests are none'],
  ])('say what they found', (check, message) => {
    expect(check).toThrow(message)
  })

  it('refuse a value that is no state, and a place that is no agent', () => {
    expect(() => expect('{}').toHaveFinished()).toThrow('pass the state of a session')
    expect(() => expect(state).toHaveCalled('Bash', { in: 'nobody' })).toThrow('the agents are reviewer')
    expect(() => expect(over).toHaveChanged('a', { in: 'nobody' })).toThrow(RangeError)
  })
})

/** Codex has calls that its stream does not report, which parity counts. */
const hasCallsOfOneSide = ({ live, stored }: Session) =>
  compareSessions(live, stored).excluded.some(({ kind }) => kind === 'internal-call')

const sessions: readonly Session[] = [
  ...claudeSessions.filter(({ isForwarding }) => isForwarding),
  ...requestSessions,
  ...busSessions,
  ...codexSessions.filter((session) => !hasCallsOfOneSide(session)),
]

/** Returns the verdict of every matcher, for every tool, file and agent that either side has. */
function verdicts(of: SessionConversationState, { live, stored }: Session): readonly string[] {
  const threads = [live, ...live.subagents, stored, ...stored.subagents]
  const tools = new Set(threads.flatMap((thread) => toolCalls(thread).map((each) => each.call.toolName)))
  const paths = new Set([live, stored].flatMap((side) => fileChanges(side).map(({ path }) => path)))
  const places = ['main', ...live.subagents.flatMap(({ name }) => name ?? [])]
  const { toHaveCalled, toHaveChanged, toHaveFinished } = sessionMatchers
  const pass = (result: MatcherResult) => result.pass
  return [
    `finished ${pass(toHaveFinished(of))}`,
    ...places.flatMap((place) =>
      [...tools].flatMap((tool) =>
        [0, 1, 2, 3, 4].map(
          (times) => `${place} ${tool} ${times} ${pass(toHaveCalled(of, tool, { in: place, times }))}`,
        ),
      ),
    ),
    ...[...paths].map((path) => `${path} ${pass(toHaveChanged(of, path))}`),
  ]
}

it.each(sessions)('say the same of the stream and of the files: $name', (session) => {
  expect(verdicts(session.stored, session)).toEqual(verdicts(session.live, session))
})
