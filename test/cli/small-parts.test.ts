import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { matchLine, sessionLine } from '../../src/cli/commands/search.ts'
import { FollowView } from '../../src/cli/follow/follow-view.ts'
import { choiceOf } from '../../src/cli/list/choice.ts'
import { reportIssues } from '../../src/cli/list/machine-index.ts'
import { tabbedLine } from '../../src/cli/list/summary-text.ts'
import { pick } from '../../src/cli/terminal/picker.ts'
import { hasColours, painter, withOptions } from '../../src/cli/terminal/style.ts'
import { allWidths } from '../../src/cli/terminal/wrap.ts'
import { walkConversation } from '../../src/core/selectors/walk.ts'
import {
  createInitialConversationState,
  type SessionConversationState,
  type SubagentState,
} from '../../src/entries/index.ts'
import { sessionPlaces } from '../../src/node/list/program-places.ts'
import { findMatches } from '../../src/node/search.ts'
import { searchPattern } from '../../src/node/search-pattern.ts'
import { agentfold } from './terminal.ts'

const initial = createInitialConversationState()
const quiet = { stdin: new PassThrough(), write: () => {}, writeError: () => {}, showsProgress: false }

describe('colours', () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ TERM: 'dumb' }, true, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: 'false' }, true, false],
    [{ FORCE_COLOR: '' }, true, true],
  ])('with %j on a terminal (%j): %j', (environment, isTerminal, expected) => {
    expect(hasColours(environment, isTerminal)).toBe(expected)
  })

  it.each([
    [undefined, true],
    ['auto', true],
    ['never', false],
    [false, false],
    ['always', true],
  ] as const)('with the option %j: %j', (color, expected) => {
    const options = () => (color === undefined ? {} : { color })
    expect(withOptions({ ...quiet, isStyled: true }, options).isStyled).toBe(expected)
    expect(withOptions({ ...quiet, isStyled: false }, options).isStyled).toBe(color === 'always')
  })
})

describe('a line about a session', () => {
  const session = { id: 's1', path: '/p', format: 'opencode' } as const
  const full = {
    ...session,
    title: 'Tea',
    cwd: '/srv/demo',
    model: 'm',
    agents: 2,
    tokens: { inputTokens: 1000, outputTokens: 234 },
    updatedAt: '2026-01-01T00:00:00.000Z',
  }

  it('has all known facts', () => {
    expect(tabbedLine(full)).toBe('s1\t2026-01-01T00:00:00.000Z\topencode\t/srv/demo\tm\t1234\t2\t\tTea')
    expect(tabbedLine(session)).toBe('s1\t\topencode\t\t\t\t\t\tSession s1')
    expect(tabbedLine({ ...session, firstPrompt: '<x>Brew</x> tea' })).toBe(
      's1\t\topencode\t\t\t\t\t\tBrew  tea'.replace('  ', ' '),
    )
    const place = { now: Date.parse('2026-01-01T00:00:10.000Z'), columns: 80 }
    expect(choiceOf({ ...full, costUsd: 0.5 }, place).description).toContain(' tokens · $0.5')
    expect(choiceOf(full, place).description).toBe('opencode · m · 1,234 tokens · 2 agents · /srv/demo · s1')
    // The list broke it in the middle of words.
    expect(choiceOf(full, { ...place, columns: 40 }).description.split('\n')).toEqual([
      'opencode · m · 1,234 tokens · 2 agents',
      '/srv/demo · s1',
    ])
    expect(choiceOf(session, place)).toEqual({
      value: '/p',
      name: `${' '.repeat(41)}Session s1`,
      description: 'opencode · s1',
    })
    const wide = { ...place, columns: 120 }
    expect(choiceOf({ ...full, costUsd: 162.7505, status: 'failed' }, wide).name).toBe(
      'just now    failed     $162.75  opencode     demo                Tea',
    )
    expect(choiceOf({ ...full, status: 'waiting' }, { ...place, columns: 60 }).name).toBe(
      'just now    asks you Tea',
    )
    expect(sessionLine(full, { paint: painter(false), columns: 40, now: place.now, widths: allWidths })).toBe(
      'Tea · just now · demo · s1',
    )
    expect(
      sessionLine(
        { ...session, title: 'long '.repeat(20) },
        { paint: painter(false), columns: 30, now: 0, widths: allWidths },
      ),
    ).toBe('long long long long long… · s1')
  })

  it('is an error line for what cannot be read', () => {
    const lines: string[] = []
    const report = reportIssues({ ...quiet, isStyled: false, writeError: (line) => lines.push(line) })
    report({ code: 'unreadable', path: '/a\n', reason: 'no' })
    expect(lines).toEqual(['agentfold: /a : no\n'])
  })

  it('names the places of this machine', () => {
    expect(sessionPlaces(undefined).join()).toMatch(/projects.*opencode/)
  })
})

