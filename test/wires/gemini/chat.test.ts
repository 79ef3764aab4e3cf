import { describe, expect, it } from 'vitest'
import { geminiSource } from '../../../src/entries/gemini.ts'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import { open, read } from './recordings.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns a time in the session, by its second. */
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

const header = (sessionId = 's', more: Fields = {}) => ({
  sessionId,
  projectHash: 'p',
  startTime: at(0),
  kind: 'main',
  ...more,
})
const prompt = (second: number, text: string, id = `p${second}`) => ({
  id,
  timestamp: at(second),
  type: 'user',
  content: [{ text }],
})
const reply = (second: number, content: string, more: Fields = {}) => ({
  id: `g${second}`,
  timestamp: at(second),
  type: 'gemini',
  content,
  ...more,
})
const note = (second: number, type: string, content: string) => ({
  id: `n${second}`,
  timestamp: at(second),
  type,
  content,
})
const call = (id: string, name: string, args: Fields, output: string, more: Fields = {}) => ({
  id,
  name,
  args,
  status: 'success',
  result: [{ functionResponse: { id, name, response: { output } } }],
  timestamp: at(9),
  ...more,
})
const history = (second: number, ...messages: readonly unknown[]) => ({
  $set: { messages, lastUpdated: at(second) },
})
const context = { text: '<session_context>\nThis is the Gemini CLI.' }

const shown = ({ blocks }: Pick<SessionConversationState, 'blocks'>): readonly unknown[] =>
  blocks.map((block) => {
    if ('content' in block) return block.content
    return block.type === 'system' || block.type === 'error' ? block.message : block.type
  })

describe('an image that a tool has read', () => {
  const image = { inlineData: { mimeType: 'image/png', data: 'AAAA' } }
  const result = [{ functionResponse: { id: 'c', name: 'read_file', response: { output: 'Read.' } } }, image]
  const output = [
    { type: 'text', text: 'Read.' },
    { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } },
  ]
  const message = { id: 'r', timestamp: at(3), type: 'user', content: result }

  it.each([
    ['the call', { result }],
    ['a message alone', { result: undefined, status: 'executing' }],
  ])('is in the result of its call, and no prompt, if %s has it', (_, fields) => {
    const toolCalls = [call('c', 'read_file', { file_path: 'a.png' }, '', fields)]
    const { blocks } = open([header(), prompt(1, 'Look.'), reply(2, '', { toolCalls }), message])
    expect(blocks.map(({ type }) => type)).toEqual(['user_message', 'tool_use', 'tool_result'])
    expect(blocks.at(-1)).toMatchObject({ output })
  })
})

describe('a turn', () => {
  it('runs until the answer, and has ended with it at the end of the input', () => {
    expect(open([header(), prompt(1, 'Go.')]).turn.status).toBe('running')
    const lines = [header(), prompt(1, 'Go.'), reply(2, 'Done.')]
    expect(read(lines).turn).toMatchObject({ status: 'finished', endedAt: at(2) })
    expect(read(lines.slice(0, 2)).turn.status).toBe('interrupted')
  })

  it('that the person cancels is interrupted', () => {
    const { turn, blocks } = open([header(), prompt(1, 'Go.'), note(2, 'info', 'Request cancelled.')])
    expect(turn).toMatchObject({ status: 'interrupted', endedAt: at(2) })
    expect(blocks.at(-1)).toMatchObject({ type: 'system', subtype: 'interruption' })
  })

  it('that an error ends has failed', () => {
    const { turn } = open([header(), prompt(1, 'Go.'), note(2, 'error', '[API Error: no quota]')])
    expect(turn).toMatchObject({ status: 'failed', error: '[API Error: no quota]' })
  })
})

