import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listSessions, readSession } from '../../src/entries/node.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/reports/kimi')

it('a session with a state of version 1 has its id, folder and title', async () => {
  const sessions: (string | undefined)[][] = []
  for await (const { id, cwd, title, path } of listSessions({ roots: [join(FOLDER, 'state-v1')] })) {
    sessions.push([id, cwd, title])
    const { state, issues } = await readSession(path)
    expect([state.session.id, issues]).toEqual([id, []])
  }
  expect(sessions.sort()).toEqual([
    ['session_5d0c0de1-0001-4a00-8000-00000000c0de', 'D:/shed', 'Sort the nails.'],
    ['session_5d0c0de1-0002-4a00-8000-00000000c0de', 'D:/shed', 'Hinges'],
  ])
})
