import { describe, expect, it } from 'vitest'
import { fileChanges } from '../../../../src/entries/index.ts'
import { opencodeSource } from '../../../../src/entries/opencode.ts'
import { answer, completed, failed, type Message, main, prompt, readEvents } from '../messages.ts'
import { readBoth } from '../stored.ts'

const PATCH = '--- a.txt\n+++ a.txt\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+three\n'
const path = { path: { cwd: '/srv/demo', root: '/srv/demo' } }
const begin = [...prompt, main.assistantStart('msg_02', path)]
const end = [main.assistantEnd('msg_02', { ...path, finish: 'tool-calls' }), ...answer]
const call = (tool: string, input: Message, metadata: Message) =>
  main.tool('msg_02', 'prt_02', completed('Done.', { input, metadata }), { tool })
const changesOf = (tool: string, input: Message, metadata: Message) =>
  fileChanges(readBoth(...begin, call(tool, input, metadata), ...end).state).map(
    ({ conversationId, toolUseId, ...change }) => change,
  )

describe('the result of a call', () => {
  it('has the hunks of an edit', () => {
    const filediff = { file: '/srv/demo/a.txt', patch: PATCH, additions: 2, deletions: 1 }
    expect(changesOf('edit', { filePath: '/srv/demo/a.txt', oldString: 'two' }, { filediff })).toEqual([
      {
        path: '/srv/demo/a.txt',
        kind: 'edit',
        added: 2,
        removed: 1,
        hunks: [
          { oldStart: 1, oldLines: 2, newStart: 1, newLines: 3, lines: [' one', '-two', '+2', '+three'] },
        ],
      },
    ])
  })

  it('has the diff alone in versions before 1.0', () => {
    const changes = changesOf('edit', { filePath: '/a.txt', oldString: 'two' }, { diff: PATCH })
    expect(changes).toMatchObject([{ path: '/a.txt', kind: 'edit', added: 2, removed: 1 }])
  })

  it('has the texts and the numbers in versions before 1.2', () => {
    const filediff = { file: '/a.txt', before: 'one\n', after: '1\n', additions: 1, deletions: 1 }
    expect(changesOf('edit', { filePath: '/a.txt', oldString: 'one' }, { filediff })).toEqual([
      { path: '/a.txt', kind: 'edit', added: 1, removed: 1 },
    ])
  })

  it('has each file of a patch', () => {
    const files = [
      { filePath: '/a.txt', type: 'update', patch: PATCH, additions: 2, deletions: 1 },
      { filePath: '/b.txt', type: 'move', movePath: '/c.txt', patch: '', additions: 0, deletions: 0 },
      { filePath: '/d.txt', type: 'delete', diff: '@@ -1,1 +0,0 @@\n-one\n', additions: 0, deletions: 2 },
      { filePath: '/e.txt', type: 'add', patch: '@@ -0,0 +1,1 @@\n+one\n', additions: 1, deletions: 0 },
    ]
    const changes = changesOf('apply_patch', { patchText: '…' }, { files, diff: PATCH })
    expect(changes).toMatchObject([
      { path: '/a.txt', kind: 'edit', added: 2, removed: 1 },
      { path: '/c.txt', kind: 'move', added: 0, removed: 0, from: '/b.txt' },
      { path: '/d.txt', kind: 'delete', added: 0, removed: 1, hunks: [{ newStart: 0, newLines: 0 }] },
      { path: '/e.txt', kind: 'add', added: 1, removed: 0, hunks: [{ oldStart: 0, oldLines: 0 }] },
    ])
    expect(changes[0]).not.toHaveProperty('from')
  })

  it('has each file of a diff that names them', () => {
    const diff = `--- /dev/null\n+++ /n.txt\n@@ -0,0 +1,1 @@\n+new\n${PATCH}--- /o.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-old\n`
    expect(changesOf('patch', { patchText: '…' }, { diff })).toMatchObject([
      { path: '/n.txt', kind: 'add' },
      { path: 'a.txt', kind: 'edit' },
      { path: '/o.txt', kind: 'delete' },
    ])
  })

  it('has each edit of several', () => {
    const filediff = { file: '/a.txt', patch: PATCH }
    const changes = changesOf('multiedit', { filePath: '/a.txt' }, { results: [{ filediff }, { filediff }] })
    expect(changes.map(({ added }) => added)).toEqual([2, 2])
  })

  it('has the lines of a new file', () => {
    const written = (content: string) =>
      changesOf('write', { filePath: '/a.txt', content }, { filepath: '/a.txt', exists: false })
    expect(written('one\ntwo\n')).toMatchObject([
      { kind: 'add', added: 2, removed: 0, hunks: [{ oldStart: 0, newStart: 1, lines: ['+one', '+two'] }] },
    ])
    expect(written('one')[0]?.hunks?.[0]?.lines).toEqual(['+one', '\\ No newline at end of file'])
    expect(written('')).toMatchObject([{ kind: 'add', added: 0, hunks: [] }])
    expect(changesOf('edit', { filePath: '/a.txt', oldString: '' }, { diff: PATCH })[0]?.kind).toBe('add')
  })

  it('has no lines of a file that was written over', () => {
    const changes = changesOf('write', { content: 'one\n' }, { filepath: '/a.txt', exists: true })
    expect(changes).toEqual([{ path: '/a.txt', kind: 'edit', added: 0, removed: 0 }])
  })

  it.each([
    ['a cut diff', `${PATCH.slice(0, 40)}[…]`],
    ['a hunk with other numbers', PATCH.replace('+1,3', '+1,9')],
  ])('has the numbers of the program and no hunks: %s', (_, patch) => {
    const filediff = { file: '/a.txt', patch, additions: 5, deletions: 4 }
    expect(changesOf('edit', {}, { filediff })).toEqual([
      { path: '/a.txt', kind: 'edit', added: 5, removed: 4 },
    ])
  })

  it('has none if the call failed, or changed no file', () => {
    const wrong = main.tool('msg_02', 'prt_02', failed('no', { metadata: { diff: PATCH } }), { tool: 'edit' })
    expect(fileChanges(readBoth(...begin, wrong, ...end).state)).toEqual([])
    expect(changesOf('glob', { pattern: '*' }, { files: ['a', null, {}], results: 3, diff: 7 })).toEqual([])
  })
})