describe('a history that is written again', () => {
  const first = [header(), prompt(1, 'Go.'), reply(2, 'Done.')]

  it('adds nothing, whatever its ids are', () => {
    const parts = (id: string, type: string, ...content: readonly unknown[]) => ({
      id,
      timestamp: at(4),
      type,
      content,
    })
    const again = [
      parts('x1', 'user', context, { text: 'Go.' }),
      parts('x2', 'gemini', { text: 'Done.' }),
      history(4, parts('x1', 'user', context, { text: 'Go.' }), parts('x2', 'gemini', { text: 'Done.' })),
    ]
    const state = open([...first, ...again])
    expect(state.blocks).toEqual(open(first).blocks)
    const { session } = geminiSource.read(geminiSource.open(), [...first, ...again])
    const next = geminiSource.read(session, [prompt(5, 'Go.'), reply(6, 'Again.')])
    expect(shown(next.session.state)).toEqual(['Go.', 'Done.', 'Go.', 'Again.'])
  })

  it('drops a turn whose prompt it lacks, also if the state alone is there', () => {
    const lines = [header(), prompt(1, 'Go.'), reply(2, 'Done.'), prompt(3, 'Stop.')]
    const { state } = geminiSource.read(geminiSource.open(), lines).session
    const next = (...messages: readonly unknown[]) =>
      geminiSource.read(geminiSource.open(state), [history(4, ...messages)]).session.state.turn.status
    expect(next(prompt(1, 'Go.', 'x'))).toBe('interrupted')
    expect(next(prompt(1, 'Go.', 'x'), prompt(3, 'Stop.', 'y'))).toBe('running')
  })

  it('is read if there is nothing else', () => {
    expect(shown(read([header(), history(3, prompt(1, 'Go.'), reply(2, 'Done.'))]))).toEqual(['Go.', 'Done.'])
  })
})

it('a rewind to an unknown message is an issue', () => {
  const { issues } = geminiSource.read(geminiSource.open(), [header(), { $rewindTo: 'gone' }])
  expect(issues).toMatchObject([{ code: 'unplaced-message' }])
})

describe('a message that the person has not typed', () => {
  it.each([
    ['I ran the following shell command:\n```sh\nls\n```', 'command'],
    ['System: Please continue.', 'meta'],
    ['<hook_context>x</hook_context>', 'meta'],
  ])('has its origin: %s', (text, origin) => {
    expect(read([header(), prompt(1, text)]).blocks[0]).toMatchObject({ content: text, origin })
  })

  it('has the words that the person typed, without the files that it names', () => {
    const line = {
      ...prompt(1, ''),
      content: [{ text: '@a.md' }, { text: '--- a.md' }],
      displayContent: '@a.md',
    }
    expect(shown(read([header(), line]))).toEqual(['@a.md'])
  })
})

describe('a call', () => {
  it('that the person refused has its request', () => {
    const response = { error: 'User denied execution.' }
    const refused = call('c', 'run_shell_command', { command: 'rm x' }, '', {
      status: 'cancelled',
      result: [{ functionResponse: { id: 'c', response } }],
    })
    const { blocks } = read([header(), prompt(1, 'Go.'), reply(2, '', { toolCalls: [refused] })])
    expect(blocks.find(({ type }) => type === 'request')).toMatchObject({ kind: 'permission', denied: true })
  })

  it('that asks several things has all answers, and was refused if it failed', () => {
    const questions = [
      { question: 'Which?', options: [{ label: 'a' }], multiSelect: true },
      { question: 'When?', options: [] },
    ]
    const asked = (output: string, more: Fields = {}) =>
      read([
        header(),
        prompt(1, 'Go.'),
        reply(2, '', { toolCalls: [call('c', 'ask_user', { questions }, output, more)] }),
      ]).blocks.find(({ type }) => type === 'request')
    expect(asked('{"answers":{"0":"a, b"}}')).toMatchObject({ answer: [['a', 'b'], []] })
    expect(asked('', { status: 'error' })).toMatchObject({ denied: true })
  })

  it('that writes the plan gives the todos, unless it failed', () => {
    const todos = [{ description: 'Sow.', status: 'in_progress' }]
    const written = (status: string) =>
      read([
        header(),
        prompt(1, 'Go.'),
        reply(2, '', { toolCalls: [call('c', 'write_todos', { todos }, 'ok', { status })] }),
      ])
    expect(written('success').todos).toEqual([{ text: 'Sow.', status: 'in_progress' }])
    expect(written('error').todos).toBeUndefined()
  })
})

