import { describe, expect, it } from 'vitest'
import type { StepWire } from '../../../src/programs/program.ts'
import { isStepWire } from '../../../src/wires/step-sources.ts'
import { PROGRAMS, type Program } from '../../hostile/programs.ts'
import { deepJson } from '../../hostile/values.ts'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'

const { file } = temporaryFolder()

const GOOD = 'still here'
const goodLine = ({ line }: Program) => line('good', JSON.stringify(GOOD))

/** A line of an agent that no call has started. */
const ofAgent =
  ({ line }: Program) =>
  (agentId: string): string =>
    JSON.stringify({ ...JSON.parse(line(agentId, '"a"').split('\n')[0] ?? ''), agentId })

/** A session of OpenCode, or an agent of Claude Code, with one message. */
const MEMBERS: Readonly<
  Record<Exclude<Program['architecture'], StepWire>, (id: string, parent: string) => string>
> = {
  'claude-sdk': (id, parent) =>
    JSON.stringify({
      type: 'assistant',
      session_id: 's',
      uuid: `u${id}`,
      parent_tool_use_id: parent,
      message: { id: `m${id}`, content: [{ type: 'tool_use', id, name: 'Task', input: { prompt: 'Go.' } }] },
    }),
  opencode: (id, parentID) =>
    [
      { type: 'session.created', properties: { sessionID: id, info: { id, parentID } } },
      {
        type: 'message.updated',
        properties: { sessionID: id, info: { id: `m${id}`, sessionID: id, role: 'assistant' } },
      },
    ]
      .map((each) => JSON.stringify(each))
      .join('\n'),
  codex: (id, parent_thread_id) =>
    JSON.stringify({ type: 'session_meta', payload: { id, parent_thread_id } }),
  pi: (id, agentId) =>
    JSON.stringify({
      type: 'message',
      agentId,
      message: {
        role: 'assistant',
        responseId: `m${id}`,
        content: [{ type: 'toolCall', id, name: 'subagent', arguments: { agent: 'a', task: 'Go.' } }],
      },
    }),
  kimi: (subagentId, parentAgentId) => {
    const call = { parentToolCallId: `c${subagentId}`, parentAgentId }
    return JSON.stringify({ type: 'subagent.spawned', time: 1, agentId: parentAgentId, subagentId, ...call })
  },
  acp: (sessionId, parent) =>
    JSON.stringify({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: parent, update: { sessionUpdate: 'subagent_update', sessionId } },
    }),
  copilot: (agentId, parentToolCallId) =>
    JSON.stringify({
      type: 'subagent.started',
      data: { toolCallId: `c${agentId}`, parentId: parentToolCallId },
      id: `e${agentId}`,
      agentId,
      timestamp: '2026-01-01T00:00:00.000Z',
      parentId: null,
    }),
  gemini: (agentId) =>
    JSON.stringify({ sessionId: agentId, kind: 'subagent', agentId, projectHash: 'p', startTime: '' }),
  qwen: (agentId) =>
    JSON.stringify({
      uuid: agentId,
      parentUuid: null,
      sessionId: 's',
      type: 'user',
      agentId,
      message: { role: 'user', parts: [{ text: 'a' }] },
    }),
  cline: (agentId, parentAgentId) =>
    JSON.stringify({
      ts: '',
      type: 'hook_event',
      hookEventName: 'agent_start',
      agentId,
      taskId: 't',
      parentAgentId,
    }),
  'ag-ui': (subagentRunId, parentSubagentRunId) =>
    JSON.stringify({ type: 'SUBAGENT_STARTED', subagentRunId, name: 'a', parentSubagentRunId }),
}

/** The content of a file, with one good line in it. */
type Content = (program: Program) => string | Uint8Array

const lines =
  (...between: readonly string[]): Content =>
  (program) =>
    [...program.beginning, ...between, goodLine(program)].join('\n')

const withId =
  (id: string, json = '"odd"'): Content =>
  (program) =>
    lines(program.line(id, json))(program)

const bytes = (before: readonly number[], between: readonly number[]): Content => {
  const encoder = new TextEncoder()
  return (program) =>
    Uint8Array.from([
      ...before,
      ...encoder.encode(`${program.beginning.map((line) => `${line}\n`).join('')}`),
      ...between,
      0x0a,
      ...encoder.encode(goodLine(program)),
    ])
}

