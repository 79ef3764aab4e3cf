import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareSessions } from '../../src/entries/parity.ts'
import { opencodeFolder } from '../checks/parity/sessions.ts'
import {
  assistantMessage,
  init,
  modelAnswers,
  modelCalls,
  modelLaunches,
  modelSays,
  text,
  toText,
  userMessage,
} from '../wires/claude/messages.ts'
import { recording, recordings, folder as recordingsFolder, replay } from '../wires/recordings.ts'
import { temporaryFolder } from './temporary.ts'
import { agentfold } from './terminal.ts'

const pathsOf = (name: string) => [
  join(recordingsFolder, name, 'stream.ndjson'),
  join(recordingsFolder, name, 'transcript'),
]
const oneStream = recordings.filter(({ name }) => !['09-resume', '10-compact'].includes(name))

const { inFolder, file } = temporaryFolder()

/** The stored file of a session with the text `Hi.`, and its stream with another text. */
const stored = toText([{ ...modelAnswers('m1', 'Hi.', { uuid: 'u1' }), sessionId: 'session' }])
const other = toText([init, modelAnswers('m1', 'Ho.', { uuid: 'u1' })])

describe('agentfold parity', () => {
  it('prints that both sides are equal, and the ignored content', async () => {
    expect(await agentfold(['parity', ...pathsOf('04b-subagent-default')])).toEqual({
      code: 0,
      err: '',
      out: [
        'equal',
        '',
        'ignored',
        '  live unknown-fact 2',
        '  stored prompt 1',
        '  stored subagent-text 3',
        '  live provisional-usage 1',
        '  stored unseen-usage 1',
        '',
      ].join('\n'),
    })
  })

  it('prints that nothing was ignored', async () => {
    const path = join(opencodeFolder, '04-subagent')
    const { code, out } = await agentfold(['parity', join(path, 'events.ndjson'), join(path, 'export')])
    expect({ code, out }).toEqual({ code: 0, out: 'equal\n\nnothing ignored\n' })
  })

  it.each(oneStream)('gives exit code 0 for $name', async ({ name }) => {
    expect(await agentfold(['parity', ...pathsOf(name)])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^equal\n/),
      err: '',
    })
  })

  it('reads all files of a session for the path of its main file', async () => {
    const [stream = ''] = pathsOf('06-nested-forward')
    const { out } = await agentfold(['parity', stream, recording('06-nested-forward').sessionPath])
    expect(out).toMatch(/^equal\n/)
  })

  it('prints each difference with its place and both values, and gives exit code 1', async () => {
    const { code, out, err } = await agentfold([
      'parity',
      await file('ho.ndjson', other),
      await file('hi.jsonl', stored),
    ])
    expect({ code, err }).toEqual({ code: 1, err: '' })
    expect(out).toMatch(
      /^1 difference\n {2}block · main · m1:0 · content\n {4}live {4}"Ho\."\n {4}stored {2}"Hi\."\n\nignored\n/,
    )
  })

  it('prints a dash for a side without a value', async () => {
    const { out } = await agentfold([
      'parity',
      await file('none.ndjson', toText([init])),
      await file('hi.jsonl', stored),
    ])
    expect(out).toMatch(
      /missing-block · main · m1:0\n {4}live {4}–\n {4}stored {2}\{(?=.*"type":"assistant_text").*"id":"m1:0"/,
    )
  })

  it('prints each difference on three lines, whatever a transcript contains', async () => {
    const evil = '\u001b[2J\u009b31m\r\nred\u2028'
    const stream = toText([
      init,
      assistantMessage(`m${evil}`, text(evil.repeat(50))),
      modelLaunches('m2', evil),
    ])
    const { out } = await agentfold([
      'parity',
      await file('evil.ndjson', stream),
      await file('none.jsonl', toText([{ type: 'summary', summary: 'Tea', leafUuid: 'u' }])),
    ])
    expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    const [head = '', ...lines] = out.split('\n')
    const count = Number.parseInt(head, 10)
    expect(count).toBeGreaterThan(0)
    expect(lines.slice(0, 3 * count).every((line, at) => /^ {2}\S/.test(line) === (at % 3 === 0))).toBe(true)
    expect(lines.every((line) => [...line].length < 400)).toBe(true)
    expect(lines[3 * count]).toBe('')
  })
})

