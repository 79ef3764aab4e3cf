import { describe, expect, it } from 'vitest'
import { branches, sumUsage } from '../../../../src/entries/index.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { allRecordings, ofType, replay, textsOf } from '../../recordings.ts'
import { reloaded } from '../../saved.ts'
import {
  assistantMessage,
  completedRecord,
  endTurn,
  type Message,
  modelAnswers,
  modelCalls,
  modelLaunches,
  modelSays,
  readFiles,
  readStream,
  system,
  text,
  toolResult,
  userMessage,
} from '../messages.ts'

/** A line in the tree of main's file: its uuid, its parent's uuid, and the line. */
const at = (uuid: string, parentUuid: string | null, line: Message): Message => ({
  ...line,
  uuid,
  parentUuid,
})
const says = (id: string, words: string): Message => modelAnswers(id, words)
const apiError = (id: string): Message => ({
  ...modelSays(id, 'API Error: 400 Not possible.'),
  isApiErrorMessage: true,
})
const attachment = (): Message => ({ type: 'attachment', attachment: { type: 'date', date: 'today' } })

const begun = [
  at('p1', null, userMessage('One?')),
  at('n1', 'p1', attachment()),
  at('a1', 'n1', says('m1', 'One.')),
  at('h1', 'a1', system('turn_duration', { durationMs: 5 })),
]
const abandoned = [
  at('p2', 'h1', userMessage('Two?')),
  at('n2', 'p2', attachment()),
  at('a2', 'n2', modelCalls('m2', 't2')),
  at('r2', 'a2', toolResult('t2', 'out')),
  at('a3', 'r2', says('m3', 'Two.')),
]
const rewound = [...begun, ...abandoned, at('p3', 'h1', userMessage('Three?'))]

const idsIn = (...lines: readonly Message[]) => readFiles(lines).state.blocks.map(({ id }) => id)

