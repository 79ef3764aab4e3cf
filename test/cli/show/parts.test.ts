import { describe, expect, it } from 'vitest'
import { sessionLines } from '../../../src/cli/show/print-session.ts'
import type { SubagentState } from '../../../src/core/state/session.ts'
import {
  type ConversationBlock,
  createInitialConversationState,
  type SessionConversationState,
} from '../../../src/entries/index.ts'

type Content = Partial<Record<string, unknown>> & { readonly type: ConversationBlock['type'] }

const blockOf = (content: Content, at: number) =>
  ({ id: `b${at}`, conversationId: 'main', status: 'complete', ...content }) as ConversationBlock

/** Returns the lines of a conversation, without head and foot. */
function bodyOf(
  blocks: readonly Content[],
  {
    state = {},
    ...options
  }: {
    readonly state?: Partial<SessionConversationState>
    readonly isFull?: boolean
    readonly isStyled?: boolean
    readonly columns?: number
  } = {},
): string {
  const whole = { ...createInitialConversationState(), ...state, blocks: blocks.map(blockOf) }
  const view = { columns: 80, isStyled: false, isFull: false, redact: (text: string) => text, ...options }
  const lines = [...sessionLines({ state: whole, issues: [] }, view)]
  const rules = lines.flatMap((line, at) => (/^─+$/.test(line) ? [at] : []))
  return lines.slice((rules[0] ?? 0) + 2, (rules.at(-1) ?? 0) - 1).join('\n')
}

const call = (toolName: string, input: unknown, more: object = {}): Content => ({
  type: 'tool_use',
  toolUseId: 't1',
  toolName,
  input,
  ...more,
})
const result = (output: unknown, more: object = {}): Content => ({
  type: 'tool_result',
  toolUseId: 't1',
  output,
  isError: false,
  ...more,
})

describe('a message', () => {
  it.each<[string, Content, string]>([
    ['of a person', { type: 'user_message', content: 'Make\n  tea.' }, '❯ Make\n    tea.'],
    [
      'with files',
      {
        type: 'user_message',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } },
          { type: 'file', name: 'a.pdf', source: { type: 'url', url: 'https://a.example/a.pdf' } },
          { type: 'file', source: { type: 'url', url: `data:${'x'.repeat(50)}` } },
        ],
      },
      '❯ See\n  [Image: image/png, 3 bytes]\n  [File: a.pdf https://a.example/a.pdf]\n  [File: data:xxxxxxxxxxxxxxxxxx…]',
    ],
    [
      'of the program',
      { type: 'user_message', origin: 'command', content: '<name>/clear</name>' },
      '▸ Command  /clear',
    ],
    ['of the program without words', { type: 'user_message', origin: 'command', content: '<x></x>' }, ''],
    [
      'with changes',
      {
        type: 'user_message',
        content: 'Edit',
        changes: [{ path: 'a.ts', kind: 'move', from: 'b.ts', added: 1, removed: 0, hunks: [] }],
      },
      '❯ Edit\n  moved a.ts from b.ts +1 −0',
    ],
    [
      'that is thought',
      { type: 'thinking', content: 'one\ntwo\nthree\nfour\nfive' },
      '✻ one\n  two\n  three\n  … 2 more lines',
    ],
    [
      'that is hidden',
      { type: 'thinking', content: '', redacted: true },
      '✻ Thinking that the provider hides',
    ],
    ['that is empty', { type: 'thinking', content: '' }, ''],
    ['without words', { type: 'assistant_text', content: ' \n' }, ''],
    ['of an error', { type: 'error', message: 'No tea.', code: '418' }, '✗ Error 418: No tea.'],
    ['of an error without code', { type: 'error', message: 'No tea.' }, '✗ Error: No tea.'],
    ['of the system', { type: 'system', subtype: 'compact_boundary', message: '' }, '· compact boundary'],
    [
      'of a skill',
      { type: 'skill_load', skillName: 'brew', content: '# Brew\n\nBoil.' },
      '▸ Skill brew  # Brew Boil.',
    ],
  ])('%s', (_, block, expected) => {
    expect(bodyOf([block])).toBe(expected)
  })

  it.each([
    [40, '❯ Make tea now.              05-01 09:07'],
    [39, '❯ Make tea now.'],
  ])('has the time of a prompt where %i columns have place for it', (columns, shown) => {
    const prompt = {
      type: 'user_message',
      content: 'Make tea now.',
      timestamp: '2026-05-01T09:07:59Z',
    } as const
    expect(bodyOf([prompt], { columns })).toBe(shown)
  })

  it('is whole with --full', () => {
    expect(
      bodyOf([{ type: 'user_message', origin: 'meta', content: '<a>one</a>\ntwo' }], { isFull: true }),
    ).toBe('▸ Note to the model\n  <a>one</a>\n  two')
    expect(bodyOf([{ type: 'skill_load', skillName: 'brew', content: 'Boil.' }], { isFull: true })).toBe(
      '▸ Skill brew\n  Boil.',
    )
  })

  it('of one line follows another without a blank line, if the program wrote both', () => {
    const note = { type: 'system', subtype: 'hook', message: 'x' } as const
    expect(bodyOf([note, note, { type: 'assistant_text', content: 'Hi.' }, note])).toBe(
      '· hook: x\n· hook: x\n\nHi.\n\n· hook: x',
    )
  })
})

