import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import * as fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { sessionLines } from '../../../src/cli/show/print-session.ts'
import { sessionLog } from '../../../src/entries/arbitraries.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
} from '../../../src/entries/index.ts'
import { readSession } from '../../../src/entries/node.ts'
import { opencodeFolder } from '../../checks/parity/sessions.ts'
import { runs } from '../../depth.ts'
import { withMarks } from '../../sinks/markdown/marked.ts'
import { unrulyEvents } from '../../unruly-events.ts'
import { init, modelSays, toText, userMessage } from '../../wires/claude/messages.ts'
import { recordings, folder as recordingsFolder, replay } from '../../wires/recordings.ts'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'

const FIXTURES = join(import.meta.dirname, '../../../fixtures')

const anyState = fc
  .oneof(sessionLog(), unrulyEvents())
  .map((events) => reduceSessionEvents(createInitialConversationState(), events))

const PLAIN = { columns: 80, isStyled: false, isFull: false, redact: (text: string) => text }

const shown = (state: SessionConversationState, options: Partial<Parameters<typeof sessionLines>[1]> = {}) =>
  [...sessionLines({ state, issues: [] }, { ...PLAIN, ...options })].join('\n')

function expectOnce(state: SessionConversationState): void {
  const { state: marked, marks } = withMarks(state)
  const found = [...shown(marked, { isFull: true }).matchAll(/MARK\d+END/g)].map(([mark]) => mark)
  expect(found.sort()).toEqual([...marks].sort())
}

const paths = [
  ...recordings.map(({ name }) => join(recordingsFolder, name, 'transcript')),
  ...['01-plain-text', '03-tools', '06-nested', '10-compact'].map((name) =>
    join(opencodeFolder, name, 'export'),
  ),
]

describe('the view of any session', () => {
  it('shows every text, call, result, request and agent once with --full', () => {
    fc.assert(fc.property(anyState, expectOnce), { numRuns: runs(200) })
  })

  it.each(recordings.map(({ name, disk }) => [name, disk] as const))('shows all of %s once', (_, disk) => {
    expectOnce(replay(disk).state)
  })

  it('has no control character but its own styles, and with no colours none at all', () => {
    const evil = '\u001b]0;tea\u0007\u009b31m\u202e\r\u0000'
    fc.assert(
      fc.property(anyState, fc.boolean(), (state, isFull) => {
        const { state: marked } = withMarks(state)
        const json = JSON.stringify(marked).replaceAll('MARK', JSON.stringify(evil).slice(1, -1))
        const text = shown(JSON.parse(json), { isFull })
        expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: styles contain them
        const styled = shown(JSON.parse(json), { isFull, isStyled: true }).replace(/\u001b\[\d{1,2}m/g, '')
        expect(styled.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
      }),
      { numRuns: runs(100) },
    )
  })

  it('shows marks of directions, and obeys none of them', () => {
    const content = 'a\u202eb\tc \u200fd'
    const state = reduceSessionEvents(createInitialConversationState(), [
      { type: 'block:upsert', block: { type: 'assistant_text', id: 't', status: 'complete', content } },
    ])
    const text = shown(state)
    expect(text).toContain('a\ufffdb')
    expect(text).toContain('\ufffdd')
    expect(text).not.toMatch(/\p{Bidi_Control}/u)
  })

  it('redacts every text', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        const { state: marked } = withMarks(state)
        const redact = (text: string) => text.replaceAll(/MARK/g, '[hidden]')
        for (const isFull of [true, false]) expect(shown(marked, { isFull, redact })).not.toContain('MARK')
      }),
      { numRuns: runs(100) },
    )
  })

  it('reaches every depth of agents', () => {
    const subagents = Array.from({ length: 3_000 }, (_, at) => ({
      toolUseId: `a${at}`,
      parentConversationId: at === 0 ? 'main' : `a${at - 1}`,
      name: `n${at}`,
      status: 'success' as const,
      blocks: [],
      usage: [],
    }))
    const text = shown({ ...createInitialConversationState(), subagents })
    expect(text).toContain('Agent n2999 · done · level 3000')
  })
})

describe('a recording', () => {
  it.each(paths.flatMap((path) => [40, 80, 200].map((columns) => [columns, path] as const)))(
    'fits on %d columns, apart from long words and code: %s',
    async (columns, path) => {
      const { code, out } = await agentfold(['show', path], { columns })
      expect(code).toBe(0)
      for (const line of out.split('\n')) {
        const words = line.replace(/^(?:[│▎•◆●✗❯▸✻?] |\d+\. )+/, '').trim()
        if (/\s/.test(words) && !/^\s{2,}/.test(line))
          expect(stringWidth(line), line).toBeLessThanOrEqual(Math.min(100, columns))
      }
    },
  )

  it.each(paths)('has the same words with and without colours, save the marks of code: %s', async (path) => {
    const plain = await agentfold(['show', path])
    const styled = await agentfold(['show', path, '--color'])
    expect(stripVTControlCharacters(styled.out).replace(/[`\s]/g, '')).toBe(plain.out.replace(/[`\s]/g, ''))
  })
})

