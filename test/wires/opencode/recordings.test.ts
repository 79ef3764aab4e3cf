import { describe, expect, it } from 'vitest'
import { fileChanges, type SessionConversationState, todos } from '../../../src/entries/index.ts'
import { type ExpectedSubagent, notesOf, ofType, textsOf } from '../recordings.ts'
import {
  type ExpectedChange,
  type ExpectedRequest,
  type ExpectedSession,
  type Recording,
  recordings,
  replay,
} from './recordings.ts'
import { toExports } from './stored.ts'

const exportsOf = ({ files }: Recording): readonly unknown[] =>
  Object.values(files).map((text) => JSON.parse(text))

/** All input forms of one session. */
const sides: Readonly<Record<string, (recording: Recording) => ReturnType<typeof replay>>> = {
  events: ({ events }) => replay(events),
  combined: ({ disk }) => replay(disk),
  'combined, as JSON': ({ disk }) => replay(JSON.stringify(disk)),
  'a list of exports': (recording) => replay(JSON.stringify(exportsOf(recording), null, 2)),
  'an export a line': (recording) =>
    replay(
      exportsOf(recording)
        .map((each) => JSON.stringify(each))
        .join('\n'),
    ),
  'wrapped events': ({ events }) =>
    replay(events.replace(/^.+$/gm, (line) => `{"directory":"/srv/demo","payload":${line}}`)),
}

/** The check for each expectation that a recording may state. */
const checks: {
  readonly [Key in keyof ExpectedSession]?: (
    reading: ReturnType<typeof replay>,
    expected: ExpectedSession,
    side: 'live' | 'stored',
  ) => void
} = {
  subagents: ({ state }, { subagents }) => {
    const expected = subagents === 0 || subagents === undefined ? [] : subagents
    expect(state.subagents).toHaveLength(expected.length)
    for (const at of expected.keys()) expectSubagent(state, expected, at)
  },
  finalTexts: ({ state }, { finalTexts = [], interrupted }) =>
    // An interrupted text stays in the state but is no final text.
    expect(textsOf(state).slice(interrupted ? -finalTexts.length : 0)).toEqual(finalTexts),
  requests: ({ state }, { requests = [] }, side) => {
    const hasTrace = ({ kind, answer }: ExpectedRequest) => kind === 'question' || answer === 'reject'
    const expected = side === 'live' ? requests : requests.filter(hasTrace)
    expect(
      ofType(state, 'request').map(({ kind, toolUseId, answer, comment }) => ({
        ...(kind === 'question' ? { kind } : { tool: toolNameOf(state, toolUseId) }),
        answer,
        ...(comment !== undefined && { message: true }),
      })),
    ).toEqual(expected)
  },
  todos: ({ state, events }, { todos: lists = [] }) => {
    expect(todos(state).map(({ text, status }) => [text, status])).toEqual(lists.at(-1))
    const reported = events.filter((event) => event.type === 'todos:updated')
    const written = reported.map(({ todos }) => todos.map(({ text, status }) => [text, status]))
    expect([...new Map(written.map((list) => [JSON.stringify(list), list])).values()]).toEqual(lists)
  },
  fileChanges: ({ state }, { fileChanges: expected = [] }) => {
    const kinds = new Map(
      fileChanges(state).map(({ path, kind, toolUseId }) => [path, [kind, toolUseId === undefined]]),
    )
    const kindOf = ({ kind }: ExpectedChange) => (kind === 'update' ? 'edit' : kind)
    expect(kinds).toEqual(
      new Map(expected.map((each) => [`/srv/demo/${each.path}`, [kindOf(each), each.by !== undefined]])),
    )
  },
  toolErrors: ({ state }, { toolErrors }) =>
    expect(ofType(state, 'tool_result').filter(({ isError }) => isError)).toHaveLength(toolErrors ?? 0),
  retries: ({ state }, { retries = 0 }, side) =>
    expect(notesOf(state, 'retry')).toHaveLength(side === 'live' ? retries : 0),
  interrupted: ({ state }) => expect(notesOf(state, 'interruption')).toHaveLength(1),
}

