import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listSessions, readSession, type SessionSummary } from '../../../src/entries/node.ts'
import { inNewFolder } from '../../node/follow/growing-session.ts'
import { withSqlite, writeRows } from '../../node/sqlite.ts'

const PARENT = '20261125_094639_abc123'

const session = (id: string, started_at: number, model_config: object) => ({
  ...{ id, source: 'cli', parent_session_id: PARENT, started_at, cwd: '/srv/demo' },
  model_config: JSON.stringify(model_config),
})

const message = (id: number, session_id: string, role: string, content: string, active = 1) => ({
  ...{ id, session_id, role, content, active, timestamp: 1795600010 + id },
  finish_reason: role === 'assistant' ? 'stop' : null,
})

/** Runs a test on a machine with a session, two agents of it, and a branch that the person has begun. */
const onMachine = (run: (home: string) => Promise<void>): Promise<void> =>
  inNewFolder(async (home) => {
    await writeRows(join(home, '.hermes/state.db'), 'hermes/01-tools', [
      session('a', 1795600007.5, { _delegate_from: PARENT }),
      session('b', 1795600007.6, { _delegate_from: PARENT }),
      session('c', 1795600090, { _branched_from: PARENT }),
      message(21, 'a', 'user', 'Your task: Count the mills.'),
      message(22, 'a', 'assistant', 'Three mills.'),
      message(23, 'b', 'user', 'Your task: Count the ladders.'),
      message(24, 'b', 'assistant', 'No ladder.'),
      message(25, 'c', 'user', 'Another way.'),
      message(26, 'c', 'assistant', 'Taken back.', 0),
    ])
    await withSqlite(true, () => run(home))
  })

it('lists the sessions of the person, and none of agents', () =>
  onMachine(async (home) => {
    const found: SessionSummary[] = []
    for await (const each of listSessions({ home })) found.push(each)
    expect(found.map(({ id, agents, firstPrompt }) => [id, agents, firstPrompt])).toEqual([
      ['c', 0, 'Another way.'],
      [PARENT, 2, 'Count with care.'],
    ])
  }))

it('reads a session with its agents, and no row that the person has taken back', () =>
  onMachine(async (home) => {
    const path = join(home, '.hermes/state.db')
    const { state, issues } = await readSession(`${path}#${PARENT}`)
    expect(issues).toEqual([])
    expect(state.session).toMatchObject({ program: 'hermes', model: 'gpt-5.6-luna', cwd: '/srv/demo' })
    expect(state.subagents.map(({ agentId, status, blocks }) => [agentId, status, blocks.length])).toEqual([
      ['a', 'success', 2],
      ['b', 'error', 2],
    ])
    const branch = await readSession(`${path}#c`)
    expect(branch.state.blocks.map(({ type }) => type)).toEqual(['user_message'])
  }))
