import { describe, expect, it } from 'vitest'
import { codexReader } from '../../src/programs/codex/reader.ts'
import { todosAfterCall } from '../../src/programs/copilot/sql-todos.ts'
import { fileChangesOf as copilotChanges, copilotReader } from '../../src/programs/copilot/tool-result.ts'
import { outputIn, readParts } from '../../src/programs/gemini/parts.ts'
import {
  agentEndIn,
  agentPromptIn,
  fileChangesOf as geminiChanges,
  todosIn,
} from '../../src/programs/gemini/tool-result.ts'
import { toolChanges } from '../../src/programs/opencode/tool-result.ts'
import { agentRunsOf, notifiedEnds } from '../../src/programs/pi/agent-runs.ts'
import { exitCodeOf, fileChangesOf as piChanges, todosOf } from '../../src/programs/pi/tool-result.ts'
import { qwenReader } from '../../src/programs/qwen/tool-result.ts'

const PATCH = '--- a/a.js\n+++ b/a.js\n@@ -1 +1,2 @@\n-one\n+two\n+three\n'

describe('the result of an edit of Pi', () => {
  const changes = (details: object, input: object = { path: 'a.js' }, toolName = 'edit', isError = false) =>
    piChanges({ toolName, input: { ...input }, details: { ...details }, text: '', isError }, '/srv')?.map(
      ({ path, kind, added, removed }) => [path, kind, added, removed],
    )

  it.each<[string, object, readonly unknown[]]>([
    ['a patch', { patch: PATCH }, ['/srv/a.js', 'edit', 2, 1]],
    ['the text before and after', { oldText: 'one\n', newText: 'one\ntwo\n' }, ['/srv/a.js', 'edit', 1, 0]],
    ['a new text alone', { newText: 'one\n', op: 'create' }, ['/srv/a.js', 'add', 1, 0]],
    ['an old text alone', { oldText: 'one\n', op: 'delete' }, ['/srv/a.js', 'delete', 0, 1]],
    [
      'a diff with numbered lines',
      { diff: '-1 one\n+1 two\n+ 2 three\n 3 four' },
      ['/srv/a.js', 'edit', 2, 1],
    ],
  ])('is read from %s', (_, details, change) => {
    expect(changes(details)).toEqual([change])
  })

  it('has each file of a call that edits several', () => {
    const files = [{ path: '/a', newText: 'x', op: 'create' }, { path: '/b', patch: PATCH }, { path: '/c' }]
    expect(changes({ perFileResults: files }, {})).toEqual([
      ['/a', 'add', 1, 0],
      ['/b', 'edit', 2, 1],
    ])
  })

  it('has the content of a written file', () => {
    expect(changes({}, { path: '/a', content: 'one\ntwo\n' }, 'write')).toEqual([['/a', 'add', 2, 0]])
  })

  it('is none without a path, without a change, after an error and of another tool', () => {
    expect(changes({ patch: PATCH }, {})).toBeUndefined()
    expect(changes({})).toBeUndefined()
    expect(changes({ patch: PATCH }, { path: '/a' }, 'edit', true)).toBeUndefined()
    expect(changes({ patch: PATCH }, { path: '/a' }, 'read')).toBeUndefined()
  })
})

describe('other results of Pi', () => {
  it('have the plan of a list or of phases', () => {
    const tasks = [
      { content: 'a', status: 'completed' },
      { content: 'b', status: 'abandoned' },
      { content: 3 },
    ]
    expect(
      todosOf({
        todos: [
          { id: 1, text: 'a', done: true },
          { id: 'x', text: 'b', status: 'new' },
        ],
      }),
    ).toEqual([
      { id: '1', text: 'a', status: 'completed' },
      { id: 'x', text: 'b', status: 'pending' },
    ])
    expect(todosOf({ phases: [{ tasks }, {}] })).toEqual([
      { text: 'a', status: 'completed' },
      { text: 'b', status: 'cancelled' },
    ])
    expect(todosOf({})).toBeUndefined()
  })

  it('have the exit code of a command', () => {
    const code = (text: string, isError: boolean, details = {}) =>
      exitCodeOf({ toolName: 'bash', input: {}, details, text, isError })
    expect(code('', false)).toBe(0)
    expect(code('no\n\nCommand exited with code 3', true)).toBe(3)
    expect(code('stopped', true)).toBeUndefined()
    expect(code('', false, { exitCode: 4 })).toBe(4)
    expect(code('', false, { async: {} })).toBeUndefined()
  })

  it('show no words that stand for the prompt of an agent', () => {
    const [run] = agentRunsOf({ results: [{ agent: 'x', task: '[prompt redacted]' }] }, 'running', 1)
    expect(run).toMatchObject({ name: 'x', prompt: undefined, status: 'running' })
  })

  it('report the ends of agents in the background', () => {
    const text =
      '<task-result id="a" status="completed">\n<output>\nDone.\n</output></task-result><task-result status="failed"></task-result>'
    expect(notifiedEnds(text)).toEqual([
      { agentId: 'a', status: 'completed', output: 'Done.' },
      { agentId: '', status: 'error', output: undefined },
    ])
  })
})

