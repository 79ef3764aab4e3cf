import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Architecture,
  decodeLines,
  endLines,
  findConversation,
  findSubagent,
  foldSessionEvents,
  initialLines,
  parseSessionEvent,
  parseTranscript,
  readTranscript,
} from '../../src/index.ts'
import { claudeSource } from '../../src/sources/claude/source.ts'
import * as opencode from '../sources/opencode/recordings.ts'
import * as claude from '../sources/recordings.ts'
import { doublyCyclic, shared } from './values.ts'

/** A line of Claude Code, and what it says. */
const good = JSON.stringify({
  type: 'user',
  sessionId: 's',
  uuid: 'good',
  message: { role: 'user', content: 'good' },
})
const said = (raw: string) =>
  parseTranscript('claude-sdk', raw).blocks.map((block) => 'content' in block && block.content)
const deep = (depth: number, leaf = '1') => `${'['.repeat(depth)}${leaf}${']'.repeat(depth)}`

// Each of these took time with the square of its length, which is minutes here.
describe('a pattern over a text of any length is found, or not, in one pass', () => {
  const LONG = 4_000_000

  it('the folder of a skill', () => {
    const content = `Base directory for this skill: ${'a'.repeat(LONG)}`
    expect(
      said(JSON.stringify({ type: 'user', sessionId: 's', isMeta: true, message: { content } })),
    ).toEqual([content])
  })

  it('the report of an agent', () => {
    const call = { type: 'tool_use', id: 't', name: 'Task', input: { prompt: 'Go.' } }
    const result = {
      type: 'tool_result',
      tool_use_id: 't',
      content: '[Subagent hand-back]\n'.repeat(LONG / 20),
    }
    const state = parseTranscript(
      'claude-sdk',
      [
        JSON.stringify({ type: 'assistant', session_id: 's', message: { id: 'm', content: [call] } }),
        JSON.stringify({ type: 'user', session_id: 's', message: { content: [result] } }),
      ].join('\n'),
    )
    expect(findSubagent(state, 't')).toMatchObject({ status: 'success' })
  })

  it('the name of a model', () => {
    const model = '['.repeat(LONG)
    const { session } = parseTranscript(
      'claude-sdk',
      JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', model }),
    )
    expect(session.model).toBe(model)
  })
})

describe('what waits in an input may have the next wait for it', () => {
  // Calls within calls overflowed the stack.
  it('agents of Claude Code that name each other', () => {
    const count = 5_000
    const ofAgent = (at: number) =>
      JSON.stringify({
        type: 'user',
        sessionId: 's',
        isSidechain: true,
        agentId: `a${at}`,
        uuid: `u${at}`,
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: `t${at + 1}`, content: 'done' }],
        },
        toolUseResult: { agentId: `a${at + 1}`, status: 'completed' },
      })
    const last = JSON.stringify({
      type: 'user',
      sessionId: 's',
      uuid: 'last',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't0', content: 'done' }] },
      toolUseResult: { agentId: 'a0', status: 'completed' },
    })
    const lines = Array.from({ length: count }, (_, at) => ofAgent(at))
    const { subagents } = parseTranscript('claude-sdk', [...lines, last].join('\n'))
    expect(subagents).toHaveLength(count + 1)
  })

  it('sessions of OpenCode that name each other', () => {
    const count = 1_500
    const call = (at: number) => ({
      id: `p${at}`,
      sessionID: `s${at}`,
      messageID: `m${at}`,
      type: 'tool',
      tool: 'task',
      callID: `c${at}`,
      state: { status: 'running', input: { prompt: 'Go.' }, metadata: { sessionId: `s${at + 1}` } },
    })
    const lines = Array.from({ length: count }, (_, at) =>
      JSON.stringify({ type: 'message.part.updated', properties: { part: call(at) } }),
    )
    expect(parseTranscript('opencode', lines.join('\n')).subagents).toHaveLength(count)
  })
})

it('a message may have 50,000 blocks', () => {
  const content = Array.from({ length: 50_000 }, (_, at) => ({ type: 'text', text: `${at}` }))
  const state = parseTranscript(
    'claude-sdk',
    JSON.stringify({ type: 'assistant', session_id: 's', message: { id: 'm', content } }),
  )
  expect(state.blocks).toHaveLength(50_000)
  expect(state.blocks.at(-1)).toMatchObject({ id: 'm:49999', content: '49999' })
})

