import { describe, expect, it } from 'vitest'
import { fileChanges, type SessionConversationState, toolCalls } from '../../../../src/entries/index.ts'
import { notesOf, ofType, textsOf, threadsOf } from '../../recordings.ts'
import {
  bareUpdates,
  type ExpectedAgent,
  type Recording,
  recordings,
  replay,
  toLines,
} from '../recordings.ts'

const forms = ({ name, live, load }: Recording) => [
  { form: 'log', raw: live },
  { form: 'updates alone', raw: toLines(bareUpdates(live)) },
  // The load of this recording goes on with a prompt.
  { form: 'load', raw: name.includes('two-turns') ? live + load : load },
]

const cases = recordings.flatMap((recording) =>
  forms(recording).map((form) => ({ name: recording.name, recording, ...form })),
)

describe.each(cases)('$name, $form', ({ recording, form, raw }) => {
  const { state, issues, reducerIssues, ending, events } = replay(raw)
  const { expected, agent } = recording

  it('has the expected texts', () => {
    if (!expected.finalTexts) return
    const texts = expected.finalTexts
    const actual = textsOf(state)
    // A load begins after the last compaction.
    const shown = form === 'load' && expected.compactBoundaries ? texts.slice(1) : texts
    const whole = recording.name.includes('two-turns') && form !== 'load' ? texts.slice(0, -1) : shown
    expect(actual.filter((text) => whole.includes(text))).toEqual(whole)
    if (!recording.name.includes('cancel')) expect(actual).toHaveLength(whole.length)
  })

  it('has the expected end', () => {
    expect(state.turn.status).toBe('finished')
    expect(ending).toBe('finished')
  })

  it('has the expected agents', () => {
    const agents = expected.subagents || []
    // A load of the stable protocol has only the calls of main.
    const shown =
      form === 'load' && recording.name.includes('nested')
        ? agents.filter(({ parent }) => parent === 'main')
        : agents
    expect(state.subagents).toHaveLength(shown.length)
    for (const [at, each] of shown.entries()) expectAgent(state, each, { at, shown })
  })

  it('has the expected calls', () => {
    const calls = threadsOf(state).flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'tool_use'))
    if (expected.toolUses !== undefined) expect(calls).toHaveLength(expected.toolUses)
    if (expected.toolErrors !== undefined)
      expect(calls.filter(({ status }) => status === 'error')).toHaveLength(expected.toolErrors)
    if (!expected.tools) return
    const outcomes = toolCalls(state).map(({ call, result }) =>
      result?.isError ? `${call.toolName} failed` : call.toolName,
    )
    const named = expected.tools.filter((tool) => typeof tool === 'string')
    if (named.length > 0) return expect(outcomes).toEqual(named)
    const failures = expected.tools.map((tool) => typeof tool !== 'string' && tool.status === 'failed')
    expect(outcomes.map((outcome) => outcome.endsWith('failed')).sort()).toEqual(failures.sort())
  })

  it('has the expected changes', () => {
    const files = (expected.tools ?? []).flatMap((tool) =>
      typeof tool === 'string' ? [] : (tool.files ?? []),
    )
    if (files.length === 0) return
    const words = fileChanges(state).map(({ kind, path }) => {
      const name = path.replace('/srv/demo/', '')
      return `${kind === 'edit' ? 'update' : kind} ${name}`
    })
    // The protocol has no moves: the diff names the new path.
    expect(words.sort()).toEqual(files.map((file) => file.replace(/old.txt -> /, '')).sort())
  })

  if (expected.todos)
    it('has the expected plans', () => {
      const reported = events.flatMap((event) =>
        event.type === 'todos:updated' ? [event.todos.map(({ status }) => status)] : [],
      )
      const distinct = [...new Map(reported.map((list) => [JSON.stringify(list), list])).values()]
      // The text of an entry changes while it is in progress.
      expect(distinct).toEqual((expected.todos ?? []).map((list) => list.map(([, status]) => status)))
    })

  if (expected.requests && form === 'log')
    it('has the expected requests', () => {
      const answers = ofType(state, 'request').map(({ title, answer, denied }) => [
        title.split(':')[0],
        denied === true,
        typeof answer,
      ])
      expect(answers).toEqual(
        (expected.requests ?? []).map(({ tool, answer }) => [tool, answer.startsWith('reject'), 'string']),
      )
    })

  it('has the expected compactions', () => {
    expect(notesOf(state, 'compaction')).toHaveLength(expected.compactBoundaries ?? 0)
  })

  it('gives no issues, neither of the source nor of the reducer', () => {
    expect(issues).toEqual([])
    expect(reducerIssues).toEqual([])
  })

  it('has no pending blocks, and gives every block a unique id', () => {
    for (const thread of threadsOf(state)) {
      const ids = thread.blocks.map(({ id }) => id)
      expect(ids).toEqual([...new Set(ids)])
      for (const { status } of thread.blocks) expect(['complete', 'success', 'error']).toContain(status)
    }
  })

  it('reports the facts of the session', () => {
    const facts = form === 'updates alone' ? {} : { program: PROGRAMS[agent], cwd: '/srv/demo' }
    expect(state.session).toMatchObject({ protocol: 'acp', id: expect.any(String), ...facts })
  })
})

const PROGRAMS = {
  claude: '@agentclientprotocol/claude-agent-acp',
  opencode: 'OpenCode',
  codex: '@agentclientprotocol/codex-acp',
}

interface AgentPlace {
  readonly at: number
  readonly shown: readonly ExpectedAgent[]
}

function expectAgent(state: SessionConversationState, agent: ExpectedAgent, { at, shown }: AgentPlace): void {
  const actual = state.subagents[at]
  const parentAt = shown.findIndex(({ name }) => name !== undefined && name === agent.parent)
  const parent = agent.parent === 'main' ? 'main' : state.subagents[parentAt]?.toolUseId
  expect(actual?.parentConversationId).toBe(parent)
  expect(actual?.status).toBe('success')
  if (agent.finalText !== undefined) expect(actual?.output).toBe(agent.finalText)
  if (agent.prompt !== undefined) expect(actual?.prompt).toBe(agent.prompt)
}