function expectSubagent(
  state: SessionConversationState,
  expected: readonly ExpectedSubagent[],
  at: number,
): void {
  const { parent, finalText, texts, failed } = expected[at] ?? { parent: 'main' }
  const subagent = state.subagents[at]
  const parentAt = expected.findIndex(({ name }) => name !== undefined && name === parent)
  expect(subagent?.parentConversationId).toBe(
    parent === 'main' ? 'main' : state.subagents[parentAt]?.toolUseId,
  )
  expect(subagent?.status).toBe(failed ? 'error' : 'success')
  const actualTexts = subagent ? textsOf(subagent) : []
  if (texts) expect(actualTexts).toEqual(texts)
  const report = finalText ?? texts?.at(-1)
  if (report === undefined) return
  expect(actualTexts.at(-1)).toBe(report)
  expect(subagent?.output).toBe(report)
}

const cases = recordings.flatMap((recording) =>
  Object.entries(sides).map(([side, read]) => ({ name: recording.name, side, recording, read })),
)

describe.each(cases)('$name, $side', ({ recording, read, side }) => {
  const reading = read(recording)
  const { state, issues, reducerIssues, ending } = reading

  it.each(Object.entries(checks).filter(([key]) => key in recording.expected))(
    'has the expected %s',
    (_, check) => {
      check(reading, recording.expected, side.includes('events') ? 'live' : 'stored')
    },
  )

  it('gives no issues, neither of the source nor of the reducer', () => {
    expect(issues).toEqual([])
    expect(reducerIssues).toEqual([])
  })

  it('is finished', () => {
    expect(ending).toBe('finished')
  })

  it('reports the facts of the session', () => {
    expect(state.session).toMatchObject({
      id: recording.mainSession,
      program: 'opencode',
      version: '1.18.33',
      cwd: '/srv/demo',
      model: 'mock-1',
    })
  })
})

describe.each(recordings)('$name', ({ events, files }) => {
  it('is exported as its events describe', () => {
    const messages = events
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    const byId = (left: object, right: object) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1)
    const messagesOf = (exports: readonly object[]) =>
      exports.flatMap((each) => ('messages' in each ? [{ messages: each.messages }] : [])).sort(byId)
    const exported = Object.values(files).map((text): object => JSON.parse(text))
    expect(messagesOf(sorted(toExports(messages)))).toEqual(messagesOf(sorted(exported)))
  })
})

function toolNameOf(state: SessionConversationState, id: string | undefined): string | undefined {
  return ofType(state, 'tool_use').find(({ toolUseId }) => toolUseId === id)?.toolName
}

/** Returns the values with sorted keys. */
function sorted(values: readonly object[]): readonly object[] {
  return values.map((value) => JSON.parse(JSON.stringify(value, sortKeys)))
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
}

it('checks every expectation of the recordings', () => {
  for (const { expected } of recordings)
    for (const key of Object.keys(expected)) expect(Object.keys(checks)).toContain(key)
})

it('reads at least eleven recordings', () => {
  expect(recordings.length).toBeGreaterThanOrEqual(11)
})

it.each(Object.entries(sides))(
  'the failed calls of 03-tools are errors, but a failing command is not: %s',
  (_, read) => {
    const recording = recordings.find(({ name }) => name === '03-tools')
    const { state } = recording ? read(recording) : replay('')
    const calls = ofType(state, 'tool_use')
    const statuses = calls.map(({ toolName, status }) => `${toolName} ${status}`)
    expect(statuses).toEqual([
      'bash complete',
      'read error',
      'read complete',
      'bash complete',
      'invalid error',
      'bash error',
      'write complete',
      'edit complete',
      'todowrite complete',
    ])
    const results = ofType(state, 'tool_result')
    expect(results.map(({ toolUseId }) => toolUseId).sort()).toEqual(
      calls.map(({ toolUseId }) => toolUseId).sort(),
    )
    for (const { isError, status } of results) expect(isError).toBe(status === 'error')
  },
)