describe('the picker', () => {
  const texts = { message: 'Sessions', noMatch: 'None of the 2 newest matches.', rows: 10 }
  const choices = ['one', 'two'].map((name) => ({ value: name, name, description: name }))
  const streams = () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    output.resume()
    return { input, output }
  }

  // Nothing but Ctrl-C left it, and nothing said so.
  it('returns nothing at Esc', async () => {
    const { input, output } = streams()
    const picked = pick(choices, texts, { input, output })
    for await (const chunk of output) if (String(chunk).includes('two')) break
    input.write('\u001b')
    expect(await picked).toBeUndefined()
  })

  it('returns the choice at Enter', async () => {
    const { input, output } = streams()
    const picked = pick(choices, texts, { input, output })
    for await (const chunk of output) if (String(chunk).includes('two')) break
    input.write('\r')
    expect(await picked).toBe('one')
  })

  // At 60×18 the first line scrolled out of view.
  it('fits a small terminal, with a message of two lines and a long description', async () => {
    const { input, output } = streams()
    const many = Array.from({ length: 30 }, (_, at) => ({
      ...{ value: `${at}`, name: `choice ${at}`, description: 'a\nb\nc' },
    }))
    const message = 'm'.repeat(70)
    const picked = pick(many, { ...texts, message, rows: 18, columns: 60 }, { input, output })
    let shown = ''
    output.on('data', (chunk) => {
      shown += chunk
    })
    await expect.poll(() => shown).toContain('choice 9')
    expect(shown).not.toContain('choice 10')
    input.write('\u0003')
    expect(await picked).toBeUndefined()
  })

  it('says that no entry matches', async () => {
    const { input, output } = streams()
    const picked = pick(choices, texts, { input, output })
    let shown = ''
    output.on('data', (chunk) => {
      shown += chunk
    })
    await expect.poll(() => shown).toContain('two')
    input.write('x')
    await expect.poll(() => shown).toContain(texts.noMatch)
    input.write('\u0003')
    expect(await picked).toBeUndefined()
  })

  it('asks for the further entries at the first typed word, and once', async () => {
    const { input, output } = streams()
    let count = 0
    const further = async () => {
      count += 1
      return [{ value: 'three', name: 'three', description: '' }]
    }
    const picked = pick(choices, { ...texts, further }, { input, output })
    let shown = ''
    output.on('data', (chunk) => {
      shown += chunk
    })
    await expect.poll(() => shown).toContain('two')
    expect(count).toBe(0)
    input.write('th')
    await expect.poll(() => shown).toContain('three')
    input.write('\r')
    expect(await picked).toBe('three')
    expect(count).toBe(1)
  })

  it('returns undefined at Ctrl-C, and throws other errors', async () => {
    const { input, output } = streams()
    const picked = pick(choices, texts, { input, output })
    input.write('\u0003')
    expect(await picked).toBeUndefined()
    const stopped = pick(choices, texts, { ...streams(), signal: AbortSignal.abort() })
    await expect(stopped).rejects.toThrow('aborted')
  })
})