describe('a tool call', () => {
  it.each<[string, readonly Content[], string]>([
    [
      'command',
      [
        call('Bash', { command: 'ls', description: 'List', timeout: 5 }),
        result('a\nb', { durationMs: 1500 }),
      ],
      '● Bash  ls  1.5 s\n  List · timeout: 5\n  a\n  b',
    ],
    ['command of several lines', [call('Bash', { command: 'a\nb' })], '● Bash\n  a\n  b'],
    ['command of several words', [call('shell', { command: ['ls', '-l'] })], '● shell  ls -l'],
    [
      'failure',
      [call('Bash', { command: 'x' }, { status: 'error' }), result('', { isError: true })],
      '✗ Bash  x  failed\n  no output',
    ],
    ['running', [call('Bash', { command: 'x' }, { status: 'pending' })], '● Bash  x  running'],
    [
      'streams',
      [call('Bash', {}, { status: 'pending', inputText: '{"command":"l' })],
      '● Bash  l  input streams',
    ],
    ['mcp', [call('mcp__git_hub__get', { id: 7 })], '● git_hub · get\n  id: 7'],
    ['text input', [call('exec', 'run it')], '● exec  run it'],
    ['list input', [call('X', [1])], '● X\n    [\n      1\n    ]'],
    ['no input', [call('X', null)], '● X'],
    [
      'images',
      [call('X', {}), result([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }])],
      '● X\n  [Image: image/png 3 bytes]',
    ],
    [
      'edit without diff',
      [call('Edit', { file_path: '/w/a.ts', old_string: 'a\nb', new_string: 'c\nd' })],
      '● Edit  a.ts\n  - a\n  - b\n  + c\n  + d',
    ],
    [
      'plan',
      [
        call('TodoWrite', {
          todos: [
            { content: 'A', status: 'completed' },
            { content: 'B', status: 'in_progress' },
            { content: 'C', status: 'pending' },
            { content: 'D', status: 'cancelled' },
          ],
        }),
        result('ok'),
      ],
      '● TodoWrite\n  ☑ A\n  ▣ B\n  ☐ C\n  ☒ D',
    ],
    [
      'no plan',
      [call('TodoWrite', { todos: [{ content: 'A', status: 'odd' }, 'B'] })],
      '● TodoWrite\n  todos:\n    [\n      {\n        "content": "A",\n        "status": "odd"\n    … 2 lines left out …\n    ]',
    ],
    [
      'question',
      [call('AskUserQuestion', { questions: [{ question: 'Tea?' }, 'x'] }), result('Yes.')],
      '● AskUserQuestion\n  Tea?',
    ],
    [
      'permission of the call',
      [
        call('Bash', { command: 'ls' }),
        { type: 'request', kind: 'permission', toolUseId: 't1', title: 'Bash: List', answer: 'y' },
        { type: 'assistant_text', content: 'Hm.' },
        call('Bash', { command: 'ls' }),
        result('a.ts'),
      ],
      '● Bash  ls\n  ? Permission Bash: List → y\n  a.ts\n\nHm.\n\n● Bash  ls',
    ],
    [
      'question of the call',
      [
        call('AskUserQuestion', { questions: [{ question: 'Tea?' }] }),
        {
          ...{ type: 'request', kind: 'question', toolUseId: 't1', title: 'Tea?', answer: [['Yes']] },
          questions: [{ text: 'Tea?', options: [{ id: 'Yes', label: 'Yes' }] }],
        },
        result('Yes.'),
      ],
      '● AskUserQuestion\n  ? Question Tea? → answered\n    ● Yes',
    ],
    [
      'failed command, whose reason is at its end',
      [
        call('Bash', { command: 'x' }, { status: 'error' }),
        result(Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join('\n'), { isError: true }),
      ],
      `✗ Bash  x  failed\n  line 1\n  line 2\n  line 3\n  … 20 lines left out …\n${[24, 25, 26, 27, 28, 29, 30].map((at) => `  line ${at}`).join('\n')}`,
    ],
    [
      'denied command, whose request says why',
      [
        call('Bash', { command: 'x' }, { status: 'error' }),
        {
          ...{ type: 'request', id: 'r', toolUseId: 't1', kind: 'permission', title: 'Bash: x' },
          denied: true,
        },
        result('No.', { isError: true }),
      ],
      '✗ Bash  x  denied\n  ? Permission Bash: x → denied\n  No.',
    ],
    [
      'result alone',
      [result('x', { toolUseId: 't9', changes: [{ path: 'a', kind: 'delete', added: 0, removed: 1 }] })],
      '● Result of a call that is not known\n  deleted a +0 −1\n  x',
    ],
  ])('%s', (_, blocks, expected) => {
    expect(bodyOf(blocks, { state: { session: { cwd: '/w' } } })).toBe(expected)
  })

  it('is red at its mark and not in its output if it failed', () => {
    const blocks = [call('Bash', { command: 'x' }, { status: 'error' }), result('No tea.', { isError: true })]
    const lines = bodyOf(blocks, { isStyled: true }).split('\n')
    expect(lines[0]).toContain('\u001b[31m')
    expect(lines[1]).toBe('  No tea.')
  })

  it('is interrupted, and not done, if the session ends before its result', () => {
    const turn = { status: 'interrupted', openBlocks: ['b0'] } as const
    expect(bodyOf([call('Bash', { command: 'x' })], { state: { turn } })).toBe('● Bash  x  interrupted')
  })

  const hunk = {
    oldStart: 9,
    oldLines: 3,
    newStart: 9,
    newLines: 3,
    lines: [' a', '-b', '+c', '\\ No newline'],
  }
  const changes = [
    {
      path: '/w/a.ts',
      kind: 'edit',
      added: 1,
      removed: 1,
      hunks: [hunk, { ...hunk, oldStart: 99, newStart: 99 }],
    },
  ]

  it('shows its diff with the numbers of the lines', () => {
    const blocks = [call('Edit', { file_path: '/w/a.ts', old_string: 'b' }), result('Done.', { changes })]
    expect(bodyOf(blocks, { state: { session: { cwd: '/w' } } })).toBe(
      [
        '● Edit  a.ts  +1 −1',
        '    9  a',
        '   10 -b',
        '   10 +c',
        '      \\ No newline',
        '       ⋯',
        '   99  a',
        '  100 -b',
        '  100 +c',
        '      \\ No newline',
      ].join('\n'),
    )
    const full = bodyOf(blocks, { isFull: true })
    expect(full).toContain('old_string: b')
    expect(full).toContain('Done.')
  })

  it('says how much of a long diff is left out', () => {
    const lines = Array.from({ length: 50 }, (_, at) => `+${at}`)
    const long = [{ path: 'a', kind: 'add', added: 50, removed: 0, hunks: [{ ...hunk, lines }] }]
    expect(bodyOf([call('Write', { file_path: 'b' }), result('', { changes: long })])).toMatch(
      /added a \+50 −0[\s\S]*… 20 more lines of the diff$/,
    )
  })
})