describe('the sum of a turn', () => {
  const file = (name: string, status: string) => ({
    file: name,
    patch: PATCH,
    additions: 2,
    deletions: 1,
    status,
  })
  const sum = (...diffs: readonly Message[]) => main.user('msg_01', { summary: { diffs } })
  const filediff = { file: '/srv/demo/a.txt', patch: PATCH }
  const edit = call('edit', { filePath: '/srv/demo/a.txt', oldString: 'two' }, { filediff })

  it('adds the files that no call reports, with absolute paths', () => {
    const events = [sum(file('a.txt', 'modified'), file('src/b.txt', 'deleted')), ...end]
    const { state } = readBoth(...begin, edit, ...events)
    expect(fileChanges(state)).toMatchObject([
      { path: '/srv/demo/src/b.txt', kind: 'delete' },
      { path: '/srv/demo/a.txt', kind: 'edit', toolUseId: 'call-prt_02' },
    ])
    expect(fileChanges(state)[0]).not.toHaveProperty('toolUseId')
  })

  it('starts no turn when it arrives after the end', () => {
    const { state } = readEvents(...begin, edit, ...end, sum(file('c.txt', 'added')))
    expect(state.turn.status).toBe('finished')
    expect(fileChanges(state)[0]).toMatchObject({ path: '/srv/demo/c.txt', kind: 'add' })
  })

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

  it('is relative to the worktree, not to the folder of the session', () => {
    const inFolder = { path: { cwd: '/srv/demo', root: '/srv' } }
    const early = [...prompt, sum(file('c.txt', 'added'))]
    expect(fileChanges(readEvents(...early).state)[0]?.path).toBe('/srv/demo/c.txt')
    const known = readEvents(...early, main.assistantStart('msg_02', inFolder)).state
    expect(fileChanges(known)[0]?.path).toBe('/srv/c.txt')
    const windows = { path: { cwd: 'C:\\demo', root: 'C:\\demo' } }
    const onWindows = readEvents(
      ...early,
      main.assistantStart('msg_02', windows),
      sum(file('s/d.txt', 'added')),
    )
    expect(fileChanges(onWindows.state)[0]?.path).toBe('C:\\demo\\s\\d.txt')
  })

  it('finds the worktree in a resumed state', () => {
    const inFolder = main.assistantStart('msg_02', { path: { cwd: '/srv/demo', root: '/srv' } })
    const { state } = readEvents(...prompt, inFolder, sum(file('c.txt', 'added')))
    const later = sum(file('c.txt', 'added'), file('d.txt', 'added'))
    const { session } = opencodeSource.read(opencodeSource.open(state), [later])
    expect(fileChanges(session.state).map(({ path: each }) => each)).toEqual(['/srv/c.txt', '/srv/d.txt'])
  })
})
