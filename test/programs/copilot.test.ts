import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Todo } from '../../src/core/state/todo.ts'
import { followSession, listSessions, readSession, type SessionSummary } from '../../src/entries/node.ts'
import { todosAfterCall } from '../../src/programs/copilot/sql-todos.ts'
import { inNewFolder } from '../node/follow/growing-session.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/copilot')

/** Runs a test on a machine with the sessions of recordings. */
const onMachine = (names: readonly string[], run: (home: string) => Promise<void>): Promise<void> =>
  inNewFolder((home) => {
    const folder = join(home, '.copilot/session-state')
    mkdirSync(folder, { recursive: true })
    for (const name of names) cpSync(join(FOLDER, name, 'store/session-state'), folder, { recursive: true })
    return run(home)
  })

async function list(home: string): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = []
  for await (const each of listSessions({ home })) found.push(each)
  return found
}

describe('the sessions of Copilot on a machine', () => {
  it('are listed once each, with program, prompt, folder, tokens and agents', () =>
    onMachine(['08-nested', '1.0.42-06-subagent'], async (home) => {
      const sessions = await list(home)
      expect(sessions).toHaveLength(2)
      expect(sessions[1]).toMatchObject({
        format: 'copilot',
        program: 'copilot',
        firstPrompt: 'Check the notes through a coordinator.',
        cwd: '/srv/demo',
        model: 'mock-model',
        agents: 2,
        tokens: { inputTokens: 2955, outputTokens: 101 },
      })
    }))

  it('are read from their file and from their folder', () =>
    onMachine(['08-nested'], async (home) => {
      const [{ path = '' } = {}] = await list(home)
      const [file, folder] = [await readSession(path), await readSession(dirname(path))]
      expect(file.issues).toEqual([])
      expect(folder.state).toEqual(file.state)
      expect(file.state.turn.status).toBe('finished')
    }))

  // A rewind deletes events from the file.
  it('are followed over a rewind', () =>
    onMachine(['23-follow-up'], async (home) => {
      const [{ path = '' } = {}] = await list(home)
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
      writeFileSync(path, `${lines.slice(0, -20).join('\n')}\n`)
      const updates = followSession(path, { pollMs: 5 })[Symbol.asyncIterator]()
      const first = await updates.next()
      expect(first.value?.state.turn.status).toBe('running')
      const prompt = lines.findIndex((line) => JSON.parse(line).type === 'user.message')
      writeFileSync(path, `${lines.slice(0, prompt).join('\n')}\n`)
      appendFileSync(path, `${lines.slice(prompt, prompt + 1).join('\n')}\n`)
      for (let state = first.value?.state; state && state.blocks.length > 1; )
        state = (await updates.next()).value?.state
      await updates.return?.()
    }))
})

describe('todosAfterCall', () => {
  const planAfter = (query: string, before: readonly Todo[] = []) =>
    todosAfterCall({ toolName: 'sql', input: { query } }, before)
  const two = planAfter("INSERT INTO todos (id, title) VALUES ('a', 'One'), ('b', 'It''s two; really')") ?? []

  it('adds rows, with a text that has quotes and semicolons', () => {
    expect(two).toEqual([
      { id: 'a', text: 'One', status: 'pending' },
      { id: 'b', text: "It's two; really", status: 'pending' },
    ])
  })

  it.each<[string, readonly (readonly [string, string])[]]>([
    [
      "UPDATE todos SET status = 'done' WHERE id = 'a'",
      [
        ['a', 'completed'],
        ['b', 'pending'],
      ],
    ],
    [
      "UPDATE todos SET status='in_progress'",
      [
        ['a', 'in_progress'],
        ['b', 'in_progress'],
      ],
    ],
    [
      "UPDATE todos SET status = 'blocked' WHERE id IN ('a', 'b')",
      [
        ['a', 'pending'],
        ['b', 'pending'],
      ],
    ],
    ["DELETE FROM todos WHERE id != 'b'", [['b', 'pending']]],
    [
      "delete from todos; INSERT OR REPLACE INTO todos VALUES ('c', 'Three', NULL, 'done')",
      [['c', 'completed']],
    ],
    [
      "INSERT OR IGNORE INTO todos (id, title) VALUES ('a', 'Other'), ('c', 'New')",
      [
        ['a', 'pending'],
        ['b', 'pending'],
        ['c', 'pending'],
      ],
    ],
  ])('follows %s', (query, expected) => {
    expect(planAfter(query, two)?.map(({ id, status }) => [id, status])).toEqual(expected)
  })

  it.each(['SELECT * FROM todos', 'INSERT INTO notes VALUES (1)', 'CREATE TABLE todos_log (id)'])(
    'keeps the plan after %s',
    (query) => {
      expect(planAfter(query, two)).toBeUndefined()
    },
  )

  it('changes nothing where a condition cannot be read', () => {
    const query = "UPDATE todos SET status = 'done' WHERE id LIKE 'a%'"
    expect(planAfter(query, two) ?? two).toEqual(two)
  })

  it('knows no plan of other tools', () => {
    expect(todosAfterCall({ toolName: 'bash', input: { query: 'DELETE FROM todos' } }, two)).toBeUndefined()
  })
})
