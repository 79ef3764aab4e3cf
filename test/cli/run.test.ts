import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { foldSessionEvents } from '../../src/core/reducer/reduce.ts'
import { STATUS_WORDS } from '../../src/core/selectors/status.ts'
import { createInitialConversationState } from '../../src/entries/index.ts'
import {
  agentCall,
  assistantMessage,
  init,
  modelAnswers,
  modelSays,
  toText,
} from '../wires/claude/messages.ts'
import { messagesIn, recording, recordings, folder as recordingsFolder, replay } from '../wires/recordings.ts'
import { agentfold } from './terminal.ts'

const streamOf = (name: string) => join(recordingsFolder, name, 'stream.ndjson')
const hello = toText([modelSays('m1', 'Hi.', { uuid: 'u1' })])

it.each(['--version', '-v', '-V'])(
  'prints the version of the package, and nothing else: %s',
  async (option) => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(await agentfold([option])).toEqual({ code: 0, out: `${version}\n`, err: '' })
  },
)

// `COLUMNS=40 agentfold replay` printed lines of 120 columns.
it('wraps the tree at the columns, below its own margins', async () => {
  for (const columns of [40, 60, 200]) {
    const { out } = await agentfold(['replay', streamOf('06-nested-forward')], { columns })
    // The id is one long word.
    const lines = out.split('\n').filter((line) => !line.includes('0a6eccd5'))
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(Math.min(columns, 100))
    expect(lines.filter((line) => line.includes('in all'))).toEqual([
      expect.stringMatching(/^(│ {2}|done main)/),
      expect.stringMatching(/^ {3}(│ {2}|└─ )/),
    ])
  }
})

