import { describe, expect, it } from 'vitest'
import { fileChanges, type RequestAnswer, type SessionConversationState } from '../../../src/entries/index.ts'
import {
  allRecordings,
  type Expected,
  type ExpectedSubagent,
  notesOf,
  ofType,
  type Recording,
  type Replayed,
  recordings,
  replay,
  textsOf,
  threadsOf,
} from '../recordings.ts'

interface Reading extends Replayed {
  /** Whether this side has the subagents’ texts. */
  readonly hasSubagentText: boolean
}

const sides = {
  stream: ({ stream, isForwarding }: Recording): Reading => ({
    ...replay(stream),
    hasSubagentText: isForwarding,
  }),
  disk: ({ disk }: Recording): Reading => ({ ...replay(disk), hasSubagentText: true }),
}

/** The check for each expectation that a recording may have. */
const checks: {
  readonly [Key in Exclude<keyof Expected, 'note'>]-?: (reading: Reading, expected: Expected) => void
} = {
  subagents: ({ state, hasSubagentText }, { subagents }) => {
    const expected = subagents === 0 || subagents === undefined ? [] : subagents
    expect(state.subagents).toHaveLength(expected.length)
    for (const [at, subagent] of expected.entries()) {
      expectPlaced(state, expected, at)
      expectTexts(state, subagent, { at, hasSubagentText })
    }
  },
  finalTexts: ({ state }, { finalTexts }) => expect(textsOf(state)).toEqual(finalTexts),
  lastText: ({ state }, { lastText }) => expect(textsOf(state).at(-1)).toBe(lastText),
  toolUses: ({ state }, { toolUses }) =>
    expect(threadsOf(state).flatMap((thread) => ofType(thread, 'tool_use'))).toHaveLength(toolUses ?? 0),
  toolErrors: ({ state }, { toolErrors = 0 }) => {
    const results = threadsOf(state).flatMap((thread) => ofType(thread, 'tool_result'))
    const calls = threadsOf(state).flatMap((thread) => ofType(thread, 'tool_use'))
    expect(results.filter((result) => result.isError)).toHaveLength(toolErrors)
    expect(results.filter((result) => result.status === 'error')).toHaveLength(toolErrors)
    expect(calls.filter((call) => call.status === 'error')).toHaveLength(toolErrors)
  },
  compactBoundaries: ({ state }, { compactBoundaries }) =>
    expect(notesOf(state, 'compaction')).toHaveLength(compactBoundaries ?? 0),
  error: ({ state }) => expect(ofType(state, 'error')).toHaveLength(1),
  todos: ({ events }, { todos }) => {
    const lists = events.flatMap((event) => (event.type === 'todos:updated' ? [event.todos] : []))
    expect(lists.map((list) => list.map(({ text, status }) => [text, status]))).toEqual(todos)
  },
  fileChanges: ({ state }, { fileChanges: expected = [] }) => {
    const kinds = { create: 'add', update: 'edit' }
    const changes = fileChanges(state).map(({ path, kind }) => [path.replace('/srv/demo/', ''), kind])
    expect(changes).toEqual(expected.map(({ path, kind }) => [path, kinds[kind]]))
  },
  requests: ({ state }, { requests = [] }) => {
    const asked = ofType(state, 'request')
    // A file has no request without an answer.
    const kept = requests.filter(({ answer }) => answer !== null || asked.length === requests.length)
    expect(asked.map(({ toolUseId, answer }) => ({ tool: toolOf(state, toolUseId), answer }))).toEqual(
      kept.map(({ tool, answer }) => ({ tool, answer: answerOf(answer) })),
    )
    expect(asked.filter(({ denied }) => denied)).toHaveLength(
      requests.filter(({ answer }) => answer === 'deny').length,
    )
  },
  interrupted: ({ state, ending }) => {
    const continued = notesOf(state, 'interruption').length > 0
    expect(continued || ending === 'interrupted').toBe(true)
  },
}

function toolOf(state: SessionConversationState, toolUseId: string | undefined): string | undefined {
  return ofType(state, 'tool_use').find((call) => call.toolUseId === toolUseId)?.toolName
}

/** The recordings name the label that answers a question. */
function answerOf(answer: string | null): RequestAnswer | undefined {
  if (answer === null) return undefined
  return answer === 'allow' || answer === 'deny' ? answer : [[answer]]
}

function expectPlaced(
  state: SessionConversationState,
  expected: readonly ExpectedSubagent[],
  at: number,
): void {
  const { parent, failed } = expected[at] ?? { parent: 'main' }
  const parentAt = expected.findIndex(({ name }) => name !== undefined && name === parent)
  const parentId = parent === 'main' ? 'main' : state.subagents[parentAt]?.toolUseId
  expect(state.subagents[at]?.parentConversationId).toBe(parentId)
  expect(state.subagents[at]?.status).toBe(failed ? 'error' : 'success')
}

function expectTexts(
  { subagents }: SessionConversationState,
  { finalText, texts, failed }: ExpectedSubagent,
  { at, hasSubagentText }: { readonly at: number; readonly hasSubagentText: boolean },
): void {
  const subagent = subagents[at]
  const found = subagent ? textsOf(subagent) : []
  const report = finalText ?? texts?.at(-1)
  if (hasSubagentText) expect(found.at(-1)).toBe(report)
  if (hasSubagentText && texts) expect(found).toEqual(texts)
  if (!failed) expect(subagent?.output).toBe(report)
}

const cases = allRecordings.flatMap((recording) =>
  Object.entries(sides).map(([side, read]) => ({ name: recording.name, side, recording, read })),
)

describe.each(cases)('$name, $side', ({ recording, read }) => {
  const reading = read(recording)

  it.each(Object.entries(checks).filter(([key]) => key in recording.expected))(
    'has the expected %s',
    (_, check) => {
      check(reading, recording.expected)
    },
  )

  it('leaves no issue of the source or the reducer', () => {
    expect(reading.issues).toEqual([])
    expect(reading.reducerIssues).toEqual([])
  })

  it('ends as the session did', () => {
    const wasKilled = recording.name === '11a-killed-main'
    expect(reading.ending).toBe(wasKilled ? 'interrupted' : 'finished')
  })
})

it('checks every expectation of a recording', () => {
  const known = new Set([...Object.keys(checks), 'note'])
  for (const { expected } of recordings) for (const key of Object.keys(expected)) expect(known).toContain(key)
})

it('reads every recording', () => {
  expect(recordings.length).toBeGreaterThanOrEqual(19)
})
