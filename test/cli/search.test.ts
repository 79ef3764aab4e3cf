import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import stringWidth from 'string-width'
import { beforeAll, describe, expect, it } from 'vitest'
import { sessionFilter } from '../../src/cli/list/file-listing.ts'
import type { Terminal } from '../../src/cli/terminal/terminal.ts'
import { searchPattern } from '../../src/node/search-pattern.ts'
import { opencodeFolder } from '../checks/parity/sessions.ts'
import {
  agentCall,
  assistantMessage,
  endTurn,
  modelAnswers,
  modelCalls,
  modelSays,
  toText,
  userMessage,
} from '../wires/claude/messages.ts'
import { folder as recordingsFolder } from '../wires/recordings.ts'
import { temporaryFolder } from './temporary.ts'
import { agentfold } from './terminal.ts'

const { inFolder, file } = temporaryFolder()
const time = '2026-01-01T10:20:30.000Z'
const projects = join('home', '.claude', 'projects', '-srv-demo')
const home = () => inFolder('home')

const lines = (id: string, ...messages: readonly object[]) =>
  toText(
    messages.map((message, at) => ({
      uuid: `${id}-${at}`,
      timestamp: time,
      ...message,
      sessionId: id,
      cwd: '/srv/demo',
    })),
  )

beforeAll(async () => {
  await file(
    join(projects, 's1.jsonl'),
    lines(
      's1',
      userMessage('Please brew   some\n“green” tea in /tmp.'),
      modelSays('m1', `${'word '.repeat(40)}The kettle \u001b[31mboils. ${'more '.repeat(100)}`),
      modelCalls('m2', 't1'),
      assistantMessage('m3', agentCall('t2'), {}, endTurn),
      { type: 'ai-title', aiTitle: 'Afternoon drinks' },
    ),
  )
  await file(
    join(projects, 's2.jsonl'),
    lines('s2', userMessage('Café, naïve and 日本語'), modelAnswers('m1', 'Fine.')),
  )
})

const search = (...args: readonly string[]) => agentfold(['search', ...args], { home: home(), columns: 80 })