describe('agentfold show', () => {
  it('shows the last blocks with --tail, of main or of an agent', async () => {
    const folder = join(recordingsFolder, '06-nested-forward', 'transcript')
    const { out } = await agentfold(['show', folder, '--tail', '1'])
    expect(out).not.toContain('Check the docs through a coordinator.')
    expect(out).toContain('The nested check is complete.')
    expect(out).toContain('claude --resume ')
    const state = replay(recordings.find(({ name }) => name === '06-nested-forward')?.disk ?? '').state
    const agent = state.subagents[0]?.toolUseId
    const last = shown(state, { agent, tail: 1 })
    expect(last).toContain('OUTER-REPORT')
    expect(last).not.toContain('Coordinate a documentation check')
  })

  // Oh My Pi and Kilo got the commands of the programs that they were made from.
  it('says how each program resumes its session', async () => {
    const { out } = await agentfold(['show', join(FIXTURES, 'pi/omp-06-subagent/store')])
    expect(out).toMatch(/\nomp --resume \S+\n/)
    const session = { id: 'ses_1', program: 'kilo' }
    expect(shown({ ...createInitialConversationState(), session })).toContain('kilo --session ses_1')
  })

  // It got Pi's command too. Its own takes a key that no line states.
  it('says no command for OpenClaw', () => {
    const session = { id: '01a21497', program: 'openclaw' }
    const out = shown({ ...createInitialConversationState(), session })
    expect(out).toContain('01a21497')
    expect(out).not.toContain('--session')
  })

  // The call before the last blocks was called unknown, and every agent from before them was shown whole.
  it('shows the call of a last result, and no agent from before the last blocks', () => {
    const start = { type: 'subagent:spawned', prompt: 'Look.' } as const
    const call = {
      id: 'c',
      type: 'tool_use',
      toolUseId: 'c',
      toolName: 'Bash',
      input: {},
      status: 'complete',
    } as const
    const result = {
      id: 'r',
      type: 'tool_result',
      toolUseId: 'c',
      output: 'red',
      isError: false,
      status: 'complete',
    } as const
    const state = reduceSessionEvents(createInitialConversationState(), [
      { ...start, toolUseId: 'early', subagentType: 'scout' },
      { ...start, toolUseId: 'below', subagentType: 'helper', conversationId: 'early' },
      { type: 'block:upsert', block: call },
      {
        type: 'block:upsert',
        block: { id: 't', type: 'assistant_text', content: 'Words.', status: 'complete' },
      },
      { type: 'block:upsert', block: result },
      { ...start, toolUseId: 'late', subagentType: 'writer' },
    ])
    const last = shown(state, { tail: 2 })
    expect(last).toMatch(/● Bash\n {2}red\n[\s\S]*writer/)
    expect(last).not.toMatch(/not known|Words|scout|helper/)
  })

  it('gives its output to the pager', async () => {
    let paged = ''
    const write = (text: string) => {
      paged += text
    }
    const { out } = await agentfold(['show', join(recordingsFolder, '03-tools', 'transcript')], {
      paged: (work) => work(write),
    })
    expect(out).toBe('')
    expect(paged).toContain('claude --resume ')
  })

  const nested = join(recordingsFolder, '06-nested-forward', 'transcript')

  it('shows the agents at their places, with the facts of the session around', async () => {
    const { code, out, err } = await agentfold(['show', nested])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toBe(readFileSync(join(import.meta.dirname, 'nested.txt'), 'utf8'))
  })

  it('shows one agent', async () => {
    const { state } = await readSession(nested)
    const inner = state.subagents[1]
    for (const id of [inner?.toolUseId, inner?.agentId, inner?.toolUseId.slice(0, -1)]) {
      const { out } = await agentfold(['show', nested, '--agent', id ?? ''])
      expect(out).toContain('INNER-REPORT')
      expect(out).not.toContain('Outer delegates')
    }
    expect((await agentfold(['show', nested, '--agent', 'main'])).out).toContain('Outer delegates')
    expect(await agentfold(['show', nested, '--agent', 'none'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^agentfold: no agent none: use one of toolu_\w+, toolu_\w+\n$/),
    })
    const plain = join(recordingsFolder, '01-plain-text', 'transcript')
    expect(await agentfold(['show', plain, '--agent', 'none'])).toMatchObject({
      code: 1,
      err: 'agentfold: the session has no agents\n',
    })
  })

  it('ignores capitals in the id of an agent', async () => {
    const { state } = await readSession(nested)
    const id = state.subagents[1]?.toolUseId.toUpperCase() ?? ''
    expect((await agentfold(['show', nested, '--agent', id])).out).toContain('INNER-REPORT')
  })

  // The status `interrupted` looked like a failed run: `opencode run --format json` often lacks its last lines.
  it('says that a recording ends before the end of the turn', async () => {
    const note = 'the recording ends before the program reported the end'
    const { out } = await agentfold(['show', join(recordingsFolder, '11a-killed-main', 'stream.ndjson')])
    expect(out).toContain(`\ninterrupted\n${note}\n`)
    expect((await agentfold(['show', nested])).out).not.toContain(note)
    const { out: stopped } = await agentfold(['show', '-'], {
      stdin: [toText([init, modelSays('m1', 'Slow'), userMessage('[Request interrupted by user]')])],
    })
    expect(stopped).toContain('\ninterrupted\n')
    expect(stopped).not.toContain(note)
  })

  // It said "see agentfold replay", but the input of a pipe is gone.
  it('prints the first issues of the input', async () => {
    const hello = readFileSync(join(recordingsFolder, '01-plain-text', 'stream.ndjson'), 'utf8')
    const unknown = (count: number) =>
      Array.from({ length: count }, (_, at) => `{"type":"/home/mary/${at}"}\n`).join('')
    const one = await agentfold(['show', '-'], { stdin: [`${hello}{"cut\n`] })
    expect(one.out).toMatch(/\n1 issue of the input\n {2}malformed-line · count 1 · line \d+\n$/)
    const { out } = await agentfold(['show', '-', '--redact'], { stdin: [hello + unknown(7)] })
    expect(out).toMatch(
      /\n7 issues of the input\n( {2}unknown-message .*\n){5} {2}and 2 more: see agentfold replay\n$/,
    )
    expect(out).not.toContain('mary')
  })

  it('prints a Markdown document', async () => {
    const { out } = await agentfold(['show', nested, '--markdown'])
    expect(out).toMatch(/^# Check the docs/)
    expect(out).toContain('<details>')
    const { out: one } = await agentfold(['show', nested, '--markdown', '--full', '--agent', 'main'])
    expect(one).toBe(out)
  })

  it('redacts on request', async () => {
    const events = [
      {
        type: 'user',
        uuid: 'u1',
        sessionId: 's',
        message: { role: 'user', content: 'See /home/mary/x and mary\\@example.com' },
      },
      {
        type: 'assistant',
        uuid: 'u2',
        sessionId: 's',
        message: {
          id: 'm1',
          role: 'assistant',
          content: [{ type: 'text', text: 'I see **a** and mary\\@example.com in /home/mary/x.' }],
        },
      },
    ]
    const stdin = [`${events.map((event) => JSON.stringify(event)).join('\n')}\n`]
    for (const more of [[], ['--full'], ['--color']]) {
      const { out } = await agentfold(['show', '-', '--redact', ...more], { stdin })
      expect(out).not.toMatch(/mary\/|mary@/)
    }
    expect((await agentfold(['show', '-', '--redact', '--markdown'], { stdin })).out).not.toContain(
      '/home/mary',
    )
    expect((await agentfold(['show', '-'], { stdin })).out).toContain('mary@example.com')
  })

  it('says how much is left out, and shows it with --full', async () => {
    const large = join(recordingsFolder, '12-large', 'transcript')
    const { out } = await agentfold(['show', large])
    expect(out).toMatch(/… \d+ (?:lines|characters) left out …/)
    const { out: full } = await agentfold(['show', large, '--full'])
    expect(full).not.toContain('left out')
    expect(full.length).toBeGreaterThan(out.length)
  })
})

const temporary = temporaryFolder()

// `list` said 'running', and `show` 'interrupted', of the same file.
it.each([
  [1, 'running'],
  [20, 'interrupted'],
])('has the status of the list %i minutes after a session was cut', async (minutes, status) => {
  const message = { id: 'm', role: 'assistant', content: [CALL] }
  const lines = [
    { ...CUT, type: 'user', uuid: 'u', message: { role: 'user', content: 'Go' } },
    { ...CUT, type: 'assistant', uuid: 'a', parentUuid: 'u', message },
  ]
  const path = await temporary.file('.claude/projects/p/s1.jsonl', toText(lines))
  const home = temporary.inFolder()
  const now = () => Date.parse(CUT.timestamp) + minutes * 60_000
  const run = async (...args: string[]) => (await agentfold(args, { home, now })).out
  expect(JSON.parse(await run('list', '--no-index', '--json'))).toMatchObject({ status })
  expect(await run('show', path)).toMatch(new RegExp(`\\b${status}\\b`))
  // A replay is of a recording: it has what the file proves.
  expect(await run('replay', path)).toMatch(/\binterrupted\b/)
})

const CUT = {
  sessionId: 's1',
  cwd: '/srv',
  version: '2.1.0',
  timestamp: '2026-11-01T10:00:00.000Z',
  isSidechain: false,
  userType: 'external',
}
const CALL = { type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'ls' } }