describe('an agent', () => {
  const task = { agent_name: 'generalist', prompt: 'Look.' }
  const head = [header(), prompt(1, 'Use an agent.')]

  // Before 0.39, each agent is a tool, as in a recording of 0.34.
  it.each([
    ['generalist', 'request'],
    ['codebase_investigator', 'objective'],
    ['cli_help', 'question'],
    ['introspection_agent', 'question'],
  ])('is the tool %s of an earlier version', (name, field) => {
    const words = 'Termination Reason: GOAL\nResult:\n{\n  "response": "Seen."\n}'
    const output = `Subagent '${name}' finished.\n${words}`
    const calls = [call('c', name, { [field]: 'Look.' }, output)]
    const ended = { toolUseId: 'c', name, prompt: 'Look.', status: 'success', output: 'Seen.' }
    expect(read([...head, reply(2, '', { toolCalls: calls })]).subagents).toMatchObject([ended])
  })

  it('that failed says so, though its call succeeds', () => {
    const output = "Subagent 'generalist' failed. Error: it ran out of turns."
    const { subagents } = read([
      ...head,
      reply(2, '', { toolCalls: [call('c', 'invoke_agent', task, output)] }),
    ])
    expect(subagents).toMatchObject([{ status: 'error' }])
  })
})

describe('the stream', () => {
  const line = (second: number, type: string, more: Fields) => ({ type, timestamp: at(second), ...more })
  const init = (second = 0) => line(second, 'init', { session_id: 's', model: 'gemini-2.5-pro' })
  const said = (second: number, role: string, content: string) =>
    line(second, 'message', { role, content, ...(role === 'assistant' && { delta: true }) })
  const begin = [init(), said(1, 'user', 'Go.'), said(2, 'assistant', 'I '), said(3, 'assistant', 'go.')]
  const end = (second: number, more: Fields = {}) =>
    line(second, 'result', { status: 'success', stats: { total_tokens: 1 }, ...more })

  it('says how a turn failed or was stopped', () => {
    const failed = end(4, { status: 'error', error: { type: 'Error', message: 'No quota.' } })
    expect(open([...begin, failed]).turn).toMatchObject({ status: 'failed', error: 'No quota.' })
    const stopped = end(4, {
      status: 'error',
      error: { type: 'FatalCancellationError', message: 'Stopped.' },
    })
    expect(open([...begin, stopped]).turn.status).toBe('interrupted')
  })

  it('of a process that is gone is interrupted by the next one', () => {
    expect(open([...begin, init(9)]).turn.status).toBe('interrupted')
    const later = [init(9), said(10, 'user', 'Go.'), said(11, 'assistant', 'Gone.'), end(12)]
    expect(shown(read([...begin, ...later]))).toEqual(['Go.', 'I go.', 'Go.', 'Gone.'])
  })

  it('shows two notes of one time, each once', () => {
    const warnings = ['Loop detected.', 'Slow.'].map((message) =>
      line(4, 'error', { severity: 'warning', message }),
    )
    expect(shown(read([...begin, ...warnings, ...warnings])).slice(2)).toEqual(['Loop detected.', 'Slow.'])
  })

  it('keeps the text that streams if lines from before it come again', () => {
    const { state } = geminiSource.read(geminiSource.open(), begin.slice(0, 3)).session
    const again = geminiSource.read(geminiSource.open(state), begin.slice(1)).session
    expect(again.state.blocks).toEqual(open(begin).blocks)
  })

  it('keeps short pieces of one millisecond, of which the first come again', () => {
    const pieces = ['a ', 'a ', 'b '].map((text) => said(2, 'assistant', text))
    const start = [init(), said(1, 'user', 'Go.')]
    const again = [...start, ...pieces.slice(0, 2)]
    const state = open([...again, ...again, ...pieces.slice(2), said(2, 'assistant', 'a ')])
    expect(shown(state)).toEqual(['Go.', 'a a b a '])
    const calls = ['x', 'y'].map((id) => line(2, 'tool_use', { tool_name: 'ls', tool_id: id }))
    expect(open([...start, ...calls, init(), ...start, ...calls]).blocks).toHaveLength(3)
  })

  it('has an error without a time at the last place, and no end from before it', () => {
    const warning = { type: 'error', severity: 'warning', message: 'Slow.' }
    expect(shown(open([...begin, warning])).at(-1)).toBe('Slow.')
    expect(open([...begin, end(2)]).turn.status).toBe('running')
  })

  it('ends an agent whose call has failed', () => {
    const use = line(4, 'tool_use', {
      tool_name: 'invoke_agent',
      tool_id: 'invoke_agent__1',
      parameters: { agent_name: 'generalist', prompt: 'Look.' },
    })
    const result = line(5, 'tool_result', {
      tool_id: 'invoke_agent__1',
      status: 'error',
      error: { message: 'No.' },
    })
    expect(open([...begin, use, result]).subagents).toMatchObject([{ status: 'error' }])
  })

  it('goes on with a chat that was read before', () => {
    const chat = [header(), prompt(1, 'Go.'), reply(3, 'I go.')]
    expect(shown(read([...chat, ...begin, end(4)]))).toEqual(['Go.', 'I go.'])
  })
})

