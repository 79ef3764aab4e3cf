import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import { compareSessions } from '../../../src/entries/parity.ts'
import { beginTurn, item, readLines } from '../../wires/codex/made-lines.ts'
import { alignedSessions, codexSessions, compare, excludedKinds } from './sessions.ts'

/** The content that only one form of Codex carries. */
const APP_SERVER = [
  // The text of a message that was cut.
  'live interrupted-text',
  'live request',
  // Warnings.
  'live system-note',
  // The times of a refused call.
  'live unknown-fact',
  'live tool-use-place',
  'live tool-result-place',
  'stored internal-call',
  // The summary of a compaction.
  'stored program-note',
  // The prompt of an agent of the newer tools.
  'stored subagent-prompt',
  'stored unknown-fact',
]
const OWN_IDS = ['live unseen-usage', 'stored unseen-usage']
const EXEC = [
  ...APP_SERVER,
  ...OWN_IDS,
  'stored prompt',
  'stored subagent-conversation',
  'stored system-note',
]

describe.each([...codexSessions, ...alignedSessions])('$name', (session) => {
  it('is equal on both sides', () => {
    expect(compare(session).differences).toEqual([])
  })

  it('excludes only content that one side does not carry', () => {
    const carried = session.name.startsWith('exec')
      ? EXEC
      : session.name.includes('0.104')
        ? [...APP_SERVER, ...OWN_IDS]
        : APP_SERVER
    expect(carried).toEqual(expect.arrayContaining([...excludedKinds(compare(session))]))
  })

  it.each(['live', 'stored'] as const)('has no difference from itself: %s', (side) => {
    const { differences, excluded } = compareSessions(session[side], structuredClone(session[side]))
    expect(differences).toEqual([])
    expect(excluded).toEqual([])
  })
})

describe.each(alignedSessions)('a change in $name', ({ live, stored }) => {
  const changed = (state: SessionConversationState) => ({
    ...state,
    blocks: state.blocks.map((block) =>
      block.type === 'assistant_text' ? { ...block, content: `${block.content}!` } : block,
    ),
  })

  it('is found, although the ids differ', () => {
    if (!stored.blocks.some(({ type }) => type === 'assistant_text')) return
    expect(compareSessions(live, changed(stored)).differences.length).toBeGreaterThan(0)
    expect(compareSessions(changed(live), stored).differences.length).toBeGreaterThan(0)
  })
})

it('knows that a stream lacks the image that the model looks at', () => {
  const view = { id: 'c', path: 'file:///srv/a.png' }
  const live = readLines(...beginTurn, item({ type: 'imageView', ...view }))
  const entry = (payload: object) => ({ type: 'response_item', payload })
  const output = [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }]
  const stored = readLines(
    { type: 'session_meta', payload: { id: 't', cwd: '/srv/demo' } },
    { type: 'event_msg', payload: { type: 'task_started', turn_id: 'turn' } },
    entry({ type: 'function_call', name: 'view_image', call_id: 'c', arguments: '{"path":"/srv/a.png"}' }),
    { type: 'event_msg', payload: { type: 'item_completed', item: { type: 'ImageView', ...view } } },
    entry({ type: 'function_call_output', call_id: 'c', output }),
  )
  expect(JSON.stringify(stored.state)).toContain('AAAA')
  expect(compareSessions(live.state, stored.state).differences).toEqual([])
})