describe('the result of an edit of Gemini CLI', () => {
  const changes = (toolName: string, input: object, record: object = {}) =>
    geminiChanges({ call: { toolName, input }, record: { ...record }, output: '' })?.map(
      ({ path, kind, added, removed }) => [path, kind, added, removed],
    )
  const path = { file_path: '/a' }

  it.each<[string, string, object, object, readonly unknown[]]>([
    ['a diff', 'replace', path, { fileDiff: PATCH, isNewFile: false }, ['/a', 'edit', 2, 1]],
    [
      'a diff of a new file',
      'write_file',
      path,
      { fileDiff: PATCH, originalContent: '' },
      ['/a', 'add', 2, 1],
    ],
    [
      'numbers of lines',
      'replace',
      path,
      { diffStat: { model_added_lines: 3, model_removed_lines: 1 }, originalContent: 'x' },
      ['/a', 'edit', 3, 1],
    ],
    [
      'numbers of added lines alone',
      'replace',
      path,
      { diffStat: { model_added_lines: 3 } },
      ['/a', 'edit', 3, 0],
    ],
    [
      'the replaced text',
      'replace',
      { ...path, old_string: 'one\n', new_string: 'one\ntwo\n' },
      {},
      ['/a', 'edit', 1, 0],
    ],
    ['a text that replaces none', 'replace', { ...path, old_string: '' }, {}, ['/a', 'add', 0, 0]],
    ['a written file', 'write_file', { ...path, content: 'one\n' }, {}, ['/a', 'add', 1, 0]],
    [
      'a file that is written over',
      'write_file',
      { ...path, content: 'one\n' },
      { isNewFile: false },
      ['/a', 'edit', 1, 0],
    ],
  ])('is read from %s', (_, toolName, input, record, change) => {
    expect(changes(toolName, input, record)).toEqual([change])
  })

  it('is none without a path, and of another tool', () => {
    expect(changes('replace', {})).toBeUndefined()
    expect(changes('read_file', path)).toBeUndefined()
  })
})

