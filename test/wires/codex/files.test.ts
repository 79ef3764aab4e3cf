import { describe, expect, it } from 'vitest'
import { codexTranscript } from '../../../src/entries/codex.ts'
import { branches } from '../../../src/entries/index.ts'
import { pathsOf } from '../../../src/node/read/find-session.ts'
import { codexFormat } from '../../../src/wires/codex/format.ts'
import { codexFiles } from '../../../src/wires/codex/session-files.ts'
import { textsOf } from '../recordings.ts'
import { replay } from './recordings.ts'

type Meta = Readonly<Record<string, unknown>>

const text = (id: string, content: string) => ({
  type: 'event_msg',
  payload: {
    type: 'item_completed',
    item: { type: 'AgentMessage', id, content: [{ type: 'Text', text: content }] },
  },
})

/** Returns a rollout with a text per line after its head. The first line has the number `first`. */
function rollout(meta: Meta, texts: readonly string[], first = 0): string {
  const lines = [{ type: 'session_meta', payload: meta }, ...texts.map((each) => text(`msg_${each}`, each))]
  return lines
    .map(
      (line, at) =>
        `${JSON.stringify({ timestamp: `2026-11-22T17:00:0${at}.000Z`, ordinal: first + at, ...line })}\n`,
    )
    .join('')
}

const base = rollout({ id: 'base', session_id: 'base' }, ['one', 'two', 'three'])
const reader = (files: Readonly<Record<string, string>>) => ({
  names: () => [],
  values: (path: string) =>
    (files[path] ?? '').split('\n').map((line): unknown => (line === '' ? undefined : JSON.parse(line))),
  value: () => undefined,
})

const select = (...args: Parameters<typeof codexFiles>) => codexFiles(...args).flatMap(pathsOf)

describe('a file that goes on from another one', () => {
  const history_base = (thread_id: string, end_ordinal_exclusive?: number) => ({
    history_base: { thread_id, end_ordinal_exclusive },
  })

  it('is a fork with the lines of its base up to that place', () => {
    const fork = rollout({ id: 'fork', forked_from_id: 'base', ...history_base('base', 3) }, ['four'], 3)
    const { state } = replay(codexTranscript({ base, fork }))
    expect(textsOf(state)).toEqual(['one', 'two', 'four'])
    expect(state.session.id).toBe('fork')
  })

  it('is a revert with the same thread', () => {
    const started = { ordinal: 2, type: 'event_msg', payload: { type: 'task_started', turn_id: 'second' } }
    const [meta, one, ...others] = base.split('\n')
    const earlier = [meta, one, JSON.stringify(started), ...others].join('\n')
    const revert = rollout({ id: 'base', ...history_base('base', 2) }, ['again'], 2)
    const { state } = replay(codexTranscript({ earlier, revert }))
    expect(textsOf(state)).toEqual(['one', 'again'])
    expect(branches(state).map(({ blocks }) => blocks.map(({ id }) => id))).toEqual([
      ['msg_two', 'msg_three'],
    ])
  })

  it('has the agents of its base that started before that place', () => {
    const started = (id: string) => ({
      type: 'event_msg',
      payload: {
        type: 'item_completed',
        item: { type: 'SubAgentActivity', id: `call-${id}`, kind: 'started', agent_thread_id: id },
      },
    })
    const lines = [
      { type: 'session_meta', payload: { id: 'base' } },
      started('early'),
      text('m', 'one'),
      started('late'),
    ]
    const whole = lines.map((line, ordinal) => `${JSON.stringify({ ordinal, ...line })}\n`).join('')
    const copied = `${JSON.stringify({ type: 'session_meta', payload: { id: 'fork', forked_from_id: 'base' } })}\n${whole}`
    const agents = {
      early: rollout({ id: 'early', parent_thread_id: 'base' }, ['early']),
      late: rollout({ id: 'late', parent_thread_id: 'base' }, ['late']),
      inner: rollout({ id: 'inner', parent_thread_id: 'late' }, ['inner']),
    }
    const fork = rollout({ id: 'fork', ...history_base('base', 3) }, ['four'], 3)
    const files = { base: whole, fork, ...agents }
    expect(codexTranscript(files).subagents.map(({ id }) => id)).toEqual(['early'])
    expect(select(Object.keys(files), reader(files), 'fork')).toEqual(['fork', 'base', 'early'])
    const { subagents } = codexTranscript({ base: whole, fork: copied, ...agents })
    expect(subagents.map(({ id }) => id)).toEqual(['early', 'late', 'inner'])
  })

  it('stands alone if its base is missing', () => {
    const fork = rollout({ id: 'fork', ...history_base('base') }, ['four'], 3)
    expect(textsOf(replay(codexTranscript({ fork })).state)).toEqual(['four'])
  })

  it('of an earlier version begins with a copy, whose head changes nothing', () => {
    const [own = ''] = rollout({ id: 'fork', forked_from_id: 'base' }, []).split('\n')
    const { state } = replay(codexTranscript({ base, fork: `${own}\n${base}` }))
    expect(textsOf(state)).toEqual(['one', 'two', 'three'])
    expect(state.session.id).toBe('fork')
  })
})

