import { describe, expect, it } from 'vitest'
import { type Architecture, createInitialConversationState, sourceOf } from '../../src/entries/index.ts'
import { type CombinedTranscript, TranscriptError } from '../../src/reading/input/combined.ts'
import { claudeTranscript } from '../../src/wires/claude/files/session-files.ts'
import { parseTranscript, readTranscript } from '../../src/wires/transcript.ts'
import { KNOWN_PROGRAMS } from '../known-programs.ts'
import * as acp from './acp/recordings.ts'
import { modelSays, readFiles, toText, userMessage } from './claude/messages.ts'
import * as codex from './codex/recordings.ts'
import * as opencode from './opencode/recordings.ts'
import { recording, replay } from './recordings.ts'

const known = toText([modelSays('m1', 'Hi.', { uuid: 'u1' })])
const read = (raw: string | CombinedTranscript) => readTranscript('claude-sdk', raw)
const codeOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof TranscriptError) return error.code
    throw error
  }
  return 'nothing thrown'
}

describe('an empty input', () => {
  it.each(['', '\n', ' \r\n\t\n', '\uFEFF', '\uFEFF\n\n'])('is an empty session: %j', (raw) => {
    expect(read(raw)).toEqual({ events: [], issues: [], ending: 'open' })
    expect(parseTranscript('claude-sdk', raw)).toEqual(createInitialConversationState())
  })

  it('is an empty session as combined files too', () => {
    expect(read({ main: '', subagents: [] })).toEqual({ events: [], issues: [], ending: 'open' })
    expect(read({ main: '\n', subagents: [{ id: 'a1', transcript: '' }] }).events).toEqual([])
  })
})

describe('an input that is not a transcript', () => {
  it.each([
    'garbage',
    'two\nlines',
    '{}',
    '[]',
    'null',
    '"text"',
    '{"type":"tea_break"}',
    '{"main":"x"}',
    '<html>\n<body>',
    '{"type":"assistant","message',
  ])('is refused, and not read as an empty session: %j', (raw) => {
    expect(codeOf(() => read(raw))).toBe('not-a-transcript')
    expect(codeOf(() => parseTranscript('claude-sdk', raw))).toBe('not-a-transcript')
  })

  it('is refused as combined files too', () => {
    expect(codeOf(() => read({ main: 'garbage', subagents: [] }))).toBe('not-a-transcript')
    expect(codeOf(() => read({ main: '', subagents: [{ id: 'a1', transcript: 'no' }] }))).toBe(
      'not-a-transcript',
    )
  })

  it('throws a TranscriptError with one line', () => {
    expect(() => read('a\nb')).toThrow(TranscriptError)
    expect(() => read('a\nb')).toThrow(/^not a transcript: [\w-]+ knows none of its lines \(2 in all\)$/)
  })

  it.each(['./session.jsonl', '/srv/demo/export.json', 'C:\\demo\\events.ndjson'])(
    'names the function that reads a path: %s',
    (path) => {
      const message = `not a transcript but a path: readSession of agentfold/node reads ${path}`
      expect(() => read(path)).toThrow(new TranscriptError('not-a-transcript', message))
      expect(() => parseTranscript('codex', path)).toThrow(new TranscriptError('not-a-transcript', message))
    },
  )

  it('becomes a transcript with a single known line', () => {
    expect(read(`garbage\n${known}`).issues).toEqual([{ code: 'malformed-line', count: 1, line: 1 }])
  })
})

describe('issues', () => {
  it('of one unknown type are one issue, with a count and the first line', () => {
    const tea = '{"type":"tea_break"}\n'
    expect(read(`${known}${tea}{"type":"other"}\n${tea}${tea}`).issues).toEqual([
      { code: 'unknown-message', count: 3, messageType: 'tea_break', line: 2 },
      { code: 'unknown-message', count: 1, messageType: 'other', line: 3 },
    ])
  })

  it('of broken lines are one issue, with a count and the first line', () => {
    expect(read(`${known}{"cut\n\n${known}\n{"cut\n`).issues).toEqual([
      { code: 'malformed-line', count: 2, line: 2 },
    ])
  })

  it('are in the order of the lines', () => {
    const { issues } = read(`${known}{"type":"tea_break"}\nbroken\n{"type":"other"}\n`)
    expect(issues.map(({ line }) => line)).toEqual([2, 3, 4])
  })

  it('name the file, if there are several', () => {
    const subagents = ['a1', 'a2'].map((id) => ({ id, transcript: 'broken\n\nbroken' }))
    expect(read({ main: `broken\n${known}`, subagents }).issues).toEqual([
      { code: 'malformed-line', count: 1, line: 1 },
      { code: 'malformed-line', count: 2, line: 1, transcript: 'a1' },
      { code: 'malformed-line', count: 2, line: 1, transcript: 'a2' },
    ])
  })

  // The issue of main's last line had the file of the agent's line after it.
  it('name the file of a broken line before a line of another file', () => {
    const agent = toText([{ ...modelSays('s1', 'Done.', { uuid: 's' }), agentId: 'a1' }])
    const subagents = [{ id: 'a1', transcript: agent }]
    const [issue] = read({ main: `${known}broken`, subagents }).issues
    expect(issue).toEqual({ code: 'malformed-line', count: 1, line: 2 })
  })

  it('name an incomplete last line, and the rest is read', () => {
    const { disk } = recording('06-nested-forward')
    const [first, ...others] = disk.subagents
    const cut = {
      id: first?.id ?? '',
      transcript: first?.transcript.slice(0, -20) ?? '',
      meta: first?.meta ?? '',
    }
    const { issues, events } = read({ main: disk.main, subagents: [cut, ...others] })
    const line = cut.transcript.split('\n').length
    expect(issues).toEqual([{ code: 'malformed-line', count: 1, line, transcript: cut.id }])
    expect(events.length).toBeGreaterThan(0)
  })
})

