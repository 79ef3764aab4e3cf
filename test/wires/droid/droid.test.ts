import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { assertParity } from '../../../src/checks/parity/compare.ts'
import { listSessions, readSession } from '../../../src/entries/node.ts'
import { agentReport, agentResult } from '../../../src/programs/droid/program.ts'
import { combineFiles } from '../../../src/reading/input/transcript-files.ts'
import { formatOf } from '../../../src/wires/all.ts'
import { detectArchitecture } from '../../../src/wires/detect.ts'
import { parseTranscript } from '../../../src/wires/transcript.ts'
import { recordedForms } from '../../laws/recordings.ts'
import { inNewFolder } from '../../node/follow/growing-session.ts'

const lines = (...values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join('\n')

const START = { type: 'session_start', id: 's1', title: 'Go', owner: 'person', version: 2, cwd: '/srv/demo' }

let minute = 0
const message = (id: string, role: string, content: unknown, more = {}, outer = {}) => {
  minute += 1
  const timestamp = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
  return { type: 'message', id, timestamp, message: { role, content, ...more }, ...outer }
}
const words = (text: string) => [{ type: 'text', text }]
const call = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input })
const result = (id: string, content: unknown, is_error = false) => [
  { type: 'tool_result', tool_use_id: id, content, is_error },
]
const stateOf = (...values: readonly unknown[]) => parseTranscript(lines(START, ...values))
const textsOf = (state: ReturnType<typeof stateOf>) =>
  state.blocks.map((block) => [
    block.type,
    ('origin' in block && block.origin) || ('subtype' in block && block.subtype) || undefined,
    'content' in block ? block.content : 'message' in block ? block.message : undefined,
  ])

describe('the words of a session of Factory Droid', () => {
  it('are told from those of the program', () => {
    const state = stateOf(
      message('context-m1', 'user', words('<system-reminder>\nTools.\n</system-reminder>')),
      message('m1', 'user', [...words('<system-reminder>\nToday.\n</system-reminder>'), ...words('Go.')]),
      message('m2', 'user', words('<system-reminder>x</system-reminder>\n\nAnd on.')),
      message('m3', 'user', words('Hidden.'), {}, { visibility: 'llm_only' }),
      message('m4', 'user', words('A notice.'), {}, { visibility: 'user_only' }),
    )
    expect(textsOf(state)).toEqual([
      ['user_message', 'meta', '<system-reminder>\nTools.\n</system-reminder>'],
      ['user_message', undefined, 'Go.'],
      ['user_message', undefined, 'And on.'],
      ['user_message', 'meta', 'Hidden.'],
      ['system', 'notice', 'A notice.'],
    ])
  })

  it('may name the mark of a reminder, and have one after them', () => {
    const state = stateOf(
      message('m1', 'user', words('What does the <system-reminder> tag do?')),
      message(
        'm2',
        'user',
        words('<system-reminder>x</system-reminder>\nIs <system-reminder>y</system-reminder> so?'),
      ),
    )
    expect(textsOf(state).map(([, , content]) => content)).toEqual([
      'What does the <system-reminder> tag do?',
      'Is <system-reminder>y</system-reminder> so?',
    ])
  })

  it('are read in a time that grows with their length', () => {
    // Time with the square of the length would pass the test's own limit.
    const { blocks } = stateOf(message('m1', 'user', words(`${' '.repeat(2_000_000)}<system-reminder>`)))
    expect(blocks).toHaveLength(1)
  })

  it('are read from the lines of an older version, which have no end of a turn', () => {
    const state = stateOf(message('m1', 'user', words('Go.')), message('m2', 'assistant', words('Done.')), {
      type: 'todo_state',
      id: 't',
      todos: { todos: '1. [completed] Go' },
    })
    expect(state.turn.status).toBe('finished')
    expect(textsOf(state)).toEqual([
      ['user_message', undefined, 'Go.'],
      ['assistant_text', undefined, 'Done.'],
    ])
  })
})

it.each([
  ['cancelled', 'interrupted'],
  ['permission_rejected', 'interrupted'],
  ['model_request_rejected', 'failed'],
  ['completed', 'finished'],
])('the end of a turn of Factory Droid is what the line of it says: %s', (reason, status) => {
  const state = stateOf(
    message('m1', 'user', words('Go.')),
    message('m2', 'assistant', [call('c1', 'Read', { file_path: '/a' })]),
    { type: 'agent_turn_outcome', turnId: 'm1', reason, resultKind: 'null' },
  )
  expect(state.turn.status).toBe(status)
})

describe('the end of a turn that names no turn', () => {
  const turn = (id: string, end: object) => [
    message(id, 'user', words('Go.')),
    message(`${id}a`, 'assistant', [call(`${id}c`, 'Read', { file_path: '/a' })]),
    { type: 'agent_turn_outcome', resultKind: 'null', ...end },
  ]

  it('ends each turn', () => {
    const end = { reason: 'model_request_rejected' }
    const state = stateOf(...turn('m1', end), ...turn('m2', end))
    expect(state.turn.status).toBe('failed')
    expect(state.blocks.filter((block) => block.type === 'error')).toHaveLength(2)
  })

  it('is no failure if it has no reason', () => {
    expect(stateOf(...turn('m1', {})).turn.status).toBe('finished')
  })
})

