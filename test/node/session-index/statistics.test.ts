import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sessionStatus } from '../../../src/core/selectors/status.ts'
import { isPrompt } from '../../../src/core/state/block.ts'
import { createInitialConversationState } from '../../../src/core/state/session.ts'
import { findMatches } from '../../../src/node/search.ts'
import { keptRow } from '../../../src/node/session-index/kept-row.ts'
import { detailsOf } from '../../../src/node/session-index/session-details.ts'
import { statisticsOf } from '../../../src/node/session-index/statistics.ts'
import { loadedSourceOf } from '../../../src/wires/sources.ts'
import { recordedForms } from '../../laws/recordings.ts'
import { messagesOf } from '../../wires/messages-in.ts'

// An agent without tokens had $0.00 of the cost that the program states, and made an unknown cost one of $0.00.
it('counts no cost for a part without tokens', () => {
  const facts = { id: 's', format: 'pi', tools: [], hasFailures: false } as const
  const agent = { turns: 1, failed: 0, day: '2026-01-01', agentType: 'helper', model: 'b' }
  const main = { ...agent, agentType: 'main', inputTokens: 1 }
  const stated = { facts: { ...facts, costUsd: 2 }, parts: [main, agent], tools: [] }
  const unpriced = { facts, parts: [{ ...agent, inputTokens: 1 }], tools: [] }
  const costs = (sessions: Parameters<typeof statisticsOf>[0]) =>
    statisticsOf(sessions, { by: 'agent-type' })
      .map(({ key, costUsd, unpricedSessions = 0 }) => [key, costUsd, unpricedSessions])
      .sort()
  const ofMain = ['main', 2, 0]
  expect(costs([stated])).toEqual([['helper', undefined, 0], ofMain])
  expect(costs([stated, unpriced])).toEqual([['helper', undefined, 1], ofMain])
  // A cost that no token explains is that of the first part.
  expect(costs([{ ...stated, parts: [agent] }])).toEqual([['helper', 2, 0]])
})

// The wait for an answer was 0 where only the call has the time of the question.
it('counts the wait for the answer to a question that has no time of its own', () => {
  const at = (time: string) =>
    ({ conversationId: 'main', status: 'complete', timestamp: `2026-11-29T${time}Z` }) as const
  const call = {
    ...at('20:20:10'),
    type: 'tool_use',
    id: 'q',
    toolUseId: 'q',
    toolName: 'Ask',
    input: {},
  } as const
  const { timestamp: _, ...untimed } = at('20:20:10')
  const request = { ...untimed, type: 'request', id: 'r', toolUseId: 'q', title: '?' } as const
  const result = {
    ...at('22:20:10'),
    type: 'tool_result',
    id: 'a',
    toolUseId: 'q',
    output: '',
    isError: false,
  } as const
  const waitedIn = (kind: 'question' | 'permission', ...rest: readonly (typeof result)[]) => {
    const state = { ...createInitialConversationState(), blocks: [call, { ...request, kind }, ...rest] }
    return detailsOf(state, {}).parts.map(({ waitedMs }) => waitedMs)
  }
  expect(waitedIn('question', result)).toEqual([7_200_000])
  const own = { ...request, ...at('20:20:10'), kind: 'question' } as const
  const asked = [call, own, { ...own, id: 'r2' }, { ...result, durationMs: 7_200_000 }]
  const twice = detailsOf({ ...createInitialConversationState(), blocks: asked }, {}).parts
  expect(twice.map(({ waitedMs }) => waitedMs)).toEqual([7_200_000])
  for (const unknown of [waitedIn('question'), waitedIn('permission', result)]) expect(unknown).toEqual([])
})

const rollout = (payloads: readonly object[]) =>
  [{ type: 'session_meta', payload: { id: '019ad378', cwd: '/srv/tea' } }, ...payloads]
    .map((line, at) => `${JSON.stringify({ timestamp: `2026-11-28T08:20:0${at}.000Z`, ...line })}\n`)
    .join('')
const reports = (...payloads: readonly object[]) =>
  rollout(payloads.map((payload) => ({ type: 'event_msg', payload })))

const failedTurns = ['unexpected status 401', ''].map((error) => ({
  recording: `hand/codex-error-${error}`,
  ...{ form: 'store', architecture: 'codex' as const },
  raw: reports(
    { type: 'task_started', turn_id: '1' },
    { type: 'user_message', message: 'Brew.' },
    ...(error ? [{ type: 'error', message: error }] : []),
    { type: 'task_complete', turn_id: '1', last_agent_message: null },
  ),
}))

const forms = [...failedTurns, ...recordedForms(join(import.meta.dirname, '../../../fixtures'))]
const failures = forms.flatMap(({ architecture, raw, ...names }) => {
  const source = loadedSourceOf(architecture)
  const { session } = source.read(source.open(), messagesOf(architecture, raw))
  const { state } = source.end(session).session
  return sessionStatus(state) === 'failed' ? [{ ...names, state }] : []
})

// `list` said failed, `stats` and `export` counted no failure, and `search --failed` found none.
it.each(failures)('counts the failure of $recording, $form, says why, and finds it', ({ state }) => {
  const { parts } = detailsOf(state, {})
  expect(parts.reduce((sum, { failed }) => sum + failed, 0)).toBeGreaterThan(0)
  expect(parts.every(({ failed, turns }) => failed <= turns)).toBe(true)
  const start = state.blocks.findLastIndex(isPrompt)
  const shown = state.blocks
    .slice(start + 1)
    .filter((block) => block.type === 'error' || (block.type === 'system' && block.subtype === 'error'))
  const summary = { id: 's', path: 's', format: 'pi' } as const
  const { ended, hasFailures } = keptRow(summary, state)
  if (shown.length > 0) expect(ended?.reason).toBeTruthy()
  if (ended?.reason === undefined) return
  expect(hasFailures).toBe(true)
  expect([...findMatches({ title: '', state }, undefined, { failed: true })]).not.toEqual([])
})

it('has failures of many recordings', () => {
  expect(failures.length).toBeGreaterThan(10)
})