describe('agentfold search', () => {
  it('prints the session, the place and the match in its context', async () => {
    const { code, out, err } = await search('brew some')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const [session, match, ...rest] = out.split('\n')
    expect(session).toMatch(/^Afternoon drinks · .*demo · s1$/)
    expect(match).toBe('  2026-01-01 10:20 main prompt: Please brew some “green” tea in /tmp.')
    expect(rest).toEqual([''])
  })

  it.each([
    ['kettle', 'answer'],
    ['afternoon DRINKS'.toLowerCase(), 'title'],
    ['“green” tea in /tmp', 'prompt'],
    ['日本語', 'prompt'],
    ['café', 'prompt'],
  ])('finds %j', async (wanted, kind) => {
    const { code, out } = await search(wanted)
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(` ${kind}: `))
    for (const line of out.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(80)
    expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })

  it('compares capitals only if the text has some', async () => {
    expect((await search('KETTLE')).code).toBe(1)
    expect((await search('The kettle')).code).toBe(0)
    expect((await search('the kettle')).code).toBe(0)
  })

  it('marks the match with colours', async () => {
    const { out } = await search('kettle', '--color')
    expect(out).toContain('\u001b[33mkettle\u001b[39m')
  })

  it('prints one JSON object per match', async () => {
    const { out } = await search('kettle', '--json')
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      {
        session: 's1',
        title: 'Afternoon drinks',
        format: 'claude-sdk',
        kind: 'answer',
        block: 'm1:0',
        place: { conversationId: 'main', timestamp: time },
        excerpt: expect.stringContaining('kettle'),
      },
    ])
  })

  it('stops at the limit', async () => {
    const { code, out, err } = await search('e', '--limit', '2', '--json')
    expect(code).toBe(0)
    expect(out.trim().split('\n')).toHaveLength(2)
    expect(err).toBe('agentfold: 2 matches, and maybe more: use --limit\n')
    expect((await search('e', '--limit', '1', '--json')).err).toMatch(/^agentfold: 1 match, and/)
  })

  it('shows five matches of a session, and says how many more it has', async () => {
    const answers = Array.from({ length: 8 }, (_, at) => modelAnswers(`k${at}`, 'A kettle.'))
    const folder = join('many', 'projects')
    await file(join(folder, 's9.jsonl'), lines('s9', userMessage('Go.'), ...answers))
    const found = async (...args: readonly string[]) =>
      (await agentfold(['search', 'kettle', inFolder(folder), ...args])).out
    expect((await found()).match(/answer: /g)).toHaveLength(5)
    expect(await found()).toContain('\n  and 3 more in this session: use --each\n')
    expect((await found('--each', '8')).match(/answer: /g)).toHaveLength(8)
    expect((await found('--json')).trim().split('\n')).toHaveLength(8)
  })

  it('shows the session that the person chooses after the matches', async () => {
    const pick: Terminal['pick'] = async ([first]) => first?.value
    const { code, out } = await agentfold(['search', 'kettle'], { home: home(), columns: 80, pick })
    expect(code).toBe(0)
    expect(out).toMatch(/answer: [\s\S]*❯ Please brew/)
    const none = await agentfold(['search', 'kettle'], { home: home(), pick: async () => undefined })
    expect(none.code).toBe(0)
  })

  it('gives exit code 1 without a match, and 2 for no text', async () => {
    expect(await search('coffee')).toEqual({
      code: 1,
      out: '',
      err: 'agentfold: no match in 2 sessions\n',
    })
    expect(await search(' ')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no text to search for'),
    })
  })

  // It said `ENOTDIR: not a directory, scandir`, and that it found no match in 0 sessions.
  it.each(['gone', join(projects, 's1.jsonl')])(
    'refuses %s in place of a folder, as a list does',
    async (name) => {
      const searched = await agentfold(['search', 'tea', inFolder(name)])
      expect(searched).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^[^\n]+: (no such|a file, not a) [^\n]+\n$/),
      })
      expect(searched).toEqual(await agentfold(['list', inFolder(name)]))
    },
  )

  it('reads no session whose files do not have the text', async () => {
    const path = inFolder(projects, 's1.jsonl')
    expect(await sessionFilter(searchPattern('coffee'))(path)).toBe(false)
    expect(await sessionFilter(searchPattern('KETTLE'))(path)).toBe(false)
    expect(await sessionFilter(searchPattern('the kettle'))(path)).toBe(true)
    // Only a whole reading can find a text without ASCII.
    expect(await sessionFilter(searchPattern('日本'))(path)).toBe(true)
    const long = await file('long.jsonl', `${'x'.repeat(2 ** 18 - 3)}needle`)
    expect(await sessionFilter(searchPattern('needle'))(long)).toBe(true)
  })

  // A thread that was reverted goes on in a file of another day. The older file is not the session any more.
  it('finds nothing in an older file of a session that a newer one replaces', async () => {
    const rollout = (day: string, text: string) => {
      const timestamp = `2026-11-${day}T10:00:00.000Z`
      const payload = {
        id: 'thread-1',
        timestamp,
        cwd: '/srv/demo',
        originator: 'codex',
        cli_version: '0.1.0',
      }
      const message = { type: 'user_message', message: text, kind: 'plain' }
      return file(
        join('codex', day, `rollout-2026-11-${day}T10-00-00-thread-1.jsonl`),
        [
          { timestamp, type: 'session_meta', payload },
          { timestamp, type: 'event_msg', payload: message },
        ]
          .map((line) => `${JSON.stringify(line)}\n`)
          .join(''),
      )
    }
    await rollout('01', 'Boil the kettle.')
    expect(await search('kettle', inFolder('codex'))).toMatchObject({ code: 0 })
    await rollout('02', 'Wash the cup.')
    expect(await search('kettle', inFolder('codex'))).toMatchObject({ code: 1 })
    expect(await search('cup', inFolder('codex'))).toMatchObject({ code: 0 })
  })

  it('finds texts in the files of agents', async () => {
    for (const [name, wanted] of [
      ['06-nested-forward', 'INNER-REPORT'],
      ['05-three-parallel-forward', 'Review of mul'],
    ] as const) {
      const { code, out } = await search(wanted, join(recordingsFolder, name, 'transcript'))
      expect(code).toBe(0)
      expect(out).toMatch(/ (?:Read README|Review mul) answer: /)
    }
  })

  it('finds texts in exports of OpenCode, and in errors and agents', async () => {
    expect((await search('nested check', join(opencodeFolder, '06-nested'))).out).toContain(
      ' main answer: The ',
    )
    expect((await search('Docs check', join(opencodeFolder, '06-nested'))).out).toMatch(/ agent: /)
    expect((await search('refused', join(recordingsFolder, '08g-fatal-400', 'transcript'))).out).toMatch(
      / error: /,
    )
  })

  // The index missed them in each session, and a search of files in those of text.
  it('takes the Kelvin sign for a k, and the long s for an s, as they are and as escapes', async () => {
    const signs = lines('s4', userMessage('300 \u212aELVIN, a long \u017fentence'))
    await file(join('signs', '.claude', 'projects', 'p', 's4.jsonl'), signs)
    const escaped = signs.replaceAll('s4', 's5').replace('\u212a', '\\u212A').replace('\u017f', '\\u017f')
    await file(join('signs', '.claude', 'projects', 'p', 's5.jsonl'), escaped)
    for (const words of ['kelvin', 'long sentence', '\u017fentence'])
      for (const index of [[], ['--no-index']]) {
        const { out } = await agentfold(['search', words, '--json', ...index], { home: inFolder('signs') })
        expect(out.match(/"session":"s\d"/g)?.sort(), `${words} ${index}`).toEqual([
          '"session":"s4"',
          '"session":"s5"',
        ])
      }
  })

  it.skipIf(process.getuid?.() === 0)('names a session that it cannot read, and goes on', async () => {
    await file(join('shut', 's3.jsonl'), lines('s3', userMessage('kettle')))
    const agent = await file(
      join('shut', 's3', 'subagents', 'agent-a1.jsonl'),
      lines('s3', userMessage('kettle')),
    )
    await chmod(agent, 0)
    expect(await search('kettle', inFolder('shut'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('no permission'),
    })
  })
})