describe('values that are nested too deep', () => {
  it.each(['hookErrors', 'content', 'message', 'tools', 'tea'])(
    'are cut where they stand in `%s`',
    (name) => {
      const line = `{"type":"system","subtype":"stop_hook_summary","sessionId":"s","preventedContinuation":true,"${name}":${deep(100_000)}}`
      const { events, issues } = readTranscript(
        'claude-sdk',
        [good, line, good.replace('good', 'after')].join('\n'),
      )
      expect(issues).toContainEqual({ code: 'too-deep', count: 1, line: 2 })
      expect(() => JSON.stringify(events)).not.toThrow()
      const again = good.replaceAll('good', 'again')
      expect(said([good, line, again].join('\n'))).toEqual(expect.arrayContaining(['good', 'again']))
    },
  )

  it('are cut at once where parts stand in many places', () => {
    for (const tea of [doublyCyclic(), shared(300)]) {
      const { issues, events } = claudeSource.translate(claudeSource.initial, { ...JSON.parse(good), tea })
      expect(issues).toEqual([{ code: 'too-deep', count: 1 }])
      expect(events.at(-1)).toMatchObject({ block: { content: 'good' } })
    }
  })

  it('leave a tool call with the rest of its input', () => {
    const input = `{"command":"ls","deep":${deep(100_000)},"after":1}`
    const line = `{"type":"assistant","session_id":"s","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":${input}}]}}`
    const [block] = parseTranscript('claude-sdk', line).blocks
    expect(block).toMatchObject({ type: 'tool_use', input: { command: 'ls', after: 1 } })
    expect(JSON.stringify(block)).toContain('[nested too deep]')
  })

  /** The JSON with one of its objects or lists being nested so deep. */
  function deepened(text: string, place: number): string {
    const places = [...text.matchAll(/[{[]/g)].length
    let count = 0
    return JSON.stringify(JSON.parse(text), (_, part: unknown) => {
      if (typeof part !== 'object' || part === null) return part
      count += 1
      return count - 1 === place % places ? JSON.parse(deep(1_000, JSON.stringify(part))) : part
    })
  }

  const inputs: readonly (readonly [Architecture, readonly string[]])[] = [
    ...claude.recordings.flatMap(({ stream, disk }) => [
      ['claude-sdk', stream.trim().split('\n')] as const,
      ['claude-sdk', disk.main.trim().split('\n')] as const,
    ]),
    ...opencode.recordings.map(({ events }) => ['opencode', events.trim().split('\n')] as const),
  ]

  it('give valid events, wherever they stand in a recording', () => {
    fc.assert(
      fc.property(fc.constantFrom(...inputs), fc.nat(), fc.nat(), ([architecture, lines], which, place) => {
        const at = which % lines.length
        const raw = lines.with(at, deepened(lines[at] ?? '', place)).join('\n')
        for (const event of readTranscript(architecture, raw).events)
          expect(parseSessionEvent(event)).toEqual({ ok: true, event })
      }),
      { numRuns: 200 },
    )
  })
})

it('numbers that no float holds leave an agent with its report', () => {
  const call = { type: 'tool_use', id: 't', name: 'Task', input: { prompt: 'Go.' } }
  const content = `Report.\nduration_ms: ${'9'.repeat(400)}`
  const { events } = readTranscript(
    'claude-sdk',
    [
      JSON.stringify({ type: 'assistant', session_id: 's', message: { id: 'm', content: [call] } }),
      JSON.stringify({
        type: 'user',
        session_id: 's',
        message: { content: [{ type: 'tool_result', tool_use_id: 't', content }] },
      }),
    ].join('\n'),
  )
  expect(events.at(-1)).toMatchObject({ type: 'subagent:completed', output: content })
  expect(events.at(-1)).not.toHaveProperty('durationMs')
})

it('figures whose sum no float holds leave the other figures', () => {
  const tokens = { input: 3, output: 1e308, reasoning: 1e308, cache: { read: 0, write: 0 } }
  const info = { id: 'm', sessionID: 's', role: 'assistant', tokens, time: { created: 1, completed: 2 } }
  const raw = [
    JSON.stringify({ type: 'session.created', properties: { sessionID: 's', info: { id: 's' } } }),
    JSON.stringify({ type: 'message.updated', properties: { sessionID: 's', info } }),
  ].join('\n')
  expect(parseTranscript('opencode', raw).usage).toMatchObject([{ inputTokens: 3 }])
})

describe('bytes and texts of any size and kind', () => {
  it('a text of 50 MB stays whole', () => {
    const content = 'x'.repeat(50_000_000)
    expect(said(good.replace('"good"}', `${JSON.stringify(content)}}`))).toEqual([content])
  })

  it('a line that is longer than a string can be is an issue, and what comes before and after it is read', () => {
    const chunk = new Uint8Array(2 ** 27).fill(0x78)
    let memory = initialLines
    const messages: unknown[] = []
    const codes: unknown[] = []
    for (const part of [`${good}\n`, chunk, chunk, chunk, chunk, chunk, `\n${good}\n`]) {
      const decoded = decodeLines(memory, part)
      memory = decoded.memory
      messages.push(...decoded.lines)
      codes.push(...decoded.issues)
    }
    expect(messages).toMatchObject([{ line: 1 }, { line: 3 }])
    expect(codes).toEqual([{ code: 'malformed-line', count: 1, line: 2 }])
    expect(endLines(memory).lines).toEqual([])
  })

  it('a chunk that is longer than a string can be is read piece by piece', () => {
    const chunk = new Uint8Array(600_000_000).fill(0x20)
    chunk.set(new TextEncoder().encode(`${good}\n`))
    const { lines, memory } = decodeLines(initialLines, chunk)
    expect(lines).toHaveLength(1)
    expect(endLines(memory).issues).toEqual([{ code: 'malformed-line', count: 1, line: 2 }])
  })

  it.each([
    ['a view of another kind', new DataView(new ArrayBuffer(8))],
    ['longer numbers', new Uint16Array(8)],
    ['nothing', undefined],
  ])('a chunk that is neither text nor bytes is refused: %s', (_, chunk) => {
    expect(() => Reflect.apply(decodeLines, undefined, [initialLines, chunk])).toThrow(TypeError)
  })

  it('a chunk whose bytes its owner fills anew has been read', () => {
    const buffer = Buffer.from('"\u00e9"\n').subarray(0, 2)
    const { memory } = decodeLines(initialLines, buffer)
    buffer.fill(0x41)
    expect(decodeLines(memory, Buffer.from([0xa9, 0x22, 0x0a])).lines).toEqual([
      { line: 1, message: '\u00e9' },
    ])
  })

  it.each([
    ['carriage returns alone', '\r'],
    ['carriage returns and newlines', '\r\n'],
    ['blank lines with NUL bytes between', '\n\0\n'],
    ['a broken line between', '\n{"type":\n'],
  ])('lines with %s', (_, end) => {
    const raw = [good, good.replaceAll('good', 'other')].join(end) + end
    expect(said(raw)).toEqual(['good', 'other'])
    const { lines, memory } = decodeLines(initialLines, new TextEncoder().encode(raw))
    expect([...lines, ...endLines(memory).lines]).toHaveLength(2)
  })

  it('a byte order mark, before JSON and before the data of an event', () => {
    expect(said(`\uFEFF${good}`)).toEqual(['good'])
    expect(said(`\uFEFFdata: ${good}`)).toEqual(['good'])
  })

  it('invalid UTF-8 and lone surrogates are characters, and the line stands', () => {
    const [before = '', after = ''] = good.split('"good"}')
    const bytes = [
      ...new TextEncoder().encode(`${before}"`),
      0xff,
      0xc3,
      ...new TextEncoder().encode(`"}${after}\n`),
    ]
    const { lines } = decodeLines(initialLines, Uint8Array.from(bytes))
    const { events } = claudeSource.translate(claudeSource.initial, lines[0]?.message)
    expect(
      foldSessionEvents({ blocks: [], usage: [], subagents: [], session: {} }, events).state.blocks,
    ).toMatchObject([{ content: '\ufffd\ufffd' }])
    expect(said(good.replace('"good"}', '"\\ud800"}'))).toEqual(['\ud800'])
  })

  it('a million lines', () => {
    const lines = '{"type":"keep_alive"}\n'.repeat(1_000_000)
    expect(decodeLines(initialLines, lines).lines).toHaveLength(1_000_000)
    expect(said(`${lines}${good}`)).toEqual(['good'])
  })
})

describe.each(['__proto__', 'constructor', 'toString', '', 'x'.repeat(1_000_000)])(
  'an id like %.20s',
  (id) => {
    it('is an id like others of Claude Code: of a message, a call, an agent, a session', () => {
      const call = { type: 'tool_use', id, name: 'Task', input: { prompt: 'Go.' } }
      const raw = [
        { type: 'system', subtype: 'init', session_id: id },
        {
          type: 'assistant',
          session_id: id,
          uuid: id,
          message: { id, content: [{ type: 'text', text: 'Hi.' }, call] },
        },
        {
          type: 'assistant',
          session_id: id,
          parent_tool_use_id: id,
          message: { id, content: [{ type: 'text', text: 'Yo.' }] },
        },
        {
          type: 'user',
          session_id: id,
          message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'Done.' }] },
        },
      ]
      const state = parseTranscript('claude-sdk', raw.map((line) => JSON.stringify(line)).join('\n'))
      expect(state.session.id).toBe(id)
      expect(state.blocks[0]).toMatchObject({ id: `${id}:0`, content: 'Hi.' })
      expect(findConversation(state, id)).toMatchObject({ toolUseId: id, status: 'success', output: 'Yo.' })
    })

    it('is an id like others of OpenCode', () => {
      const part = { id, sessionID: id, messageID: id, type: 'text', text: 'Hi.', time: { start: 1, end: 2 } }
      const raw = [
        { type: 'session.created', properties: { sessionID: id, info: { id } } },
        {
          type: 'message.updated',
          properties: { sessionID: id, info: { id, sessionID: id, role: 'assistant' } },
        },
        { type: 'message.part.updated', properties: { sessionID: id, part } },
      ]
      const state = parseTranscript('opencode', raw.map((line) => JSON.stringify(line)).join('\n'))
      expect(state.blocks).toMatchObject([{ id, content: 'Hi.' }])
    })
  },
)

it('no prototype has been changed', () => {
  for (const { prototype } of [Object, Array, Map, Function]) expect(Object.keys(prototype)).toEqual([])
})
