import { describe, expect, it } from 'vitest'
import type { FileChange } from '../../../../src/entries/index.ts'
import { earlierRecordings, ofType, replay } from '../../recordings.ts'
import {
  completedRecord,
  type Message,
  modelCalls,
  modelLaunches,
  readFiles,
  readStream,
  toolResult,
} from '../messages.ts'

interface Result {
  readonly record?: Message
  readonly output?: string
  readonly isError?: boolean
}

/** Returns the changes that the result of a call has. */
function changesOf(name: string, input: Message, { record, output = 'ok', isError }: Result = {}) {
  const { state, issues, reducerIssues } = readStream(
    modelCalls('m1', 't1', name, input),
    toolResult('t1', output, record ? { tool_use_result: record } : {}, isError ? { is_error: true } : {}),
  )
  expect([...issues, ...reducerIssues]).toEqual([])
  return ofType(state, 'tool_result')[0]?.changes
}

const write = { file_path: '/srv/a.txt', content: 'one\ntwo\n' }
const edit = { file_path: '/srv/a.txt', old_string: 'one\n', new_string: '1\n1.5\n' }
const hunk = { oldStart: 1, oldLines: 2, newStart: 1, newLines: 3, lines: ['-one', '+1', '+1.5', ' two'] }
const newFile: FileChange = {
  path: '/srv/a.txt',
  kind: 'add',
  added: 2,
  removed: 0,
  hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ['+one', '+two'] }],
}

describe('a new file', () => {
  it('has all of its lines as new ones', () => {
    const record = { type: 'create', filePath: '/srv/a.txt', content: 'one\ntwo\n', structuredPatch: [] }
    expect(changesOf('Write', write, { record })).toEqual([newFile])
  })

  it('is known without a record, from the text for the model', () => {
    const output = 'File created successfully at: /srv/a.txt'
    expect(changesOf('Write', write, { output })).toEqual([newFile])
  })

  it.each([
    ['one\ntwo', 2],
    ['one\n\n', 2],
    ['', 0],
  ])('counts no line after the final newline: %j', (content, added) => {
    const output = 'File created successfully at: /srv/a.txt'
    expect(changesOf('Write', { ...write, content }, { output })).toMatchObject([{ added, removed: 0 }])
  })

  it('comes from an edit of nothing too', () => {
    expect(changesOf('Edit', { ...edit, old_string: '' })).toMatchObject([{ kind: 'add', added: 2 }])
  })
})