describe('agentfold replay', () => {
  it('shows the session as a tree of its agents', async () => {
    const { code, out, err } = await agentfold(['replay', streamOf('06-nested-forward')])
    const [head, main, mainText, outer, outerText, inner, innerText] = out.split('\n')
    expect(head).toBe(
      'claude-code 2.1.330 · claude-opus-5-5 · 0a6eccd5-fb16-41c5-92bb-b1dd4b912bd8 · $0.08 · done',
    )
    expect(main).toMatch(/^done main · 2 blocks · 0 tools · /)
    expect(mainText).toBe('│  “The nested check is complete.”')
    expect(outer).toMatch(/^└─ done general-purpose · “Docs check” · 7 blocks · 1 tool · 709 ms · /)
    expect(outerText).toBe('   │  “OUTER-REPORT: my own subagent found "A tiny project."”')
    expect(inner).toMatch(/^ {3}└─ done general-purpose · “Read README” · 5 blocks · 1 tool · 328 ms · /)
    expect(innerText).toContain('INNER-REPORT')
    expect(out).toMatch(/no issues\n$/)
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  it.each([
    ['11a-killed-main', 'interrupted'],
    ['08g-fatal-400', 'failed: API Error: 400 mock: this request is refused'],
    ['07-background', 'done'],
  ])('shows the status of the session, and why it failed: %s', async (name, status) => {
    const { out } = await agentfold(['replay', streamOf(name)])
    expect(out.split('\n')[0]).toMatch(new RegExp(`· ${status}$`))
  })

  // `replay` printed the JSON of the server, and \`show\` no reason at all.
  it.each([
    ['replay', / · failed: API Error: 400 Your credit is too low\.$/m],
    ['show', /^failed: API Error: 400 Your credit is too low\.$/m],
  ])('says in one sentence why a session failed: %s', async (command, sentence) => {
    const words = '{"type":"error","error":{"message":"Your credit is too low. See Plans & Billing."}}'
    const stream = readFileSync(streamOf('08g-fatal-400'), 'utf8').replaceAll(
      'mock: this request is refused',
      JSON.stringify(words).slice(1, -1),
    )
    const { out } = await agentfold([command, '-'], { stdin: [stream] })
    expect(out).toMatch(sentence)
  })

  it('shows that nothing proves the end of a session', async () => {
    const answer = modelAnswers('m1', 'Hi.', { uuid: 'u1' })
    const { out } = await agentfold(['replay', '-'], { stdin: [toText([init, answer])] })
    expect(out.split('\n')[0]).toMatch(/· done · open$/)
  })

  it('shows the tokens of an agent alone and with the agents below it', async () => {
    const { out } = await agentfold(['replay', recording('06-nested-forward').sessionPath])
    expect(out).toContain(
      'main · 3 blocks · 0 tools · 5,627 tokens in, 74 out · in all 18,688 tokens in, 267 out',
    )
  })

  it.each(recordings)('shows every agent of $name with its status', async ({ name, disk }) => {
    const { code, out } = await agentfold(['replay', join(recordingsFolder, name, 'transcript')])
    const { state } = replay(disk)
    expect(code).toBe(0)
    for (const { name: type, description, status } of state.subagents)
      expect(out).toContain(`${STATUS_WORDS[status]} ${type} · “${description}”`)
  })

  it('reads the files of a session’s subagents beside the session’s file', async () => {
    const { out } = await agentfold(['replay', recording('05-three-parallel-forward').sessionPath])
    expect(out.match(/done general-purpose/g)).toHaveLength(3)
    expect(out).toContain('“Review of mul is done: nothing to change.”')
  })

  it.each<[string, (path: string) => string]>([
    ['relative', (path) => relative(process.cwd(), path)],
    ['relative with a dot', (path) => `./${relative(process.cwd(), path)}`],
    ['with two slashes', (path) => path.replace('/transcript/', '//transcript/')],
    ['with a parent folder', (path) => path.replace('/transcript/', '/transcript/../transcript/')],
  ])('reads them if the path is %s', async (_, change) => {
    const { sessionPath } = recording('05-three-parallel-forward')
    const { out } = await agentfold(['replay', change(sessionPath)])
    expect(out.match(/done general-purpose · “Review ...” · 8 blocks/g)).toHaveLength(3)
  })

  it.each(['transcript', 'transcript/'])('reads a folder with one session: %s', async (name) => {
    const { out } = await agentfold(['replay', '--json', join(recordingsFolder, '06-nested-forward', name)])
    expect(JSON.parse(out).state).toEqual(replay(recording('06-nested-forward').disk).state)
  })

  it('reads standard input in chunks of any size', async () => {
    const bytes = new TextEncoder().encode(recording('01-plain-text').stream)
    const stdin = Array.from({ length: Math.ceil(bytes.length / 3) }, (_, at) =>
      bytes.subarray(at * 3, at * 3 + 3),
    )
    const piped = await agentfold(['replay', '-', '--json'], { stdin })
    const fromFile = await agentfold(['replay', streamOf('01-plain-text'), '--json'])
    expect(piped).toEqual(fromFile)
    expect(await agentfold(['replay', '-'], { stdin: [hello] })).toMatchObject({ code: 0 })
  })
})

describe('--json', () => {
  it('prints the state, the issues and the ending', async () => {
    const { code, out } = await agentfold(['replay', '--json', streamOf('11a-killed-main')])
    const { state, ending } = replay(recording('11a-killed-main').stream)
    expect(JSON.parse(out)).toEqual({ state, issues: [], ending })
    expect(code).toBe(0)
  })
})

describe('--events', () => {
  it.each(recordings)(
    'prints one event per line, and the events give the same state: $name',
    async ({ disk, sessionPath }) => {
      const { out } = await agentfold(['replay', '--events', sessionPath])
      const { state, issues } = foldSessionEvents(createInitialConversationState(), messagesIn(out))
      expect(state).toEqual(replay(disk).state)
      expect(issues).toEqual([])
    },
  )
})

describe('the issues of an input', () => {
  const broken = `${hello}{"cut\n{"type":"tea_break"}\n{"type":"tea_break"}\n`

  it('are counted and named, and the command shows the rest', async () => {
    const { code, out } = await agentfold(['replay', '-'], { stdin: [broken] })
    expect(out).toContain('“Hi.”')
    expect(out).toMatch(
      /2 issues\n {2}malformed-line .*line 2\n {2}unknown-message .*count 2.*tea_break.*line 3\n$/,
    )
    expect(code).toBe(0)
  })

  it('are in the JSON too', async () => {
    const { out } = await agentfold(['replay', '--json', '-'], { stdin: [broken] })
    expect(JSON.parse(out).issues).toEqual([
      { code: 'malformed-line', count: 1, line: 2 },
      { code: 'unknown-message', count: 2, messageType: 'tea_break', line: 3 },
    ])
  })

  it('name the agent that still ran', async () => {
    const { out } = await agentfold(['replay', '-'], {
      stdin: [toText([assistantMessage('m1', agentCall('t1'), { uuid: 'u1' })])],
    })
    expect(out).toContain('· interrupted')
    expect(out).toContain('└─ failed general-purpose')
    expect(out).toMatch(/unfinished-subagent .*t1/)
  })
})