describe('a match', () => {
  const block = (content: object) =>
    ({ id: 'b', conversationId: 'main', status: 'complete', ...content }) as never
  const kindsOf = (blocks: readonly object[], wanted = 'tea') =>
    [
      ...findMatches(
        { title: undefined, state: { ...initial, blocks: blocks.map(block) } },
        searchPattern(wanted),
      ),
    ].map(({ kind }) => kind)

  it('has the kind of its block', () => {
    expect(
      kindsOf([
        { type: 'user_message', content: 'tea', origin: 'meta' },
        { type: 'tool_use', toolName: 'Tea', input: {}, toolUseId: 't' },
        { type: 'tool_result', output: [{ text: 'tea' }], toolUseId: 't' },
        { type: 'request', title: 'tea?' },
        { type: 'subagent', name: 'tea', input: '' },
        { type: 'error', message: 'no tea' },
        { type: 'system', subtype: 'x', message: 'tea' },
      ]),
    ).toEqual(['note', 'tool', 'output', 'tool', 'agent', 'error'])
  })

  it('is not searched for in values that are nested very deep', () => {
    let input: unknown = 'tea'
    for (let depth = 0; depth < 10; depth += 1) input = [input]
    expect(kindsOf([{ type: 'tool_use', toolName: 'X', input, toolUseId: 't' }])).toEqual([])
  })

  it('is a line with its agent, and keeps to the width', () => {
    const subagents: readonly SubagentState[] = ['brewer', undefined].map((name, at) => ({
      toolUseId: `a${at}`,
      status: 'success',
      usage: [],
      ...(name && { name }),
      blocks: [block({ type: 'assistant_text', content: `${'word '.repeat(30)}tea${' more'.repeat(60)}` })],
    }))
    const matches = [...findMatches({ title: 'x', state: { ...initial, subagents } }, searchPattern('tea'))]
    const lines = matches.map((match) =>
      matchLine(match, { paint: painter(false), columns: 60, widths: allWidths }),
    )
    expect(lines[0]).toMatch(/^ {2}brewer answer: ….*tea more.*…$/)
    expect(lines[1]).toMatch(/^ {2}a1 answer: /)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60)
    const named = [...findMatches({ title: 'x', state: { ...initial, subagents } }, searchPattern('brewer'))]
    expect(named).toMatchObject([{ kind: 'agent', conversationId: 'a0' }])
  })
})

describe('a followed agent', () => {
  const agent = (status: SubagentState['status'], more: Partial<SubagentState> = {}): SubagentState => ({
    toolUseId: 'a1',
    status,
    blocks: [],
    usage: [],
    ...more,
  })
  const stateOf = (
    subagent: SubagentState,
    more: Partial<SessionConversationState> = {},
  ): SessionConversationState => ({ ...initial, ...more, subagents: [subagent] })
  const view = () => new FollowView({ columns: 60, isStyled: false, isFull: false, redact: (text) => text })

  it('ends once for each run, with its output', () => {
    const follow = view()
    follow.lines(stateOf(agent('running')))
    expect(
      follow.lines(stateOf(agent('success', { output: 'Soup.', durationMs: 2000 }))).join('\n'),
    ).toContain('Agent:\n│ Soup.\n\n◇ Agent · done · 2.0 s')
    expect(follow.lines(stateOf(agent('success')))).toEqual([])
    follow.lines(stateOf(agent('running')))
    expect(follow.lines(stateOf(agent('error', { name: 'cook' }))).join('\n')).toContain(
      '◇ Agent cook · failed',
    )
  })

  it('may be below itself in the data, and below an agent that is not known', () => {
    for (const parentConversationId of ['a1', 'gone', 'main']) {
      const follow = view()
      follow.lines(stateOf(agent('running')))
      expect(follow.lines(stateOf(agent('success', { parentConversationId }))).join('')).toContain('◇ Agent')
    }
  })

  it('does not print an abandoned branch again', () => {
    const follow = view()
    const text = (id: string, content: string) =>
      ({ id, conversationId: 'main', status: 'complete', type: 'assistant_text', content }) as const
    const branches = [{ id: 'r', blocks: [text('b1', 'Old.')] }]
    follow.lines({ ...initial, blocks: [text('b1', 'Old.')] })
    for (const at of [2, 3]) {
      const blocks = [2, 3].filter((each) => each <= at).map((each) => text(`b${each}`, `New ${each}.`))
      expect(follow.lines({ ...initial, blocks, branches }).join('\n')).toBe(`\nNew ${at}.`)
    }
  })
})

it('refuses to walk through a conversation that the state does not have', () => {
  expect(() => [...walkConversation(initial, 'none')]).toThrow(
    new RangeError('the state has no conversation "none"'),
  )
})

it('takes a name without a dot or a slash as a path if it exists', async () => {
  expect(await agentfold(['show', 'src'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('src: no session in the folder'),
  })
})