describe('another session', () => {
  const init = (session_id: string) => ({ type: 'init', timestamp: at(5), session_id, model: 'm' })
  const words = (role: string, content: string) => ({ type: 'message', timestamp: at(6), role, content })

  it.each([
    ['a file', [header('other'), prompt(5, 'Hide.'), reply(6, 'Hidden.')], header()],
    ['a stream', [init('other'), words('user', 'Hide.'), words('assistant', 'Hidden.')], init('s')],
  ])('in %s adds nothing, until this one goes on', (_, lines, next) => {
    const first = [header(), prompt(1, 'Go.'), reply(2, 'Done.')]
    const { session, issues } = geminiSource.read(geminiSource.open(), [...first, ...lines])
    expect(shown(session.state)).toEqual(['Go.', 'Done.'])
    expect(issues.map(({ code }) => code)).toEqual(['other-session', 'other-session', 'other-session'])
    const on = geminiSource.read(session, [next, prompt(7, 'On.')]).session
    expect(shown(on.state)).toEqual(['Go.', 'Done.', 'On.'])
  })
})

it('counts unknown messages', () => {
  const lines = [header(), { type: 'new', id: 1 }, { type: 'new', id: 2 }, [], 7]
  const { issues } = geminiSource.read(geminiSource.open(), lines)
  expect(issues.every(({ code }) => code === 'unknown-message')).toBe(true)
  expect(issues).not.toEqual([])
  expect(open(lines).blocks).toEqual([])
})

// A long output makes the program write the history again, in the words for the model and under other ids.
it('knows a history that is written again, also from a state in its middle', () => {
  const forModel = (second: number, text: string) => reply(second, '', { content: [{ text }] })
  const [first, second] = ['The first answer of all.', 'The second answer of all.']
  const lines = [
    header(),
    prompt(1, 'One.'),
    reply(2, first),
    prompt(3, 'Two.'),
    reply(4, second),
    { ...prompt(5, ''), content: [context, { text: 'One.' }] },
    forModel(6, first),
    prompt(7, 'Two.'),
    forModel(8, second),
    history(9),
  ]
  for (const cut of [...lines.keys()].filter((place) => place !== 8)) {
    const { state } = geminiSource.read(geminiSource.open(), lines.slice(0, cut)).session
    const joined = geminiSource.read(geminiSource.open(state), lines.slice(cut)).session.state
    expect([cut, shown(joined)]).toEqual([cut, ['One.', first, 'Two.', second]])
  }
})