describe('a combined transcript', () => {
  const { disk } = recording('06-nested-forward')
  const expected = replay(disk)

  it.each<[string, string]>([
    ['as one line of JSON', JSON.stringify(disk)],
    ['as one line of JSON with its newline', `${JSON.stringify(disk)}\n`],
    ['as pretty-printed JSON', JSON.stringify(disk, null, 2)],
    ['after blank lines', `\n\n${JSON.stringify(disk)}`],
    ['with a byte order mark', `\uFEFF${JSON.stringify(disk)}`],
    ['with a byte order mark, pretty-printed', `\uFEFF${JSON.stringify(disk, null, 2)}`],
  ])('is read the same %s', (_, raw) => {
    expect(replay(raw)).toEqual(expected)
  })

  it('may have its subagents in any order', () => {
    const { state } = replay({ ...disk, subagents: [...disk.subagents].reverse() })
    expect(state).toEqual(expected.state)
  })

  it('gives a subagent’s lines to the agent with its id', () => {
    const lines = toText([userMessage('Do it.', { uuid: 'p' }), modelSays('s1', 'Done.', { uuid: 's' })])
    const { state } = replay({ main: known, subagents: [{ id: 'a1', transcript: lines }] })
    expect(state.blocks).toHaveLength(1)
    expect(state.subagents).toMatchObject([
      { toolUseId: 'a1', blocks: [{ content: 'Do it.' }, { content: 'Done.' }] },
    ])
  })

  it('is sorted by time, and lines without a time keep their place', () => {
    const { state } = readFiles([
      userMessage('One.'),
      { type: 'mode', mode: 'normal', timestamp: undefined },
      userMessage('Two.'),
    ])
    expect(state.blocks).toMatchObject([{ content: 'One.' }, { content: 'Two.' }])
  })
})

describe('the files of a session', () => {
  const session = { '/p/s1.jsonl': known }

  it('are its own file and its subagents’ files with their facts', () => {
    const files = {
      ...session,
      '/p/s1/subagents/agent-a1.jsonl': 'lines',
      '/p/s1/subagents/agent-a1.meta.json': '{}',
      '/p/other/subagents/agent-b1.jsonl': 'lines of another session',
      '/p/s1/tool-results/x.txt': 'text',
    }
    expect(claudeTranscript(files)).toEqual({
      main: known,
      subagents: [{ id: 'a1', transcript: 'lines', meta: '{}' }],
    })
  })

  it('may have Windows paths', () => {
    const files = { 'C:\\p\\s1.jsonl': known, 'C:\\p\\s1\\subagents\\agent-a1.jsonl': 'lines' }
    expect(claudeTranscript(files).subagents).toEqual([{ id: 'a1', transcript: 'lines' }])
  })

  it('must include a session', () => {
    expect(codeOf(() => claudeTranscript({}))).toBe('no-session')
    expect(codeOf(() => claudeTranscript({ 'notes.txt': 'x', 'agent-a1.jsonl': known }))).toBe('no-session')
  })

  it('must not belong to several sessions, and the error names those', () => {
    const other = toText([modelSays('m2', 'Other.', { uuid: 'u2' })])
    const files = { ...session, '/p/s2.jsonl': other }
    expect(codeOf(() => claudeTranscript(files))).toBe('several-sessions')
    expect(() => claudeTranscript(files)).toThrow(/s1\.jsonl.*s2\.jsonl/s)
  })

  it('may include an empty session, as a resume writes one', () => {
    expect(claudeTranscript({ '/p/s0.jsonl': '', ...session }).main).toBe(known)
    expect(claudeTranscript({ '/p/s0.jsonl': '' })).toEqual({ main: '', subagents: [] })
  })

  it('may be a session and its fork with a copy of it: the fork is read', () => {
    const fork = known + toText([modelSays('m2', 'More.', { uuid: 'u2' })])
    expect(claudeTranscript({ ...session, '/p/s2.jsonl': fork }).main).toBe(fork)
    expect(claudeTranscript({ '/p/s0.jsonl': fork, ...session }).main).toBe(fork)
    const agent = { '/p/s1/subagents/agent-a1.jsonl': known }
    expect(claudeTranscript({ ...session, ...agent, '/p/s2.jsonl': fork }).subagents).toMatchObject([
      { id: 'a1' },
    ])
  })
})