describe('the files of a session', () => {
  const source = { subagent: { thread_spawn: { parent_thread_id: 'base', depth: 1 } } }
  const agent = rollout({ id: 'agent', source }, ['of the agent'])
  const nested = rollout({ id: 'nested', parent_thread_id: 'agent', session_id: 'base' }, [])
  const other = rollout({ id: 'other', session_id: 'other' }, ['other'])
  const files = { base, agent, nested, other, 'notes.jsonl': '{"type":"note"}\n', broken: '' }

  it('are those of its agents at any depth', () => {
    expect(select(Object.keys(files), reader(files), 'base')).toEqual(['base', 'agent', 'nested'])
    expect(select(Object.keys(files), reader(files), 'agent')).toEqual(['agent', 'nested'])
    expect(select(Object.keys(files), reader(files), 'notes.jsonl')).toEqual(['notes.jsonl'])
    expect(select(['broken'], reader(files))).toEqual(['broken'])
  })

  it('show an agent whose call is missing under its parent', () => {
    const { state, issues } = replay(codexTranscript({ base, agent }))
    expect(state.subagents).toMatchObject([{ toolUseId: 'agent', parentConversationId: 'main' }])
    expect(issues).toMatchObject([
      { code: 'unplaced-message', toolUseId: 'agent' },
      { code: 'unfinished-subagent', toolUseId: 'agent' },
    ])
  })

  it('must be one session', () => {
    expect(() => codexTranscript({ base, other })).toThrow(
      expect.objectContaining({ code: 'several-sessions' }),
    )
    expect(() => codexTranscript({})).toThrow(expect.objectContaining({ code: 'no-session' }))
    expect(() => codexTranscript({ a: '{"x":1}', b: '' })).toThrow(
      expect.objectContaining({ code: 'no-session' }),
    )
    expect(codexTranscript({ a: '{"x":1}' })).toEqual({ main: '{"x":1}', subagents: [] })
  })

  it('may stand one after the other in one text', () => {
    const { state } = replay(
      base + rollout({ id: 'agent', parent_thread_id: 'base' }, ['of the agent']) + other,
    )
    expect(textsOf(state)).toEqual(['one', 'two', 'three'])
  })
})

it('the storage knows the head and the name of a session', () => {
  const { facts } = codexFormat.storage
  expect(facts('x')).toEqual({})
  expect(
    facts({ type: 'event_msg', payload: { type: 'thread_name_updated', thread_name: 'A name' } }),
  ).toEqual({ title: 'A name' })
  expect(facts({ type: 'event_msg', payload: { type: 'token_count' } })).toEqual({})
  expect(facts({ type: 'session_meta', payload: { id: 'a', source: { subagent: {} } } })).toEqual({
    id: 'a',
    isSubagent: true,
  })
})