const DEEP_TEXT = 'a text nested 100,000 deep in a message'

/** A line of text has no message for nested values. */
const canHold = ({ isText }: Pick<Program, 'isText'>, content: string) => !isText || content !== DEEP_TEXT

/** Each content with its issue codes, except those about agents. */
const contents: readonly [string, Content, (readonly string[])?][] = [
  ['the id __proto__', withId('__proto__')],
  ['the id constructor', withId('constructor')],
  ['the empty id', withId('')],
  ['an id of 1 MB', withId('x'.repeat(1_000_000))],
  ['lines nested 100,000 deep', lines(...deepJson(100_000)), ['too-deep', 'unknown-message']],
  [DEEP_TEXT, (program) => withId('deep', deepJson(100_000)[0])(program), ['too-deep']],
  [
    'a line nested 100,000 deep before all lines',
    (program) => `${deepJson(100_000)[0]}\n${lines()(program)}`,
    ['too-deep', 'unknown-message'],
  ],
  ['lines of NUL bytes', lines('\0', '\0\0\0', '{"type":"\0"}'), ['malformed-line']],
  ['a NUL byte before all lines', (program) => `\0\n${lines()(program)}`, ['malformed-line']],
  [
    'carriage returns alone',
    (program) => [...program.beginning, program.silent, goodLine(program), ''].join('\r'),
  ],
  ['invalid UTF-8', bytes([], [0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]), ['malformed-line']],
  ['a byte order mark', bytes([0xef, 0xbb, 0xbf], [])],
  ['50,000 lines', (program) => lines(`${program.silent}\n`.repeat(50_000))(program)],
  ['2,000 broken lines', lines('{"type":\n'.repeat(2_000)), ['malformed-line']],
  [
    'parents that form a cycle',
    (program) => {
      const { architecture } = program
      const of = isStepWire(architecture) ? ofAgent(program) : MEMBERS[architecture]
      return [lines()(program), of('a', 'b'), of('b', 'c'), of('c', 'a'), of('d', 'd')].join('\n')
    },
  ],
  [
    'one line of 20 MB',
    (program) =>
      [...program.beginning, program.line('good', JSON.stringify(`${GOOD}${'x'.repeat(20_000_000)}`))].join(
        '\n',
      ),
  ],
]

const OF_AGENTS = ['unfinished-subagent', 'unplaced-message', 'other-session', 'cycle']

/** Runs the command, expects success without an error, and returns the output. */
async function outOf(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await agentfold(args)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out
}

/** Each program gets a fifth of the contents, and each content goes to a fifth of the programs. */
const SHARE = 5

describe.each(PROGRAMS.map((program, at) => ({ ...program, at })))(
  'a file of $name',
  ({ at, ...program }) => {
    it.each<[string, Content, (readonly string[])?]>(
      contents.filter(([name], index) => (index + at) % SHARE === 0 && canHold(program, name)),
    )('may contain %s', async (name, content, codes = []) => {
      const path = await file(`${program.architecture}/${name}`, content(program))

      expect(await outOf('replay', path)).toContain(`“${GOOD}`)

      const { state, issues, ending } = JSON.parse(await outOf('replay', path, '--json'))
      const contents = state.blocks.map((block: { content?: unknown }) =>
        `${block.content}`.slice(0, GOOD.length),
      )
      expect(contents).toContain(GOOD)
      const found = issues.map(({ code }: { readonly code: string }) => code)
      expect([...new Set(found)].filter((code) => !OF_AGENTS.includes(String(code)))).toEqual(codes)
      expect(['open', 'interrupted', 'finished']).toContain(ending)

      const events = (await outOf('replay', path, '--events')).trim().split('\n')
      const texts = events.map((event) => `${JSON.parse(event).block?.content}`.slice(0, GOOD.length))
      expect(texts).toContain(GOOD)

      expect(await outOf('identify', path)).toMatch(/^agent type [0-9a-f]{16}\n/)
      expect(JSON.parse(await outOf('parity', path, path, '--json'))).toMatchObject({ differences: [] })
    })
  },
)