it('takes claude-code as a name of claude-sdk', async () => {
  const line = '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"Hi."}}'
  expect(parseTranscript('claude-code', line)).toEqual(parseTranscript('claude-sdk', line))
  expect(await sourceOf('claude-code')).toBe(await sourceOf('claude-sdk'))
})

it('refuses an unknown architecture, and names the known ones', () => {
  const architecture: string = 'tea-pot'
  expect(() => Reflect.apply(readTranscript, undefined, [architecture, known])).toThrow(RangeError)
  expect(() => Reflect.apply(parseTranscript, undefined, [architecture, known])).toThrow(/claude-sdk/)
  // The result of `detectArchitecture` for an input of no known program.
  expect(() => Reflect.apply(readTranscript, undefined, [undefined, known])).toThrow(
    /^unknown architecture undefined: /,
  )
})

it('refuses a value that is neither text nor a combined transcript', () => {
  for (const raw of [undefined, null, 7, ['{}'], { main: 1 }, { main: '', subagents: [{}] }])
    expect(() => Reflect.apply(readTranscript, undefined, ['claude-sdk', raw])).toThrow(TypeError)
})

describe('a transcript without an architecture', () => {
  const inputs: readonly (readonly [Architecture, string | CombinedTranscript])[] = [
    ['claude-sdk', recording('06-nested-forward').stream],
    ['claude-sdk', recording('06-nested-forward').disk],
    ['claude-sdk', JSON.stringify(recording('06-nested-forward').disk, null, 2)],
    ...opencode.recordings
      .slice(0, 4)
      .flatMap(({ events, disk, run }) => [
        ['opencode', events] as const,
        ['opencode', disk] as const,
        ...(run === '' ? [] : [['opencode', run] as const]),
      ]),
    ...codex.recordings
      .slice(0, 6)
      .flatMap(({ app, exec }) => [
        ['codex', app.live] as const,
        ['codex', app.disk] as const,
        ...(exec ? [['codex', exec.live] as const] : []),
      ]),
    ...acp.recordings
      .slice(0, 6)
      .flatMap(({ live, stored }) => [
        ['acp', live] as const,
        [stored.architecture, stored.transcript] as const,
      ]),
  ]

  it.each(inputs)('is read as with one: %s', (architecture, raw) => {
    expect(readTranscript(raw)).toEqual(readTranscript(architecture, raw))
    expect(parseTranscript(raw)).toEqual(parseTranscript(architecture, raw))
  })

  it('is an empty session if it is empty', () => {
    expect(readTranscript('\n')).toEqual({ events: [], issues: [], ending: 'open' })
    expect(parseTranscript('')).toEqual(createInitialConversationState())
    expect(readTranscript({ main: '', subagents: [] }).ending).toBe('open')
  })

  it('is refused if no program wrote it, with the number of its lines', () => {
    expect(() => readTranscript('a\nb')).toThrow(
      new TranscriptError(
        'not-a-transcript',
        `not a transcript: no known program wrote it (2 lines read). The known ones are ${KNOWN_PROGRAMS}`,
      ),
    )
    expect(() => parseTranscript('{}')).toThrow(/no known program wrote it \(1 line read\)/)
    expect(codeOf(() => parseTranscript({ main: 'garbage', subagents: [] }))).toBe('not-a-transcript')
    expect(() => readTranscript('./session.jsonl')).toThrow(/^not a transcript but a path/)
  })

  it('may begin with lines that show no program', () => {
    const { events } = readTranscript(known)
    const { events: later, issues } = readTranscript(`broken\n{"type":"tea_break"}\n${known}`)
    expect(later).toEqual(events)
    expect(issues.map(({ code, line }) => ({ code, line }))).toEqual([
      { code: 'malformed-line', line: 1 },
      { code: 'unknown-message', line: 2 },
    ])
  })

  it('must be text or a combined transcript', () => {
    for (const input of [[], [undefined], [null], [7], [['{}']], [{ main: 1 }]])
      for (const work of [readTranscript, parseTranscript])
        expect(() => Reflect.apply(work, undefined, input)).toThrow(TypeError)
  })
})

it('parses into the state that the events give', () => {
  const { stream } = recording('07d-send-message')
  expect(parseTranscript('claude-sdk', stream)).toEqual(replay(stream).state)
})
