import { expect, it } from 'vitest'
import { foldEntries } from '../../../src/node/fold.ts'
import { joinTranscripts } from '../../../src/reading/input/transcripts.ts'
import { opencodeDatabase, opencodeFormat } from '../../../src/wires/opencode/format.ts'
import { opencodeSource } from '../../../src/wires/opencode/source.ts'

type Row = Readonly<Record<string, unknown>>

const time = { time_created: 1000, time_updated: 2000 }
const SESSIONS: readonly Row[] = [
  {
    id: 'ses_1',
    parent_id: null,
    directory: '/srv/demo',
    title: 'Look around',
    version: '1.18.33',
    model: JSON.stringify({ id: 'mock-1' }),
    cost: 0.5,
    tokens_input: 10,
    tokens_output: 5,
    tokens_reasoning: 2,
    tokens_cache_read: 1,
    tokens_cache_write: null,
    ...time,
  },
  {
    id: 'ses_2',
    parent_id: 'ses_1',
    directory: '/srv/demo',
    title: 'Child',
    version: '1.18.33',
    revert: '{}',
    cost: null,
    ...time,
  },
  { id: 'ses_3', title: 'Old', version: '1.2.0', tokens_input: 1, model: 'no JSON', ...time },
]
const MESSAGES: readonly Row[] = [
  { id: 'msg_1', session_id: 'ses_1', data: JSON.stringify({ role: 'user', time: { created: 1000 } }) },
  {
    id: 'msg_2',
    session_id: 'ses_1',
    data: JSON.stringify({
      role: 'assistant',
      parentID: 'msg_1',
      time: { created: 1100, completed: 1200 },
      finish: 'stop',
    }),
  },
]
const PARTS: readonly Row[] = [
  {
    id: 'prt_0',
    session_id: 'ses_1',
    message_id: 'msg_1',
    data: JSON.stringify({ type: 'text', text: 'From the program', synthetic: true }),
  },
  {
    id: 'prt_1',
    session_id: 'ses_1',
    message_id: 'msg_1',
    data: JSON.stringify({ type: 'text', text: 'Look around.' }),
  },
  {
    id: 'prt_2',
    session_id: 'ses_1',
    message_id: 'msg_2',
    data: JSON.stringify({ type: 'text', text: 'A tiny project.', time: { start: 1100, end: 1200 } }),
  },
]

/** The rows that a database would give. */
function query(sql: string, sessionId?: unknown) {
  if (sql.includes('FROM session')) return SESSIONS
  return (sql.includes('FROM message WHERE') ? MESSAGES : PARTS).filter((row) => row.session_id === sessionId)
}

it('lists the sessions with their facts, tokens and agents', () => {
  const [main, child, old] = opencodeDatabase.sessions(query)
  expect(main).toMatchObject({ id: 'ses_1', model: 'mock-1', agents: 1 })
  expect(main?.tokens).toEqual({ inputTokens: 10, outputTokens: 7, cacheReadTokens: 1 })
  expect(child).toMatchObject({ id: 'ses_2', agents: 0 })
  expect(child).not.toHaveProperty('tokens')
  expect(old?.tokens).toEqual({ inputTokens: 1 })
  expect(old).not.toHaveProperty('model')
})

it('finds the first prompt, which the program has not written', () => {
  expect(opencodeDatabase.firstPrompt('ses_1', query)).toBe('Look around.')
  expect(opencodeDatabase.firstPrompt('ses_2', query)).toBeUndefined()
})

it('reads a session with its children, as from an export', () => {
  const transcripts = opencodeDatabase.read('ses_1', query, undefined)
  if (!transcripts) throw new Error('no session')
  const entries = joinTranscripts(transcripts, opencodeFormat.transcripts)
  const { state } = foldEntries(opencodeSource, opencodeSource.open(), entries).session
  expect(state.session).toMatchObject({ id: 'ses_1', cwd: '/srv/demo' })
  expect(state.blocks.map((block) => 'content' in block && block.content)).toContain('A tiny project.')
  expect(opencodeDatabase.read('unknown', query, undefined)).toBeUndefined()
})

// A fork has the calls of the session that it copies. Their agents stay with that one.
it('reads a session with the agents of another one that its calls name', () => {
  const call = {
    type: 'tool',
    tool: 'task',
    state: { status: 'completed', metadata: { sessionId: 'ses_2' } },
  }
  const rows: Readonly<Record<string, readonly Row[]>> = {
    session: SESSIONS,
    message: [{ id: 'msg_3', data: '{"role":"assistant"}' }],
    part: [{ id: 'prt_3', message_id: 'msg_3', data: JSON.stringify(call) }],
  }
  const ofFork = (sql: string, id: unknown = 'ses_3') =>
    id === 'ses_3' ? (rows[/FROM (\w+)/.exec(sql)?.[1] ?? ''] ?? []) : []
  expect(opencodeDatabase.read('ses_3', ofFork, undefined)?.map(({ id }) => id)).toEqual([undefined, 'ses_2'])
})

it('is found by its path', () => {
  expect(opencodeDatabase.isDatabase('/home/x/opencode.db')).toBe(true)
  expect(opencodeDatabase.isDatabase('/home/x/session.json')).toBe(false)
})
