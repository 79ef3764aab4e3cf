import { describe, expect, it } from 'vitest'
import { copilotSource } from '../../src/entries/copilot.ts'
import { contextTokens, sumUsage } from '../../src/entries/index.ts'
import { writeSession } from '../../src/entries/writers.ts'
import { linesOf as reportLines } from './reports.ts'

// After reports of strangers about Copilot CLI 1.0.78. The ids and words are made up.

type Line = { readonly type: string; readonly data: Readonly<Record<string, unknown>> } & Readonly<
  Record<string, unknown>
>

const linesOf = (name: string): readonly Line[] =>
  reportLines(`copilot/${name}/events.jsonl`).map((line) => JSON.parse(line))

function read(lines: readonly Line[]) {
  const { session, issues } = copilotSource.read(copilotSource.open(), lines)
  const ended = copilotSource.end(session)
  return { state: ended.session.state, issues: [...issues, ...ended.issues] }
}

describe('the tokens at the end of a process', () => {
  const lines = linesOf('shutdown-tokens')

  it('are those of the session, and count once', () => {
    const { state, issues } = read(lines)
    const { final, provisional } = sumUsage(state.usage)
    expect(final).toMatchObject({ inputTokens: 9_500, cacheReadTokens: 11_000, outputTokens: 108 })
    expect(provisional.messages).toBe(0)
    expect(state.usage.map(({ model }) => model)).toEqual(['gpt-5-mini', 'gpt-5-mini', 'gpt-5-mini'])
    expect(contextTokens(state)).toBe(9_800)
    expect(issues).toEqual([])
  })

  it('count once if the events come again, also from the state alone', () => {
    const { state } = read(lines)
    const { session } = copilotSource.read(copilotSource.open(), [...lines, ...lines])
    expect(session.state.usage).toEqual(state.usage)
    const again = copilotSource.read(copilotSource.open(state), lines)
    expect(again.session.state.usage).toEqual(state.usage)
  })

  it('are those of each process, if several go on with the session', () => {
    const again = lines.slice(2).map((line) => ({
      ...JSON.parse(
        JSON.stringify(line).replaceAll('-0000-4000-', '-0009-4000-').replaceAll('-aaaa-', '-bbbb-'),
      ),
      timestamp: String(line.timestamp).replace('T12:', 'T13:'),
    }))
    const resume = { ...again[0], type: 'session.resume', id: 'r', data: { selectedModel: 'gpt-5-mini' } }
    const { state } = read([...lines, resume, ...again])
    expect(sumUsage(state.usage).final).toMatchObject({
      inputTokens: 19_000,
      cacheReadTokens: 22_000,
      outputTokens: 216,
    })
  })

  it('are those of the process, if its end states the sum of the session', () => {
    const again = lines.slice(2).map((line) => {
      const text = JSON.stringify(line)
        .replaceAll('-0000-4000-', '-0009-4000-')
        .replaceAll('-aaaa-', '-bbbb-')
      const own = { ...JSON.parse(text), timestamp: String(line.timestamp).replace('T12:', 'T13:') }
      const usage = {
        inputTokens: 41_000,
        outputTokens: 216,
        cacheReadTokens: 22_000,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
      }
      if (own.type === 'session.shutdown') own.data.modelMetrics = { 'gpt-5-mini': { usage } }
      return own
    })
    const resume = { ...again[0], type: 'session.resume', id: 'r', data: { selectedModel: 'gpt-5-mini' } }
    const { final } = sumUsage(read([...lines, resume, ...again]).state.usage)
    expect(final).toMatchObject({ inputTokens: 19_000, cacheReadTokens: 22_000, outputTokens: 216 })
    const other = JSON.parse(JSON.stringify(again).replaceAll('gpt-5-mini', 'gpt-5')) as Line[]
    const ended = JSON.parse(JSON.stringify(other.at(-1)))
    const first = JSON.parse(JSON.stringify(lines.at(-1)))
    ended.data.modelMetrics = { ...first.data.modelMetrics }
    ended.data.modelMetrics['gpt-5'] = first.data.modelMetrics['gpt-5-mini']
    const { usage } = read([...lines, resume, ...other.slice(0, -1), ended]).state
    expect(usage.map(({ model }) => model)).toEqual([
      ...Array(3).fill('gpt-5-mini'),
      ...Array(3).fill('gpt-5'),
    ])
    const resumed = copilotSource.open(read([...lines]).state)
    const { session } = copilotSource.read(resumed, [resume, ...again])
    expect(sumUsage(session.state.usage).final).toMatchObject({ inputTokens: 19_000, outputTokens: 216 })
  })

  it('are those of the process, if its replies do not name their models', () => {
    const unnamed = lines.map((line) => {
      const own = JSON.parse(JSON.stringify(line))
      delete own.data.model
      if (own.type !== 'session.shutdown') return own
      const mini = own.data.modelMetrics['gpt-5-mini'].usage
      const other = { inputTokens: 10, outputTokens: 40, cacheReadTokens: 0, cacheWriteTokens: 0 }
      own.data.modelMetrics = {
        'gpt-5-mini': { usage: { ...mini, outputTokens: 68 } },
        'gpt-5': { usage: other },
      }
      return own
    })
    const again = unnamed
      .slice(2)
      .map((line) =>
        JSON.parse(
          JSON.stringify(line).replaceAll('-0000-4000-', '-0009-4000-').replaceAll('-aaaa-', '-bbbb-'),
        ),
      )
    const resume = { ...again[0], type: 'session.resume', id: 'r', data: {} }
    const { final } = sumUsage(read([...unnamed, resume, ...again]).state.usage)
    expect(final).toMatchObject({ inputTokens: 19_020, cacheReadTokens: 22_000, outputTokens: 216 })
  })

  it('are in no checkpoint, which has units of the bill alone', () => {
    const data = { totalNanoAiu: 6_056_400_000, totalPremiumRequests: 1, modelCacheState: [] }
    const checkpoint = { ...lines.at(-1), type: 'session.usage_checkpoint', id: 'c', data } as Line
    const { state, issues } = read([...lines.slice(0, -1), checkpoint, ...lines.slice(-1)])
    expect(state).toEqual(read(lines).state)
    expect(issues).toEqual([])
  })

  it('stay unknown for a process that was killed', () => {
    const killed = lines.slice(0, 6)
    const rest = lines
      .slice(6)
      .map((line) =>
        line.type === 'session.shutdown'
          ? JSON.parse(JSON.stringify(line).replace('"outputTokens":108', '"outputTokens":47'))
          : line,
      )
    const resume = {
      ...lines[5],
      type: 'session.resume',
      id: 'r',
      data: {},
      timestamp: '2026-08-20T12:00:06.500Z',
    } as const
    const { state } = read([...killed, resume, ...rest])
    const { final, provisional } = sumUsage(state.usage)
    expect([final.outputTokens, provisional]).toEqual([47, { messages: 1, outputTokens: 61 }])
  })

  it('have the output that no reply states, by model', () => {
    const usage = { inputTokens: 700, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0 }
    const changed = lines.map((line) =>
      line.type === 'session.shutdown'
        ? {
            ...line,
            data: { ...line.data, modelMetrics: { ...(line.data.modelMetrics as object), other: { usage } } },
          }
        : line,
    )
    const { state } = read(changed)
    expect(state.usage.find(({ model }) => model === 'other')).toMatchObject({
      inputTokens: 700,
      outputTokens: 9,
    })
    expect(sumUsage(state.usage).final.outputTokens).toBe(117)
  })
})