describe('an edited file', () => {
  const record = { filePath: '/srv/a.txt', structuredPatch: [hunk] }
  const edited = { path: '/srv/a.txt', kind: 'edit', added: 2, removed: 1, hunks: [hunk] }

  it.each(['Edit', 'MultiEdit', 'Write'])('has the diff of the program: %s', (name) => {
    const input = name === 'Write' ? write : name === 'Edit' ? edit : { ...edit, edits: [edit] }
    const ofTool = name === 'Write' ? { ...record, type: 'update', content: 'two' } : record
    expect(changesOf(name, input, { record: ofTool })).toEqual([edited])
  })

  it('has counts but no hunks if only the input of the call is known', () => {
    const { hunks, ...counts } = edited
    expect(changesOf('Edit', edit)).toEqual([counts])
    expect(changesOf('MultiEdit', { file_path: '/srv/a.txt', edits: [edit, edit] })).toEqual([
      { ...counts, added: 4, removed: 2 },
    ])
    expect(changesOf('Write', write)).toEqual([{ ...counts, added: 2, removed: 0 }])
  })

  it('counts only the lines that differ', () => {
    const old_string = 'a\nb\nc\nd\ne\n'
    const new_string = 'a\nB\nc\nD\nd2\ne\n'
    expect(changesOf('Edit', { ...edit, old_string, new_string })).toMatchObject([{ added: 3, removed: 2 }])
    expect(changesOf('Edit', { ...edit, old_string, new_string: 'a\nb\n' })).toMatchObject([
      { added: 0, removed: 3 },
    ])
  })

  it('has no change if the call failed', () => {
    expect(changesOf('Edit', edit, { isError: true, output: 'String to replace not found' })).toBeUndefined()
    expect(changesOf('Write', write, { isError: true, record })).toBeUndefined()
  })

  it('keeps the well-formed part of a diff', () => {
    const broken = [null, 'x', { lines: ['+x'] }, { ...hunk, oldStart: 'one' }, { ...hunk, lines: [1, '+x'] }]
    const structuredPatch = [...broken, { ...hunk, lines: undefined }, hunk]
    const changes = changesOf('Edit', edit, { record: { ...record, structuredPatch } })
    expect(changes).toMatchObject([{ added: 3, removed: 1 }])
    expect(changes?.[0]?.hunks).toHaveLength(3)
    for (const input of [{}, { file_path: 7 }, { edits: 'none' }, 'text'])
      for (const tool of ['Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'Bash'])
        expect(changesOf(tool, Object(input), { record: { structuredPatch: 'none' } })).toBeUndefined()
  })

  // Time that grows with the square of the lines would pass the test's own limit.
  it('has the hunks of texts with 20,000 lines', () => {
    const text = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}`).join('\n')
    const large = { ...edit, old_string: text('old'), new_string: text('new') }
    expect(changesOf('Edit', large)).toMatchObject([{ added: 20_000, removed: 20_000 }])
  })
})

describe('a notebook', () => {
  const input = { notebook_path: '/srv/a.ipynb', cell_id: 'c', new_source: 'x\ny' }

  it('has a hunk from the first changed line to the last one', () => {
    const record = { notebook_path: '/srv/a.ipynb', original_file: 'a\nb\nc\n', updated_file: 'a\nx\ny\nc\n' }
    const lines = ['-b', '+x', '+y']
    expect(changesOf('NotebookEdit', input, { record })).toEqual([
      {
        path: '/srv/a.ipynb',
        kind: 'edit',
        added: 2,
        removed: 1,
        hunks: [{ oldStart: 2, oldLines: 1, newStart: 2, newLines: 2, lines }],
      },
    ])
    const same = { ...record, updated_file: record.original_file }
    expect(changesOf('NotebookEdit', input, { record: same })).toMatchObject([{ added: 0, hunks: [] }])
  })

  it('names the line before a hunk without old or new lines', () => {
    const record = { original_file: 'a\nb\n', updated_file: 'a\nx\nb\n' }
    expect(changesOf('NotebookEdit', input, { record })?.[0]?.hunks).toMatchObject([
      { oldStart: 1, oldLines: 0, newStart: 2, newLines: 1 },
    ])
  })

  it('counts the new source if only the input of the call is known', () => {
    const counts = { path: '/srv/a.ipynb', kind: 'edit', added: 2, removed: 0 }
    expect(changesOf('NotebookEdit', input)).toEqual([counts])
    expect(changesOf('NotebookEdit', { ...input, edit_mode: 'delete' })).toEqual([{ ...counts, added: 0 }])
  })
})

it('has the files that a shell command changed, if the program compared them', () => {
  const files = [
    { filePath: '/srv/a.txt', hunks: [hunk] },
    { filePath: '/srv/b.txt', hunks: [], created: true },
    { filePath: '/srv/c.txt', hunks: [{ ...hunk, lines: ['-x'] }], deleted: true },
    { hunks: [hunk] },
  ]
  const record = { stdout: '', bashEditDiff: { files, moreFiles: 0, changedFiles: ['/srv/a.txt'] } }
  expect(changesOf('Bash', { command: 'sed' }, { record })).toMatchObject([
    { path: '/srv/a.txt', kind: 'edit', added: 2, removed: 1 },
    { path: '/srv/b.txt', kind: 'add', added: 0, removed: 0 },
    { path: '/srv/c.txt', kind: 'delete', added: 0, removed: 1 },
  ])
  expect(changesOf('Bash', { command: 'ls' }, { record: { stdout: '' } })).toBeUndefined()
})

it('belongs to the subagent that made it, from the input alone', () => {
  const { state } = readFiles(
    [modelLaunches('m1', 't1'), toolResult('t1', 'Done.', { toolUseResult: completedRecord('a1', 'Done.') })],
    {
      a1: {
        meta: { toolUseId: 't1' },
        lines: [modelCalls('s1', 'e1', 'Edit', edit), toolResult('e1', 'updated')],
      },
    },
  )
  const [agent] = state.subagents
  expect(agent && ofType(agent, 'tool_result')).toMatchObject([{ changes: [{ added: 2, removed: 1 }] }])
})

it('is found for a result that comes before its call', () => {
  const record = { filePath: '/srv/a.txt', structuredPatch: [hunk] }
  const { state } = readStream(
    toolResult('t1', 'ok', { tool_use_result: record }),
    modelCalls('m1', 't1', 'Edit', edit),
  )
  expect(ofType(state, 'tool_result')).toMatchObject([{ changes: [{ hunks: [hunk] }] }])
})

it('has the numbers that the recorded diffs show', () => {
  const found = earlierRecordings.find(({ name }) => name.startsWith('06-edits'))
  const states = [found?.stream ?? '', found?.disk ?? ''].map((side) => replay(side).state)
  for (const state of states)
    expect(ofType(state, 'tool_result').flatMap(({ changes = [] }) => changes)).toMatchObject([
      { path: '/srv/demo/notes.md', kind: 'add', added: 3, removed: 0 },
      { path: '/srv/demo/long.txt', kind: 'edit', added: 2, removed: 1 },
      { path: '/srv/demo/long.txt', kind: 'edit', added: 1, removed: 1 },
      { path: '/srv/demo/same.txt', kind: 'edit', added: 3, removed: 3 },
      { path: '/srv/demo/notes.md', kind: 'edit', added: 3, removed: 1 },
    ])
})