describe('a conversation that a person rewinds', () => {
  it('shows the active branch alone, with a mark', () => {
    const { state, issues, reducerIssues } = readFiles([...rewound, at('a4', 'p3', says('m4', 'Three.'))])
    expect(state.blocks.map(({ id }) => id)).toEqual(['p1', 'm1:0', 'rewind:p3', 'p3', 'm4:0'])
    expect(ofType(state, 'system')).toMatchObject([
      { subtype: 'rewind', data: { from: 'a3', to: 'h1', blockIds: ['p2', 't2', 't2:result', 'm3:0'] } },
    ])
    expect([...issues, ...reducerIssues]).toEqual([])
  })

  it('keeps the abandoned branch, by the id of the mark', () => {
    const { state, events } = readFiles([...rewound, at('a4', 'p3', says('m4', 'Three.'))])
    expect(branches(state).map(({ id, blocks }) => [id, blocks.map((block) => block.id)])).toEqual([
      ['rewind:p3', ['p2', 't2', 't2:result', 'm3:0']],
    ])
    expect(branches(state)[0]?.blocks).toMatchObject([{ content: 'Two?' }, {}, {}, { content: 'Two.' }])
    expect(events.filter(({ type }) => type === 'block:removed')).toEqual([])
    const mark = events.findIndex((event) => event.type === 'block:upsert' && event.block.id === 'rewind:p3')
    expect(events[mark + 1]?.type).toBe('branch:abandoned')
  })

  it('keeps a branch within a branch', () => {
    const wider = [...rewound, at('a4', 'p3', says('m4', 'Three.')), at('p7', 'h1', userMessage('7?'))]
    const { state } = readFiles(wider)
    expect(branches(state).map(({ id, blocks }) => [id, blocks.map((block) => block.id)])).toEqual([
      ['rewind:p3', ['p2', 't2', 't2:result', 'm3:0']],
      ['rewind:p7', ['rewind:p3', 'p3', 'm4:0']],
    ])
  })

  it('shows nothing of an abandoned call whose result comes later', () => {
    const [prompt, note, call] = abandoned
    const open = [...begun, prompt ?? {}, note ?? {}, call ?? {}, at('p3', 'h1', userMessage('Three?'))]
    const late = at('r2', 'a2', toolResult('t2', 'late'))
    const before = readFiles(open).state
    expect(branches(before)[0]?.blocks.map(({ id }) => id)).toEqual(['p2', 't2'])
    expect(readFiles([...open, late]).state.blocks.map(({ id }) => id)).toEqual(
      before.blocks.map(({ id }) => id),
    )
    const resumed = claudeSource.read(claudeSource.open(before), [{ ...late, sessionId: 's' }])
    expect(resumed.events.filter(({ type }) => type === 'block:upsert')).toEqual([])
  })

  it.each(['a result', 'a result after a resume'])(
    'ends an agent of an abandoned call without its block: %s',
    (way) => {
      const lines = [
        ...[...begun, at('p2', 'h1', userMessage('Two?')), at('a2', 'p2', modelLaunches('m2', 't2'))],
        { type: 'agent_meta', agentId: 'a', meta: { toolUseId: 't2', agentType: 'general-purpose' } },
        at('p3', 'h1', userMessage('Three?')),
      ].map((line) => ({ ...line, sessionId: 'session', session_id: undefined }))
      const late = at(
        'r2',
        'a2',
        toolResult('t2', 'Report.', { toolUseResult: completedRecord('a', 'Report.') }),
      )
      const { session } = claudeSource.read(claudeSource.open(), lines)
      expect(ofType(session.state, 'subagent')).toEqual([])
      const before = way === 'a result' ? session : claudeSource.open(session.state)
      const ended = claudeSource.read(before, [{ ...late, sessionId: 'session' }]).session.state
      expect(ofType(ended, 'subagent')).toEqual([])
      expect(ended.subagents).toMatchObject([{ toolUseId: 't2', status: 'success', output: 'Report.' }])
    },
  )

  it('shows nothing of an abandoned call whose agent had not started', () => {
    const lines = [
      ...[...begun, at('p2', 'h1', userMessage('Two?')), at('a2', 'p2', modelLaunches('m2', 't2'))],
      at('p3', 'h1', userMessage('Three?')),
      at('r2', 'a2', toolResult('t2', 'Report.', { toolUseResult: completedRecord('a', 'Report.') })),
    ]
    expect(ofType(readFiles(lines).state, 'subagent')).toEqual([])
  })

  it('shows the branch until the line that begins another one', () => {
    expect(idsIn(...begun, ...abandoned)).toEqual(['p1', 'm1:0', 'p2', 't2', 't2:result', 'm3:0'])
  })

  it('may be rewound again, to the same place and to an earlier one', () => {
    const again = [...rewound, at('a4', 'p3', says('m4', 'Three.')), at('p4', 'h1', userMessage('Four?'))]
    expect(idsIn(...again)).toEqual(['p1', 'm1:0', 'p4'].toSpliced(2, 0, 'rewind:p4'))
    const second = [
      ...[...rewound, at('a4', 'p3', says('m4', 'Three.')), at('p5', 'a4', userMessage('Five?'))],
      ...[at('a5', 'p5', says('m5', 'Five.')), at('p6', 'a4', userMessage('Six?'))],
    ]
    const ids = ['p1', 'm1:0', 'rewind:p3', 'p3', 'm4:0', 'rewind:p6', 'p6']
    expect(idsIn(...second)).toEqual(ids)
    expect(idsIn(...second, at('a6', 'p6', says('m6', '6')), at('p7', 'h1', userMessage('7?')))).toEqual([
      ...['p1', 'm1:0', 'rewind:p7', 'p7'],
    ])
  })

  /** Notes, a prompt, so many messages of the model behind it, and a prompt in its place. */
  const rewoundOver = (count: number, notes = 0): readonly Message[] => {
    const before = Array.from({ length: notes }, (_, n) =>
      at(`x${n}`, n === 0 ? null : `x${n - 1}`, attachment()),
    )
    const [first, ...others] = begun
    const start = { ...first, parentUuid: notes === 0 ? null : `x${notes - 1}` }
    const answers = Array.from({ length: count }, (_, n) =>
      at(`b${n}`, n === 0 ? 'p2' : `b${n - 1}`, modelSays(`n${n}`, 'On.')),
    )
    return [
      ...[...before, start, ...others, at('p2', 'h1', userMessage('Two?')), ...answers],
      at('p3', 'h1', userMessage('Three?')),
    ]
  }

  // The source forgets the places of the lines in between, and keeps those around a prompt.
  it.each([
    [1, 0],
    [4_094, 0],
    [4_094, 4_091],
    [9_000, 0],
    [9_000, 4_091],
  ])('may be rewound over %i messages that follow %i notes', (count, notes) => {
    expect(idsIn(...rewoundOver(count, notes))).toEqual(['p1', 'm1:0', 'rewind:p3', 'p3'])
  })

  // Each prompt would be compared with all before it.
  it('reads ten thousand prompts that the model does not answer in little time', () => {
    const prompts = Array.from({ length: 10_000 }, (_, n) =>
      at(`q${n}`, n === 0 ? 'h1' : `q${n - 1}`, userMessage('?')),
    )
    expect(idsIn(...begun, ...prompts)).toHaveLength(10_002)
    expect(idsIn(...begun, ...prompts, at('p3', 'h1', userMessage('!')))).toEqual([
      'p1',
      'm1:0',
      'rewind:p3',
      'p3',
    ])
  })

  it('reads a thousand prompts that are taken back one after the other', () => {
    const prompts = Array.from({ length: 1000 }, (_, n) => at(`q${n}`, 'h1', userMessage('?')))
    const { state } = readFiles([...begun, ...prompts])
    expect(state.blocks.map(({ id }) => id)).toEqual(['p1', 'm1:0', 'rewind:q999', 'q999'])
    expect(branches(state)).toHaveLength(999)
  })

  it('may be rewound to its first prompt, if a line stands before it', () => {
    const first = [at('s', null, attachment()), at('p1', 's', userMessage('One?'))]
    const lines = [...first, at('a1', 'p1', says('m1', 'One.')), at('p2', 's', userMessage('Uno?'))]
    expect(idsIn(...lines)).toEqual(['rewind:p2', 'p2'])
  })

  it('keeps the notes that stand before the new prompt', () => {
    const command = at('c', 'h1', userMessage('<command-name>/help</command-name>'))
    const lines = [...begun, ...abandoned, at('x', 'h1', userMessage('Note.', { isMeta: true }))]
    const after = [{ ...command, parentUuid: 'x' }, at('p4', 'c', userMessage('Four?'))]
    expect(idsIn(...lines, ...after)).toEqual(['p1', 'm1:0', 'x', 'rewind:c', 'c', 'p4'])
  })

  it('leaves out a prompt of the abandoned branch that stands only in the queue', () => {
    const queued = ['enqueue', 'remove'].map((operation) => ({
      ...{ type: 'queue-operation', operation, content: 'Wait.', uuid: undefined },
    }))
    const { state } = readFiles([...begun, ...abandoned, ...queued, ...rewound.slice(-1)])
    expect(ofType(state, 'user_message').map(({ content }) => content)).toEqual(['One?', 'Three?'])
  })

  it('leaves out the call of an agent, which did run', () => {
    const agent = [
      at('p2', 'h1', userMessage('Two?')),
      at('a2', 'p2', modelLaunches('m2', 't2')),
      at('r2', 'a2', toolResult('t2', 'Report.', { toolUseResult: completedRecord('a', 'Report.') })),
    ]
    const { state, issues } = readFiles([...begun, ...agent, ...rewound.slice(-1)])
    expect(ofType(state, 'subagent')).toEqual([])
    expect(state.subagents).toMatchObject([{ status: 'success' }])
    expect(issues).toEqual([])
  })

  it('keeps the tokens of the abandoned branch: they are spent', () => {
    const spent = { usage: { output_tokens: 7 }, ...endTurn }
    const lines = [
      at('p2', 'h1', userMessage('Two?')),
      at('a2', 'p2', assistantMessage('m2', text('2'), {}, spent)),
    ]
    const { usage } = readFiles([...begun, ...lines, ...rewound.slice(-1)]).state
    expect(sumUsage(usage)).toMatchObject({ final: { outputTokens: 7 } })
  })

  it('is rewound in the same way after a save at each line', () => {
    let session = claudeSource.open()
    for (const line of rewound)
      ({ session } = claudeSource.read(reloaded(claudeSource, session), [
        { ...line, sessionId: 's', session_id: undefined },
      ]))
    expect(textsOf(session.state)).toEqual(['One.'])
  })
})