describe('a line of Factory Droid', () => {
  it('without an id is told from others of its time', () => {
    const { id: _, ...first } = message('', 'user', words('One.'))
    const second = { ...first, message: { role: 'user', content: words('Two.') } }
    expect(textsOf(stateOf(first, second, second)).map(([, , content]) => content)).toEqual(['One.', 'Two.'])
  })

  it('may have null in place of a field with two spellings', () => {
    const state = stateOf(
      { ...START, lastCwd: null },
      message('m1', 'user', words('Go.'), { visibility: null, hookEventName: null }, { visibility: null }),
      message('m2', 'assistant', [call('c1', 'Read', { file_path: '/a' })]),
      message('m3', 'user', [
        {
          type: 'tool_result',
          toolUseId: null,
          tool_use_id: 'c1',
          content: 'no',
          isError: null,
          is_error: true,
        },
      ]),
      { type: 'tool_call', session_id: 's1', messageId: 'm4', id: 'c2', toolName: null, toolId: 'Read' },
    )
    expect(state.session.cwd).toBe('/srv/demo')
    expect(state.blocks[0]).toMatchObject({ type: 'user_message', content: 'Go.' })
    expect(state.blocks[0]).not.toHaveProperty('origin')
    expect(state.blocks.find((block) => block.type === 'tool_result')).toMatchObject({ isError: true })
    expect(state.blocks.at(-1)).toMatchObject({ type: 'tool_use', toolName: 'Read' })
    expect(formatOf('droid').storage?.facts({ ...START, sessionTitle: null, lastCwd: null })).toMatchObject({
      title: 'Go',
      cwd: '/srv/demo',
    })
  })

  it('shows no text of spaces, in the stream or in the file', () => {
    const stream = {
      type: 'message',
      role: 'assistant',
      id: 'm2',
      text: ' \n',
      timestamp: 1,
      session_id: 's1',
    }
    const state = stateOf(message('m1', 'assistant', words(' \n')), stream)
    expect(state.blocks).toEqual([])
  })

  it('proves the program with its folder and version, without an owner', () => {
    const { owner: _, ...start } = START
    expect(detectArchitecture(lines(start))).toBe('droid')
  })
})

describe('the tools of Factory Droid', () => {
  it('change files by several texts, by a patch, and by the lines of a result', () => {
    const edits = [{ old_str: 'a', new_str: 'b' }]
    const patch = '*** Begin Patch\n*** Add File: /srv/new\n+one\n*** End Patch'
    const diffLines = [
      { type: 'context', content: 'k', lineNumber: { old: 6, new: 6 } },
      { type: 'removed', content: 'a', lineNumber: { old: 7 } },
      { type: 'added', content: 'b', lineNumber: { new: 7 } },
    ]
    const state = stateOf(
      message('m2', 'assistant', [
        call('c1', 'MultiEdit', { file_path: '/srv/x', changes: edits }),
        call('c2', 'ApplyPatch', { input: patch }),
        call('c3', 'Edit', { file_path: '/srv/x', ...edits[0] }),
      ]),
      message('m3', 'user', [
        ...result('c1', 'ok'),
        ...result('c2', 'ok'),
        ...result('c3', JSON.stringify({ success: true, diffLines })),
      ]),
    )
    const changes = state.blocks.flatMap((block) =>
      block.type === 'tool_result' ? (block.changes ?? []) : [],
    )
    expect(changes.map(({ path, kind, added, removed }) => [path, kind, added, removed])).toEqual([
      ['/srv/x', 'edit', 1, 1],
      ['/srv/new', 'add', 1, 0],
      ['/srv/x', 'edit', 1, 1],
    ])
    expect(changes[2]?.hunks?.[0]).toMatchObject({ oldStart: 7, newStart: 7, lines: ['-a', '+b'] })
  })

  it('name the line before a place without lines', () => {
    const edit = (id: string) => call(id, 'Edit', { file_path: '/srv/x', old_str: 'a', new_str: 'b' })
    const differs = (id: string, type: unknown) =>
      result(id, {
        diffLines: [
          { type: 'context', content: 'k', lineNumber: { old: 6, new: 6 } },
          { type, content: 'a' },
        ],
      })
    const names = ['added', 'removed', 'constructor', { toString: 1 }]
    const state = stateOf(
      message(
        'm2',
        'assistant',
        names.map((_, at) => edit(`c${at}`)),
      ),
      message(
        'm3',
        'user',
        names.flatMap((name, at) => differs(`c${at}`, name)),
      ),
    )
    const changes = state.blocks.flatMap((block) =>
      block.type === 'tool_result' ? (block.changes ?? []) : [],
    )
    expect(changes.slice(0, 2).map(({ hunks }) => hunks)).toEqual([
      [{ oldStart: 6, oldLines: 0, newStart: 7, newLines: 1, lines: ['+a'] }],
      [{ oldStart: 7, oldLines: 1, newStart: 6, newLines: 0, lines: ['-a'] }],
    ])
    // A line of an unknown kind differs in nothing: the texts of the call count.
    expect(changes.slice(2).map(({ added, removed }) => [added, removed])).toEqual([
      [1, 1],
      [1, 1],
    ])
  })

  it.each([
    ['lines', '1. [completed] One\n2. [in_progress] Two\n- Three'],
    [
      'a list',
      [
        { id: '1', content: 'One', status: 'completed' },
        { id: '2', content: 'Two', status: 'in_progress' },
        { id: '3', content: 'Three', status: 'pending' },
      ],
    ],
  ])('write a plan as %s', (_, todos) => {
    const state = stateOf(
      message('m2', 'assistant', [call('c1', 'TodoWrite', { todos })]),
      message('m3', 'user', result('c1', 'ok')),
    )
    expect(state.todos?.map(({ text, status }) => [text, status])).toEqual([
      ['One', 'completed'],
      ['Two', 'in_progress'],
      ['Three', 'pending'],
    ])
  })
})

