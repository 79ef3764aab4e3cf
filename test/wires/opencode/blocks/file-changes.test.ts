import { describe, expect, it } from 'vitest'
import { fileChanges } from '../../../../src/entries/index.ts'
import { opencodeSource } from '../../../../src/entries/opencode.ts'
import { answer, type Message, main, prompt, readEvents } from '../messages.ts'
import { readBoth } from '../stored.ts'

const PATCH = '--- a.txt\n+++ a.txt\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+three\n'
const path = { path: { cwd: '/srv/demo', root: '/srv/demo' } }
const begin = [...prompt, main.assistantStart('msg_02', path)]
const end = [main.assistantEnd('msg_02', { ...path, finish: 'tool-calls' }), ...answer]

describe('the sum of a turn', () => {
  const file = (name: string, status: string) => ({
    file: name,
    patch: PATCH,
    additions: 2,
    deletions: 1,
    status,
  })
  const sum = (...diffs: readonly Message[]) => main.user('msg_01', { summary: { diffs } })

  it('goes away when the turn has changed nothing in the end', () => {
    const { state } = readBoth(...begin, sum(file('c.txt', 'added')), sum(), ...end)
    expect(fileChanges(state)).toEqual([])
    expect(state.blocks[0]).not.toHaveProperty('changes')
  })

  it('stays when a part of the message or an older form of it follows', () => {
    const more = main.userText('msg_01', 'prt_0b', 'And this.')
    const { state } = readEvents(...begin, sum(file('c.txt', 'added')), more, main.user('msg_01'))
    expect(fileChanges(state)).toHaveLength(1)
  })

  it('finds the worktree in a resumed state', () => {
    const inFolder = main.assistantStart('msg_02', { path: { cwd: '/srv/demo', root: '/srv' } })
    const { state } = readEvents(...prompt, inFolder, sum(file('c.txt', 'added')))
    const later = sum(file('c.txt', 'added'), file('d.txt', 'added'))
    const { session } = opencodeSource.read(opencodeSource.open(state), [later])
    expect(fileChanges(session.state).map(({ path: each }) => each)).toEqual(['/srv/c.txt', '/srv/d.txt'])
  })
})
