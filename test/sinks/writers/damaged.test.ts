import { describe, expect, it } from 'vitest'
import type { ConversationBlock } from '../../../src/core/state/block.ts'
import type { UserContentPart } from '../../../src/core/state/content.ts'
import { createInitialConversationState, type SessionConversationState } from '../../../src/entries/index.ts'
import { toAtif } from '../../../src/sinks/atif/to-atif.ts'
import { LossCounter } from '../../../src/sinks/plan/losses.ts'
import { writablePrograms } from '../../../src/sinks/writers/targets/all.ts'
import { piTarget } from '../../../src/sinks/writers/targets/pi.ts'
import { writeSession } from '../../../src/sinks/writers/write-session.ts'
import { depth } from '../../depth.ts'
import { readBack } from './read-back.ts'

const BASE = { conversationId: 'main', status: 'complete' } as const
const DATA = 'iVBORw0KGgoAAAANSUhEUg=='
const IMAGE: UserContentPart = {
  type: 'image',
  source: { type: 'base64', mediaType: 'image/png', data: DATA },
}

function stateOf(blocks: readonly ConversationBlock[]): SessionConversationState {
  const session = { id: 's', program: 'claude-code', cwd: '/srv/demo' }
  return { ...createInitialConversationState(), blocks, session }
}

function message(
  content: string | readonly UserContentPart[],
  more: { readonly id?: string; readonly origin?: 'summary' } = {},
): ConversationBlock {
  return { ...BASE, type: 'user_message', id: 'p', content, ...more }
}

function call(command: string, output: unknown, isError = false): readonly ConversationBlock[] {
  return [
    { ...BASE, type: 'tool_use', id: 'c', toolUseId: 'c', toolName: 'Bash', input: { command } },
    { ...BASE, type: 'tool_result', id: 'r', toolUseId: 'c', output, isError },
  ]
}

const SHOWN = [
  { type: 'text', text: 'Seen.' },
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } },
]
const COMPACTION = { ...BASE, type: 'system', id: 'x', subtype: 'compaction', message: '' } as const

it('gives the image of a result to the message of its call, in the file for OpenCode', () => {
  const { files } = writeSession(stateOf(call('ls', SHOWN)), { program: 'opencode', cwd: '/srv/demo' })
  const [text = ''] = Object.values(files)
  const ids = [...text.matchAll(/"messageID": "(.*)"/g)].map(([, id]) => id)
  expect(text).toContain('"attachments"')
  expect(new Set(ids)).toEqual(new Set([/"id": "(msg_.*)"/.exec(text)?.[1]]))
})

// Where the machine has another zone than UTC (`TZ=America/New_York npm test`), the time of the machine came out.
it('takes a time without a zone as UTC', () => {
  const prompt = {
    ...BASE,
    type: 'user_message',
    id: 'p',
    content: 'Hi.',
    timestamp: '2026-01-02T03:04:05',
  } as const
  const { files } = writeSession(stateOf([prompt]), { program: 'claude-code', cwd: '/srv/demo' })
  expect(Object.values(files).join('')).toContain('"timestamp":"2026-01-02T03:04:05.000Z"')
})

describe.each(writablePrograms())('a session for %s', (program) => {
  const write = (...blocks: readonly ConversationBlock[]) =>
    writeSession(stateOf(blocks), { program, cwd: '/srv/demo' })

  it.each([
    ['a prompt', [message([{ type: 'text', text: 'Look.' }, IMAGE])]],
    ['a result', [message('Look.'), ...call('ls', SHOWN)]],
    ['a failed result', [message('Look.'), ...call('ls', SHOWN, true)]],
    [
      'a summary',
      [
        message('Look.'),
        COMPACTION,
        message([{ type: 'text', text: 'Sum.' }, IMAGE], { id: 'q', origin: 'summary' }),
      ],
    ],
  ] as const)('has the image of %s, or counts it', (_, blocks) => {
    const { files, losses } = write(...blocks)
    const lost = losses.filter(({ kind }) => kind === 'attachment').reduce((sum, { count }) => sum + count, 0)
    expect(lost).toBe(Object.values(files).some((text) => text.includes(DATA)) ? 0 : 1)
  })

  // Parsers of JSON in other languages refuse the whole line.
  it('has no half of a pair of surrogates', () => {
    const half = 'cut \ud83d'
    const files = write(message(half), ...call(half, `${half} \\ud83d 😀`)).files
    const texts = Object.values(files).join('')
    expect(texts).not.toMatch(/(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]/)
    expect(texts).toContain('cut \ufffd')
    const back = JSON.stringify(readBack(program, { files }).blocks)
    expect(back).toContain(JSON.stringify('cut \ufffd \\ud83d 😀').slice(1, -1))
  })

  it('has no prompt without content, which providers refuse', () => {
    const { files } = write(
      message(''),
      message([{ type: 'text', text: '' }], { id: 'q' }),
      message([], { id: 'e' }),
    )
    expect(readBack(program, { files }).blocks).toEqual([])
  })
})