describe('--json', () => {
  it('prints the differences and the ignored content', async () => {
    const paths = [await file('ho.ndjson', other), await file('hi.jsonl', stored)]
    const { code, out } = await agentfold(['parity', '--json', ...paths])
    const found = compareSessions(replay(other).state, replay(stored).state)
    expect(JSON.parse(out)).toEqual({ ...found, issues: { live: [], stored: [] } })
    expect(code).toBe(1)
  })

  it('gives exit code 0 if both sides are equal', async () => {
    const { code, out } = await agentfold(['parity', ...pathsOf('03-tools'), '--json'])
    const { stream, disk } = recording('03-tools')
    const found = compareSessions(replay(stream).state, replay(disk).state)
    expect(JSON.parse(out)).toEqual({ ...found, issues: { live: [], stored: [] } })
    expect(code).toBe(0)
  })
})

describe('an issue', () => {
  it('is printed with its side, also if the rest is equal', async () => {
    const cut = `${stored}{"type":"assistant","message":{"id":"m2","cut`
    const { code, out } = await agentfold([
      'parity',
      await file('whole.jsonl', stored),
      await file('cut.jsonl', cut),
    ])
    expect(code).toBe(0)
    expect(out).toMatch(/^equal\n/)
    expect(out).toMatch(/\n\nstored: 1 issue\n {2}malformed-line · count 1 · line \d+\n$/)
    expect(out).not.toContain('live: ')
  })
})

describe('one side as a pipe', () => {
  const { stream, sessionPath } = recording('03-tools')

  it('may be the stream', async () => {
    const { code, out } = await agentfold(['parity', '-', sessionPath], { stdin: [stream] })
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/^equal\n/) })
  })

  it('may be the stored file', async () => {
    const [path = ''] = pathsOf('03-tools')
    const { files } = recording('03-tools')
    const { code } = await agentfold(['parity', path, '-'], { stdin: Object.values(files) })
    expect(code).toBe(0)
  })

  it('cannot be both sides', async () => {
    const { code, out, err } = await agentfold(['parity', '-', '-'], { stdin: [stream] })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('only one of the two paths can be a pipe')
  })
})

describe('wrong usage', () => {
  it.each<[string, readonly string[]]>([
    ['no path', []],
    ['one path', ['a']],
    ['three paths', ['a', 'b', 'c']],
    ['events', ['a', 'b', '--events']],
    ['a format', ['a', 'b', '--format', 'opencode']],
    ['an unknown option', ['a', 'b', '--tea']],
  ])('gives exit code 2, and prints the reason and the usage on stderr: %s', async (_, args) => {
    const { code, out, err } = await agentfold(['parity', ...args])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/^agentfold: [^\n]+\n/)
    expect(err).toContain('usage: agentfold')
  })

  it('does not include a request for help', async () => {
    expect(await agentfold(['parity', '--help'])).toMatchObject({ code: 0, err: '' })
  })
})

describe('a side that cannot be read', () => {
  const [stream = '', transcript = ''] = pathsOf('03-tools')

  it.each<[string, () => Promise<readonly string[]>, RegExp]>([
    ['the stream does not exist', async () => [inFolder('nowhere'), transcript], /nowhere: no such file/],
    ['the stored file does not exist', async () => [stream, inFolder('nowhere')], /nowhere: no such file/],
    [
      'the stream is not a transcript',
      async () => [await file('garbage.ndjson', 'garbage\n'), transcript],
      /garbage\.ndjson: .*not a transcript/,
    ],
    ['the folder holds several sessions', async () => [stream, recordingsFolder], /several sessions/],
  ])('gives exit code 2 and one line that names it: %s', async (_, paths, reason) => {
    const { code, out, err } = await agentfold(['parity', ...(await paths())])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/^agentfold: [^\n]+\n(?: {2}[^\n]+\n)*$/)
    expect(err).toMatch(reason)
  })
})

it('prints a single missing block of main', async () => {
  const whole = [
    init,
    modelSays('m1', 'One.'),
    modelSays('m2', 'Two.'),
    modelCalls('m3', 't1'),
    userMessage('x'),
  ]
  const path = await file('whole.ndjson', toText(whole.map((line, at) => ({ uuid: `u${at}`, ...line }))))
  const lost = toText(whole.map((line, at) => ({ uuid: `u${at}`, ...line })).filter((_, at) => at !== 2))
  const { code, out } = await agentfold(['parity', path, '-', '--json'], { stdin: [lost] })
  expect(code).toBe(1)
  expect(JSON.parse(out).differences).toMatchObject([
    { kind: 'missing-block', id: 'm2:0', live: { content: 'Two.' } },
  ])
})