describe('a tree that branches without a rewind', () => {
  const cases: Readonly<Record<string, readonly Message[]>> = {
    'parallel calls, whose results hang on the calls': [
      at('a2', 'p1', modelCalls('m2', 't1')),
      at('b2', 'a2', modelCalls('m2', 't2')),
      at('r2', 'b2', toolResult('t2', 'out')),
      at('r1', 'a2', toolResult('t1', 'out')),
      at('a3', 'r1', says('m3', 'Done.')),
      at('p2', 'a3', userMessage('Two?')),
    ],
    'a resume that leaves out a call without result': [
      at('a1', 'p1', says('m1', 'One.')),
      at('p2', 'a1', userMessage('Two?')),
      at('a2', 'p2', modelCalls('m2', 't2')),
      at('p3', 'p2', userMessage('Three?')),
    ],
    'an unknown parent': [
      at('a1', 'p1', says('m1', 'One.')),
      at('p2', 'gone', userMessage('Two?')),
      at('a2', 'p2', says('m2', 'Two.')),
      at('p3', 'gone', userMessage('Three?')),
    ],
    'parents in a circle': [
      at('a1', 'p1', says('m1', 'One.')),
      at('p2', 'p2', userMessage('Two?')),
      at('a2', 'p2', says('m2', 'Two.')),
      at('p3', 'p3', userMessage('Three?')),
    ],
    'a report of a background agent': [
      at('a1', 'p1', says('m1', 'One.')),
      at('p2', 'a1', userMessage('Two?')),
      at('a2', 'p2', says('m2', 'Two.')),
      at('x', 'a1', userMessage('<task-notification>\n<task-id>b</task-id>\n</task-notification>')),
    ],
  }

  it.each(Object.entries(cases))('keeps all blocks: %s', (_, lines) => {
    const { state, issues } = readFiles([at('p1', null, userMessage('One?')), ...lines])
    expect(ofType(state, 'system').filter(({ subtype }) => subtype === 'rewind')).toEqual([])
    const withoutTree = readFiles(
      [at('p1', null, userMessage('One?')), ...lines].map(({ parentUuid, ...line }) => line),
    )
    expect(state).toEqual(withoutTree.state)
    expect(issues).toEqual(withoutTree.issues)
  })

  it('is no subagent’s', () => {
    const lines = abandoned
      .concat(rewound.slice(-1))
      .map((line) => ({ ...line, isSidechain: true, agentId: 'a' }))
    const { state } = readFiles([...begun, ...lines])
    expect(JSON.stringify(state)).not.toContain('rewind')
  })

  it('is no stream’s', () => {
    const lines = rewound.map(({ parentUuid, ...line }) => line)
    expect(textsOf(readStream(...lines).state)).toEqual(['One.', 'Two.'])
  })

  it.each(allRecordings)('is in the recording $name', ({ disk }) => {
    expect(replay(disk).state.blocks.filter(({ id }) => id.startsWith('rewind:'))).toEqual([])
  })
})