describe('the result of an edit of OpenCode', () => {
  const changes = (input: object, metadata: object, status = 'completed') =>
    toolChanges({ status, input: { ...input }, metadata })
  const shown = (input: object, metadata: object) =>
    changes(input, metadata)?.map(({ path, kind, added, removed, from }) => [
      path,
      kind,
      added,
      removed,
      from,
    ])
  const input = { filePath: '/a', oldString: 'one' }
  const filediff = { file: '/a', patch: PATCH }
  const count = { additions: 5, deletions: 4 }

  it.each<[string, object, object, readonly unknown[]]>([
    ['a diff', input, { filediff }, ['edit', 2, 1]],
    ['the diff alone', input, { diff: PATCH }, ['edit', 2, 1]],
    ['a text that replaces none', { ...input, oldString: '' }, { diff: PATCH }, ['add', 2, 1]],
    ['an edit of a file that did not exist', input, { diff: PATCH, exists: false }, ['add', 2, 1]],
    ['the numbers of the program', input, { filediff: { file: '/a', ...count } }, ['edit', 5, 4]],
    [
      'a diff that is cut',
      input,
      { filediff: { ...filediff, patch: PATCH.slice(0, -8), ...count } },
      ['edit', 5, 4],
    ],
    ['the signs of a cut diff', input, { diff: PATCH.slice(0, -8) }, ['edit', 1, 1]],
    ['a written file', { content: 'a\nb\n' }, { filepath: '/a', exists: false }, ['add', 2, 0]],
    ['a file that is written over', { content: 'a\n' }, { filepath: '/a', exists: true }, ['edit', 0, 0]],
  ])('is read from %s', (_, call, metadata, change) => {
    expect(shown(call, metadata)).toEqual([['/a', ...change, undefined]])
  })

  it('has each file of a patch, of several edits and of a diff that names them', () => {
    const files = [
      { filePath: '/a', type: 'update', patch: PATCH, ...count },
      { filePath: '/b', type: 'move', movePath: '/c', patch: '', additions: 0, deletions: 0 },
      { filePath: '/d', before: 'x', after: '', diff: '@@ -1,1 +0,0 @@\n-one\n' },
      { filePath: '/e', before: '', after: 'x', diff: '@@ -0,0 +1,1 @@\n+one\n' },
      {},
    ]
    expect(shown({}, { files, diff: PATCH })).toEqual([
      ['/a', 'edit', 2, 1, undefined],
      ['/c', 'move', 0, 0, '/b'],
      ['/d', 'delete', 0, 1, undefined],
      ['/e', 'add', 1, 0, undefined],
    ])
    expect(shown(input, { results: [{ filediff }, { filediff }] })).toHaveLength(2)
    const diff = `--- /dev/null\n+++ /n\n@@ -0,0 +1,1 @@\n+new\n${PATCH.replace(/[ab]\//g, '/')}`
    expect(shown({}, { diff })).toEqual([
      ['/n', 'add', 1, 0, undefined],
      ['/a.js', 'edit', 2, 1, undefined],
    ])
  })

  it('shows that a new file ends without a line break', () => {
    const linesOf = (content: string) =>
      changes({ content }, { filepath: '/a', exists: false })?.[0]?.hunks?.flatMap(({ lines }) => lines)
    expect(linesOf('a\n')).toEqual(['+a'])
    expect(linesOf('a')).toEqual(['+a', '\\ No newline at end of file'])
    expect(linesOf('')).toEqual([])
  })

  it('is none if the call failed, or changed no file', () => {
    expect(changes(input, { diff: PATCH }, 'error')).toBeUndefined()
    expect(changes({}, { files: ['a', null, {}], results: 3, diff: 7 })).toBeUndefined()
  })
})