describe('a file without a known line', () => {
  it.each<[string, string | Uint8Array]>([
    ['NUL bytes', '\0'.repeat(1_000_000)],
    ['bytes that are not UTF-8', new Uint8Array(1_000_000).fill(0xff)],
    ['a line nested 100,000 deep', deepJson(100_000)[0] ?? ''],
    ['objects nested 100,000 deep', deepJson(100_000)[1] ?? ''],
    ['one line of 20 MB', 'x'.repeat(20_000_000)],
    ['keys of prototypes', '{"__proto__":{"type":"user"},"constructor":{"prototype":{"polluted":1}}}'],
  ])('gives one line that it is not a transcript: %s', async (name, content) => {
    const path = await file(`unknown/${name}`, content)
    const err = expect.stringMatching(/^agentfold: [^\n]*not a transcript[^\n]*\n$/)
    for (const args of [['replay'], ['replay', '--json'], ['replay', '--events'], ['identify']])
      expect(await agentfold([...args, path])).toEqual({ code: 1, out: '', err })
    expect(await agentfold(['parity', path, path])).toEqual({ code: 2, out: '', err })
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})

describe('the tools and the prompt for identify', () => {
  const [program] = PROGRAMS
  const session = () => file('session', program ? lines()(program) : '')

  it.each([
    ['lists nested 100,000 deep', deepJson(100_000)[0] ?? ''],
    ['objects nested 100,000 deep', deepJson(100_000)[1] ?? ''],
    ['a list of null', '[null]'],
    ['a list of a list', '[["read"]]'],
    ['an object with the key of a prototype', '{"__proto__":1}'],
    ['a tool whose name is a prototype’s', '[{"__proto__":{"name":"read"}}]'],
    ['a name with the separator of names', '["a|b"]'],
    ['an empty file', ''],
    ['NUL bytes', '\0\0'],
    ['an incomplete list', '[{"name":"re'],
    ['a list that is not UTF-8', Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d)],
  ])('give exit code 1 and one line: %s', async (name, content) => {
    const tools = await file(`tools/${name}`, content)
    for (const more of [[], ['--json']])
      expect(await agentfold(['identify', await session(), '--tools', tools, ...more])).toEqual({
        code: 1,
        out: '',
        err: expect.stringMatching(/^agentfold: [^\n]+\n$/),
      })
  })

  it.each([
    ['named like prototypes', '["__proto__","constructor","toString"]'],
    ['that are 100,000', JSON.stringify(Array.from({ length: 100_000 }, (_, at) => `tool ${at}`))],
    ['with a name of 1 MB', JSON.stringify(['x'.repeat(1_000_000)])],
    ['with a schema nested 100,000 deep', `[{"name":"read","schema":${deepJson(100_000)[1]}}]`],
  ])('may be tools %s', async (name, content) => {
    const tools = await file(`tools/${name}`, content)
    const path = await session()
    const { agentTypeHash } = JSON.parse(await outOf('identify', path, '--json', '--tools', tools))
    expect(agentTypeHash).toMatch(/^[0-9a-f]{16}$/)
    expect(agentTypeHash).not.toBe(JSON.parse(await outOf('identify', path, '--json')).agentTypeHash)
  })

  it.each([
    ['NUL bytes', '\0'],
    ['a text of 5 MB', 'x'.repeat(5_000_000)],
    ['a key of prototypes', '__proto__'],
  ])('may be a system prompt with %s', async (name, content) => {
    const prompt = await file(`prompts/${name}`, content)
    const path = await session()
    const { agentTypeHash } = JSON.parse(await outOf('identify', path, '--json', '--system-prompt', prompt))
    expect(agentTypeHash).toMatch(/^[0-9a-f]{16}$/)
    expect(agentTypeHash).not.toBe(JSON.parse(await outOf('identify', path, '--json')).agentTypeHash)
  })

  it('may be an empty prompt, which equals no prompt', async () => {
    const prompt = await file('prompts/empty', '')
    const path = await session()
    expect(await outOf('identify', path, '--system-prompt', prompt)).toBe(await outOf('identify', path))
  })
})