it('counts agents that are nested too deep, for every program and for ATIF', () => {
  const agentBlock = (toolUseId: string): ConversationBlock => {
    const status = 'success'
    return { ...BASE, status, type: 'subagent', id: `subagent:${toolUseId}`, toolUseId, input: 'Look.' }
  }
  const count = depth({ few: 1000, all: 10_000 })
  const subagents = Array.from({ length: count }, (_, at) => {
    const blocks = at < count - 1 ? [agentBlock(`a${at + 1}`)] : []
    return { toolUseId: `a${at}`, status: 'success', blocks, usage: [] } as const
  })
  const state = { ...stateOf([message('Go.'), agentBlock('a0')]), subagents }
  for (const program of writablePrograms())
    expect(writeSession(state, { program }).losses.map(({ kind }) => kind)).toContain('subagent-conversation')
  expect(JSON.stringify(toAtif(state))).toContain('"trajectory_id":"a499"')
})

it('gives no two lines of Pi the same id', () => {
  let made = 0
  const twice = () => String(Math.floor(made++ / 2)).padStart(8, '0')
  const entries = Array.from({ length: 20 }, (_, at) => ({
    ...({ kind: 'prompt', id: `${at}`, time: '2026-01-01T00:00:00.000Z' } as const),
    parts: [{ type: 'text', text: 'Go on.' }] as const,
  }))
  const [startedAt, endedAt] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z']
  const files = new Map<string, string>()
  piTarget.write(
    { place: 'main', entries, startedAt, endedAt },
    {
      ...{ id: 'i', cwd: '/srv/demo', model: 'm', chosenModel: undefined, files },
      ...{ ids: { hex: twice, uuid: twice }, losses: new LossCounter() },
    },
  )
  const ids = [...files.values()]
    .join('')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line).id)
  expect(new Set(ids).size).toBe(20)
})

it('names the model and the type of an agent for Kimi Code, which goes on with none without them', () => {
  const agent = {
    toolUseId: 'a',
    name: 'Explore',
    status: 'success',
    blocks: [message('Look.')],
    usage: [],
  } as const
  const block = {
    ...BASE,
    status: 'success',
    type: 'subagent',
    id: 'subagent:a',
    toolUseId: 'a',
    input: 'Look.',
  } as const
  const state = { ...stateOf([message('Go.'), block]), subagents: [agent] }
  const lines = (model?: string) =>
    Object.entries(
      writeSession(state, { program: 'kimi', ...(model !== undefined && { model }) }).files,
    ).flatMap(([path, text]) =>
      path.includes('agent-0')
        ? text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
    )
  expect(lines('script/m')).toContainEqual(
    expect.objectContaining({ type: 'config.update', modelAlias: 'script/m', profileName: 'Explore' }),
  )
  expect(lines().map(({ type }) => type)).not.toContain('config.update')
})

it('separates neighbouring answers for Qwen Code, which joins them for its model', () => {
  const answer = (id: string, content: string): ConversationBlock => ({
    ...BASE,
    type: 'assistant_text',
    id,
    messageId: id,
    content,
  })
  const blocks = [
    message('Go.'),
    answer('a', 'One.'),
    answer('b', 'Two.'),
    ...call('ls', 'x'),
    answer('d', 'Three.'),
  ]
  const write = (state: SessionConversationState) =>
    writeSession(state, { program: 'qwen', cwd: '/srv/demo' })
  const textsOf = (state: SessionConversationState) =>
    state.blocks.flatMap((block) => (block.type === 'assistant_text' ? [block.content] : []))
  const back = readBack('qwen', write(stateOf(blocks)))
  expect(textsOf(back)).toEqual(['One.\n\n', 'Two.', 'Three.'])
  expect(textsOf(readBack('qwen', write(back)))).toEqual(['One.\n\n', 'Two.', 'Three.'])
})