it('knows a stream without the effort of its model', () => {
  const raw = lines(
    { type: 'system', subtype: 'init', cwd: '/srv', session_id: 's1', tools: ['Read', 'Execute'] },
    { type: 'message', role: 'user', id: 'm1', text: 'Go.', timestamp: 1, session_id: 's1' },
    { type: 'completion', finalText: 'Done.', numTurns: 1, session_id: 's1' },
  )
  expect(detectArchitecture(raw)).toBe('droid')
  expect(parseTranscript(raw).turn.status).toBe('finished')
})

describe('the words about an agent', () => {
  const told = (output: string, end = '') =>
    `Background task completed.\ntask_id: t1\ntype: explorer\noutput: ${output}${end}`

  it.each([
    ['at the end', ''],
    ['before more words', '\n\nBackground task "Work" is done.\nGo on.'],
  ])('have a report of several lines %s', (_, end) => {
    const report = 'first line\nsecond line\n\nthird'
    expect(agentReport(told(report, end))).toEqual({ id: 't1', isError: false, output: report })
  })

  it('name its session, and else its task', () => {
    expect(agentResult('Task launched in background.\ntask_id: t1\nsession_id: s1\n').id).toBe('s1')
    expect(agentResult('Task launched in background.\ntask_id: t1\n').id).toBe('t1')
  })
})

it('links an agent with the call that its file names, whatever its prompt is', () => {
  const [main, agent] = ['0', '1'].map((end) => `00000000-0000-4000-8000-00000000000${end}`)
  const task = (id: string) =>
    call(id, 'Task', { subagent_type: 'worker', description: 'd', prompt: 'Same.' })
  const files = {
    [`${main}.jsonl`]: lines(
      { ...START, id: main },
      message('m1', 'user', words('Go.')),
      message('m2', 'assistant', [task('c1'), task('c2')]),
    ),
    [`${agent}.jsonl`]: lines(
      { ...START, id: agent, callingSessionId: main, callingToolUseId: 'c2' },
      message(
        'a1',
        'user',
        words(
          '# Task Tool Invocation\n---BEGIN TASK FROM PARENT AGENT---\nSame.\n---END TASK FROM PARENT AGENT---',
        ),
      ),
      message('a2', 'assistant', words('Report.')),
    ),
  }
  const raw = combineFiles(files, formatOf('droid').files.transcripts)
  const { subagents } = parseTranscript('droid', raw)
  expect(subagents.map(({ toolUseId, status, agentId }) => [toolUseId, status, agentId])).toEqual([
    ['c1', 'error', undefined],
    ['c2', 'success', agent],
  ])
  expect(subagents[1]?.blocks.map((block) => 'content' in block && block.content)).toEqual([
    'Same.',
    'Report.',
  ])
})

const forms = [...recordedForms(`${import.meta.dirname}/../../../fixtures/droid`)]

it.each([...new Set(forms.map(({ recording }) => recording))])(
  'has a stream and files that agree: %s',
  (name) => {
    const stateOfForm = (wanted: string) => {
      const found = forms.find(({ recording, form }) => recording === name && form === wanted)
      if (!found) throw new RangeError(wanted)
      return parseTranscript('droid', found.raw)
    }
    expect(() => assertParity(stateOfForm('stream'), stateOfForm('store'))).not.toThrow()
  },
)

it('lists the agents of a session whose settings state none', () =>
  inNewFolder(async (home) => {
    const store = `${import.meta.dirname}/../../../fixtures/droid/06-failure/store/.factory`
    await cp(store, join(home, '.factory'), { recursive: true })
    const main = join(home, '.factory/sessions/-srv-demo/b57f7040-959b-475a-baa0-a028e92f0ef4')
    await rm(`${main}.settings.json`)
    const listed: unknown[] = []
    for await (const { path, agents } of listSessions({ home }))
      if (path === `${main}.jsonl`) listed.push(agents)
    expect((await readSession(`${main}.jsonl`)).state.subagents).toHaveLength(1)
    expect(listed).toEqual([1])
  }))