describe('a request', () => {
  const options = [
    { id: 'allow', label: 'Yes' },
    { id: 'deny', label: 'No', description: 'Stop' },
  ]
  it.each<[string, Content, string]>([
    [
      'open permission',
      { type: 'request', kind: 'permission', title: 'Bash: ls', options, status: 'pending' },
      '? Permission Bash: ls → waiting for you\n  ○ Yes\n  ○ No: Stop',
    ],
    [
      'answered permission',
      { type: 'request', kind: 'permission', title: 'Bash: ls', options, answer: 'allow' },
      '? Permission Bash: ls → Yes',
    ],
    [
      'unknown answer',
      { type: 'request', kind: 'permission', title: 'Bash: ls', answer: 'later' },
      '? Permission Bash: ls → later',
    ],
    [
      'denied',
      {
        type: 'request',
        kind: 'permission',
        title: 'Bash: ls',
        options,
        answer: 'deny',
        denied: true,
        comment: 'Why?',
      },
      '? Permission Bash: ls → denied (No)\n  Comment: Why?',
    ],
    [
      'denied plainly',
      { type: 'request', kind: 'permission', title: 'Bash: ls', answer: 'deny', denied: true },
      '? Permission Bash: ls → denied',
    ],
    [
      'withdrawn',
      { type: 'request', kind: 'permission', title: 'Bash: ls' },
      '? Permission Bash: ls → no answer is known',
    ],
    [
      'questions',
      {
        type: 'request',
        kind: 'question',
        title: 'Tea?',
        questions: [
          { text: 'Tea?', options },
          { text: 'Milk?', options: [] },
        ],
        answer: [['Yes'], ['Oat']],
      },
      '? Question Tea? → answered\n  ● Yes\n  ○ No: Stop\n  Milk? Oat',
    ],
    [
      'open question',
      {
        type: 'request',
        kind: 'question',
        title: 'Tea?',
        questions: [{ text: 'Tea?', options }],
        status: 'pending',
      },
      '? Question Tea? → waiting for you\n  ○ Yes\n  ○ No: Stop',
    ],
    [
      'short answer',
      {
        type: 'request',
        kind: 'question',
        title: 'Tea?',
        questions: [
          { text: 'Tea?', options: [] },
          { text: 'Milk?', options: [] },
        ],
        answer: [['Yes']],
      },
      '? Question Tea? → answered\n  Yes\n  Milk?',
    ],
  ])('%s', (_, block, expected) => {
    expect(bodyOf([block])).toBe(expected)
  })
})