describe('a command of the person', () => {
  const lines = linesOf('user-command')

  it('is a call with its result, and no turn', () => {
    const { state, issues } = read(lines)
    const at = state.blocks.findIndex(({ type }) => type === 'tool_use')
    expect(state.blocks.slice(at - 1, at + 3)).toMatchObject([
      { type: 'assistant_text', content: 'When.' },
      { toolName: 'local_shell', input: { command: 'ls drawer' }, status: 'complete' },
      { type: 'tool_result', output: 'spoons\nknives', isError: false },
      { type: 'user_message', content: 'Thank you.' },
    ])
    expect(issues).toEqual([])
    expect(
      writeSession(state, { program: 'pi', cwd: '/srv/demo' }).losses.map(({ kind }) => kind),
    ).not.toContain('result-without-call')
  })

  it('starts no turn, before the first prompt and behind an answer', () => {
    const [start, ...others] = lines
    const command = lines.filter(
      ({ type, data }) => type.startsWith('tool.') && data.toolCallId !== undefined,
    )
    const begun = copilotSource.read(copilotSource.open(), [start, ...command])
    expect(begun.session.state.turn).toEqual({ status: 'idle' })
    const at = others.findIndex(({ type }) => type === 'tool.user_requested')
    const { session } = copilotSource.read(copilotSource.open(), lines.slice(0, at + 2))
    expect(session.state.turn).toMatchObject({ status: 'finished', endedAt: '2026-08-21T12:00:06.000Z' })
  })

  it.each(['claude-code', 'codex', 'pi', 'opencode'] as const)(
    'is a message of the person in %s',
    (program) => {
      const { state } = read(lines)
      const { files } = writeSession(state, { program, cwd: '/srv/demo' })
      const text = JSON.stringify(files)
      expect(text).toContain('I ran a command')
      expect(text).toContain('spoons')
      expect(text).not.toContain('local_shell')
    },
  )

  it('is an error if it fails', () => {
    const failed = lines.map((line) =>
      line.type === 'tool.execution_complete'
        ? {
            ...line,
            data: { ...line.data, success: false, error: { message: 'No such file' }, result: undefined },
          }
        : line,
    )
    const result = read(failed).state.blocks.find(({ type }) => type === 'tool_result')
    expect(result).toMatchObject({ isError: true, output: 'No such file' })
  })
})