describe('a file of which the source has a state alone', () => {
  const answer = at('a4', 'p3', says('m4', 'Three.'))
  const idsAfter = (before: readonly Message[], ...after: readonly Message[]) => {
    const { state } = readFiles(before)
    const lines = after.map((line) => ({ sessionId: 'session', ...line }))
    return claudeSource.read(claudeSource.open(state), lines).session.state.blocks.map(({ id }) => id)
  }

  it('is rewound to its first prompt', () => {
    const first = at('q1', null, userMessage('Uno?'))
    expect(idsAfter(begun, first)).toEqual(['rewind:q1', 'q1'])
    expect(idsAfter([...begun, ...abandoned], first)).toEqual(['rewind:q1', 'q1'])
  })

  it('does not take a compaction for a first prompt', () => {
    const compaction = [
      at('c', null, system('compact_boundary', {})),
      at('s', 'c', userMessage('This session is being continued.', { isCompactSummary: true })),
      at('p9', 's', userMessage('On.')),
    ]
    expect(idsAfter(begun, ...compaction)).toEqual(['p1', 'm1:0', 'c', 's', 'p9'])
  })

  it('is rewound if the abandoned prompt comes after the cut', () => {
    expect(idsAfter(begun, ...rewound.slice(begun.length), answer)).toEqual([
      ...['p1', 'm1:0', 'rewind:p3', 'p3', 'm4:0'],
    ])
  })

  it('is rewound to any prompt if it comes again from its start', () => {
    const ids = ['p1', 'm1:0', 'rewind:p3', 'p3', 'm4:0']
    expect(idsAfter([...begun, ...abandoned], ...rewound, answer)).toEqual(ids)
    expect(idsAfter([...rewound, answer], ...rewound, answer)).toEqual(ids)
    expect(idsAfter([...rewound, answer], ...rewound, answer, at('p5', 'h1', userMessage('Five?')))).toEqual([
      ...['p1', 'm1:0', 'rewind:p5', 'p5'],
    ])
  })

  it('keeps the end of its last turn if it comes again', () => {
    const lines = [
      ...[at('p1', null, userMessage('One?')), at('a1', 'p1', modelLaunches('m1', 't1'))],
      at('r1', 'a1', toolResult('t1', 'Seen.', { toolUseResult: completedRecord('x1', 'Seen.') })),
      ...[at('a2', 'r1', says('m2', 'Seen.')), at('h2', 'a2', system('turn_duration', { durationMs: 5 }))],
      ...[at('p3', 'h2', userMessage('Two?')), at('e3', 'p3', apiError('m3'))],
      ...[at('p4', 'e3', userMessage('Three?')), at('a4', 'p4', says('m4', 'Three.'))],
      at('h4', 'a4', system('turn_duration', { durationMs: 5 })),
    ]
    const { state } = readFiles(lines)
    expect(state.turn.status).toBe('finished')
    for (const count of [lines.length, lines.length - 3, 3]) {
      const again = claudeSource.read(claudeSource.open(state), lines.slice(0, count)).session.state
      expect(again.turn.status, `${count} lines`).toBe('finished')
    }
  })
})