describe('an agent', () => {
  const agent = (toolUseId: string, more: Partial<SubagentState> = {}): SubagentState => ({
    toolUseId,
    status: 'success',
    blocks: [],
    usage: [],
    ...more,
  })
  const block = (toolUseId: string, more: object = {}): Content => ({
    type: 'subagent',
    toolUseId,
    input: '',
    ...more,
    status: 'success',
  })

  it('has its prompt, its plan and its output around its conversation', () => {
    const subagents = [
      agent('a1', {
        parentConversationId: 'main',
        name: 'cook',
        prompt: 'Cook.',
        output: 'Soup.',
        todos: [{ text: 'Boil', status: 'pending' }],
      }),
    ]
    expect(bodyOf([block('a1')], { state: { subagents } })).toBe(
      '◆ Agent cook · done\n│ ❯ Cook.\n│\n│ ☐ Boil\n│ Soup.',
    )
  })

  it('says why it has an odd place', () => {
    const subagents = [
      agent('a1', { parentConversationId: 'gone' }),
      agent('a2', { parentConversationId: 'a2' }),
    ]
    const body = bodyOf([], { state: { subagents } })
    expect(body).toContain('its parent is not known')
    expect(body).toContain('it is below itself in the data')
  })

  it('is shown from its block if its conversation is elsewhere or not known', () => {
    expect(bodyOf([block('a1', { input: 'Cook.', output: 'Soup.', name: 'cook', durationMs: 2000 })])).toBe(
      '◆ Agent cook · done · 2.0 s\n  ❯ Cook.\n\n  Soup.',
    )
    const twice = bodyOf([block('a1'), block('a1')], {
      state: { subagents: [agent('a1', { parentConversationId: 'main' })] },
    })
    expect(twice).toBe('◆ Agent · done\n\n◆ Agent · done\n  Its conversation is elsewhere in this session.')
  })

  it('comes after a branch that the person abandoned', () => {
    const branches = [{ id: 'b0', blocks: [blockOf({ type: 'assistant_text', content: 'Old.' }, 8)] }]
    const mark = { type: 'system', subtype: 'rewind', message: '' } as const
    expect(bodyOf([mark, { type: 'assistant_text', content: 'New.' }], { state: { branches } })).toBe(
      '· rewind\n\n⎇ Abandoned branch (1 block)\n│ Old.\n\nNew.',
    )
  })
})

describe('the head and the foot', () => {
  const lines = (state: Partial<SessionConversationState>, options: object = {}) =>
    [
      ...sessionLines(
        {
          state: { ...createInitialConversationState(), ...state },
          issues: [{ code: 'malformed-line', line: 1, count: 2 }],
        },
        { columns: 60, isStyled: false, isFull: false, redact: (text: string) => text, ...options },
      ),
    ].join('\n')

  it('have the title, the status with its reason, the plan, the cost and the issues', () => {
    const text = lines({
      turn: { status: 'failed', error: 'No tea.' },
      session: { title: 'Tea', costUsd: 1.5, cwd: `/srv/${'x'.repeat(70)}`, program: 'p' },
      todos: [{ text: 'Boil', status: 'pending' }],
    })
    expect(text).toMatch(/^Tea\np\n\/srv\/x{70}\n─+\n/)
    expect(text).toMatch(
      /─+\n☐ Boil\nfailed: No tea\.\n\$1\.50\n1 issue of the input\n {2}malformed-line · line 1 · count 2$/,
    )
    expect(lines({})).toMatch(/^─+\n/)
    expect(lines({ turn: { status: 'finished', error: 'x' }, session: { costUsd: 0 } })).toContain(
      'done\n$0.00',
    )
  })
})