it.each([
  ['words', 'kettle '.repeat(6000).trim()],
  ['letters', `kettle ${'😀x'.repeat(9000)}`],
])('finds a text of many %s, and no text that ends otherwise', async (_, long) => {
  await file(
    join('long', 's.jsonl'),
    lines('s', userMessage(`Put on the\n${long.replaceAll(' ', '  ')} now.`)),
  )
  expect(await search(`${long} now`, inFolder('long'))).toMatchObject({ code: 0, err: '' })
  for (const other of [[`${long} tea`], ['now', '--input', `${long} now`]])
    expect(await search(...other.slice(0, 1), inFolder('long'), ...other.slice(1))).toMatchObject({
      code: 1,
      err: expect.stringContaining('no match'),
    })
})

describe('the part of a text that files are scanned for', () => {
  it.each([
    ['fix the tests', 'tests'],
    ['a/b"c', 'a'],
    ['日本', ''],
    ['naïve', 'na'],
  ])('of %j is %j', (wanted, part) => {
    const { rawPart, find } = searchPattern(wanted)
    expect(rawPart.length).toBe(part.length)
    expect(find(wanted)).toEqual({ start: 0, end: wanted.length })
  })
})

it.each([[], ['--no-index']])('--since leaves what was written before, %j', async (...options) => {
  const at = (day: string) => ({ timestamp: `2026-01-0${day}T00:00:00.000Z` })
  const folder = join('dated', '.claude', 'projects', '-srv-demo')
  await file(join(folder, 'old.jsonl'), lines('old', { ...userMessage('Old kettle.'), ...at('1') }))
  const messages = [userMessage('First kettle.'), modelAnswers('m1', 'Last kettle.')]
  const [first, last] = messages
  await file(join(folder, 'new.jsonl'), lines('new', { ...first, ...at('1') }, { ...last, ...at('5') }))
  const args = ['search', 'kettle', '--since', '2026-01-03', '--json', ...options]
  const { out } = await agentfold(args, { home: inFolder('dated') })
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).excerpt),
  ).toEqual(['Last kettle.'])
})