describe('the parts of a message of Gemini CLI', () => {
  it('may be images, files and links', () => {
    const parts = readParts([
      { inlineData: { data: 'AA', mimeType: 'image/png' } },
      { inlineData: { data: 'AA' } },
      { fileData: { fileUri: 'https://example.com/a' } },
      { inlineData: {} },
      {},
    ])
    expect(parts).toEqual([
      {
        type: 'data',
        content: { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA' } },
      },
      {
        type: 'data',
        content: {
          type: 'file',
          source: { type: 'base64', mediaType: 'application/octet-stream', data: 'AA' },
        },
      },
      { type: 'data', content: { type: 'file', source: { type: 'url', url: 'https://example.com/a' } } },
    ])
  })

  it('are a list of output if a result has more than words', () => {
    const image = { inlineData: { data: 'AA', mimeType: 'image/png' } }
    expect(outputIn([{ functionResponse: { response: { output: 'Seen.' } } }, image, 'And this.'])).toEqual([
      { type: 'text', text: 'Seen.' },
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA' } },
      { type: 'text', text: 'And this.' },
    ])
    expect(outputIn([{ functionResponse: { response: { rows: 2 } } }])).toBe('{"rows":2}')
    expect(outputIn([{ functionResponse: { response: { output: 'Seen.' }, parts: [image] } }])).toHaveLength(
      2,
    )
    expect(readParts({ functionCall: {} })).toEqual([{ type: 'call', id: undefined, name: '', input: {} }])
  })

  it('have the plan and the objective of an agent', () => {
    expect(
      todosIn({
        todos: [{ description: 'a', status: 'blocked' }, { description: 'b', status: 'completed' }, {}],
      }),
    ).toEqual([
      { text: 'a', status: 'pending' },
      { text: 'b', status: 'completed' },
    ])
    const words = 'Your task is to do a deep investigation of it.\n<objective>\nFind the lamp.\n</objective>'
    expect(agentPromptIn(words)).toBe('Find the lamp.')
    expect(agentPromptIn('Your task is to do a deep investigation.')).toBe(
      'Your task is to do a deep investigation.',
    )
  })
})

describe('the end of an agent', () => {
  it.each([
    ['GOAL', '- **Response**: Seen.', false, 'Seen.'],
    ['GOAL', '- **A**: One.\n- **B**: Two.', false, '- **A**: One.\n- **B**: Two.'],
    ['TIMEOUT', 'Nothing.', true, 'Nothing.'],
  ])('of Gemini CLI with the reason %s has the report %j', (reason, text, isError, report) => {
    const output = `\nSubagent x Finished\n\nTermination Reason:\n ${reason}\n\nResult:\n${text}`
    expect(agentEndIn(output, {})).toEqual({ isError, report })
  })

  it.each([
    ['Seen.', {}, undefined],
    ['Failed to run subagent: 400 no', {}, true],
    ['Subagent execution failed.', {}, true],
    ['No.', { status: 'failed' }, true],
    ['No.', { status: 'cancelled' }, true],
  ])('of Qwen Code with the words %j and the record %j', (output, record, isError) => {
    const call = { toolName: 'agent', input: {} }
    expect(qwenReader.agentResult?.({ call, output, record })).toEqual({ isError, report: output })
  })

  it('of Codex has its status, also if it did not start', () => {
    const read = (input: object) => codexReader.agentsCall?.({ title: 'spawnAgent', input, isPending: false })
    const fields = { prompt: 'Go.', receiverThreadIds: [], agentsStates: {} }
    expect(read({ ...fields, status: 'failed' })).toMatchObject({ prompt: 'Go.', isFailed: true })
    expect(read({ ...fields, status: 'completed' })).toMatchObject({ isFailed: false })
    const activity = { agentThreadId: 'a', activityKind: 'interrupted' }
    expect(read(activity)).toMatchObject({ output: { a: { status: 'interrupted' } } })
  })
})

describe('the result of an edit of Copilot', () => {
  const changes = (diff: string | undefined, fileEdits: unknown, toolName = 'edit') =>
    copilotChanges({ toolName, diff, fileEdits })?.map(({ path, kind, added, removed }) => [
      path,
      kind,
      added,
      removed,
    ])

  it('has the files of the list, if there is no diff', () => {
    const edits = [{ path: '/a', kind: 'create' }, { path: '/b', kind: 'other' }, {}]
    expect(changes(undefined, edits)).toEqual([
      ['/a', 'add', 0, 0],
      ['/b', 'edit', 0, 0],
    ])
    expect(changes(undefined, [{}])).toBeUndefined()
    expect(changes(PATCH, undefined, 'view')).toBeUndefined()
  })

  it('takes names and kinds from a diff that no list belongs to', () => {
    const added = '--- /dev/null\n+++ b/n.js\n@@ -0,0 +1,2 @@\n+one\n+\n'
    const deleted = '--- a/o.js\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-\n'
    expect(changes(added, undefined)).toEqual([['/n.js', 'add', 1, 0]])
    expect(changes(deleted, undefined)).toEqual([['/o.js', 'delete', 0, 1]])
  })
})

describe('Copilot over a protocol', () => {
  it('reads results, launches and names', () => {
    expect(
      copilotReader.result?.({ content: 'x\n<exited with exit code 2>' }, undefined, undefined),
    ).toMatchObject({
      exitCode: 2,
    })
    const call = { toolName: 'task', input: {}, isPending: false }
    const launch = { call, output: undefined, record: { message: 'Agent started with agent_id: a-1' } }
    expect(copilotReader.agentResult?.(launch)).toEqual({ agentId: 'a-1', isLaunch: true })
    expect(copilotReader.agentResult?.({ call, output: 'Found it.', record: {} })).toEqual({
      report: 'Found it.',
    })
    expect(copilotReader.toolName?.({ title: 'grep', input: {}, kind: 'search', isPending: false })).toBe(
      'grep',
    )
    expect(
      copilotReader.toolName?.({
        title: 'View a file',
        input: { path: '/a' },
        kind: 'read',
        isPending: false,
      }),
    ).toBe('view')
    expect(copilotReader.warning?.('Hello.', undefined)).toBeUndefined()
  })

  it('keeps todos without an id, with comments and quotes in the statement', () => {
    const planAfter = (query: string, before: Parameters<typeof todosAfterCall>[1] = []) =>
      todosAfterCall({ toolName: 'sql', input: { query } }, before)
    const one = [{ text: 'Say "it’s"', status: 'pending' as const }]
    expect(planAfter('-- a plan\nINSERT INTO todos (title) VALUES (\'Say "it’s"\')')).toEqual(one)
    expect(planAfter("INSERT INTO todos (title) VALUES ('b')", one)).toHaveLength(2)
    expect(planAfter('UPDATE todos SET status = done WHERE title = \'Say "it’s"\'', one)).toMatchObject([
      { status: 'completed' },
    ])
  })
})
