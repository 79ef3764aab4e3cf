import { describe, expect, it } from 'vitest'
import { fileChanges, type SessionConversationState, todos, toolCalls } from '../../../src/entries/index.ts'
import { ofType, textsOf } from '../recordings.ts'
import {
  type ExpectedAgent,
  type ExpectedTool,
  formsOf,
  ofRun,
  type Recording,
  recordings,
  replay,
} from './recordings.ts'

const cases = recordings.flatMap((recording) =>
  formsOf(recording).map(([form, run, raw]) => ({ name: recording.name, form, run, recording, raw })),
)

describe.each(cases)('$name, $form', ({ recording, form, run, raw }) => {
  const { state, issues, reducerIssues, ending, events } = replay(raw)
  const { expected } = recording
  const isExec = form === 'exec'

  it('has the expected texts', () => {
    const texts = ofRun(expected.finalTexts, run)
    const actual = textsOf(state)
    if (texts.includes('…'))
      expect(actual).toEqual(expect.arrayContaining(texts.filter((text) => text !== '…')))
    // The stream has a text that an interruption cut.
    else expect(actual.filter((text) => texts.includes(text))).toEqual(texts)
    if (!/^1[67]-/.test(recording.name)) expect(actual).toHaveLength(texts.length)
  })

  it('has the expected end', () => {
    const endings = [ofRun(expected.ending, run)].flat()
    const last = endings.at(-1)
    const status = last === 'completed' ? 'finished' : last === 'killed' ? 'interrupted' : last
    expect(state.turn.status).toBe(status)
    expect(ending).toBe(status === 'interrupted' ? 'interrupted' : 'finished')
    if (expected.error !== undefined) expect(state.turn.error).toContain(expected.error)
  })

  it('has the expected agents', () => {
    const agents = expected.subagents || []
    // Exec prints no agents of the newer tools, and no nested ones.
    const shown = isExec
      ? agents.filter(({ parent }) => parent === 'main' && !recording.name.includes('v2'))
      : agents
    expect(state.subagents).toHaveLength(shown.length)
    for (const [at, agent] of shown.entries()) expectAgent(state, agent, { at, shown, run, form })
  })

  if (expected.tools)
    it('has the expected calls', () => {
      const tools = expected.tools ?? []
      const actual = toolCalls(state).filter(({ call }) => isItem(call.toolName))
      // A patch that does not fit is only in the files.
      const shown = actual.filter(
        ({ call, result }) => call.toolName !== 'file_change' || result?.changes !== undefined,
      )
      expect(shown.map(({ call, result }) => [kindOf(call.toolName), result?.isError]).sort()).toEqual(
        tools.map(({ kind, status }) => [kind, status === 'failed']).sort(),
      )
    })

  if (expected.tools?.some(({ files }) => files))
    it('has the expected changes', () => {
      const paths = (expected.tools ?? []).flatMap(({ files = [] }: ExpectedTool) => files)
      const actual = fileChanges(state)
      expect(actual).toHaveLength(paths.length)
      if (isExec) return
      const words = actual.map(({ kind, path, from }) => {
        const name = (full: string) => full.replace('/srv/demo/', '')
        return kind === 'move'
          ? `update ${name(from ?? '')} -> ${name(path)}`
          : `${kind === 'edit' ? 'update' : kind} ${name(path)}`
      })
      expect(words.sort()).toEqual([...paths].sort())
    })

  if (expected.todos)
    it('has the expected plans', () => {
      const lists = expected.todos ?? []
      const reported = events.flatMap((event) =>
        event.type === 'todos:updated'
          ? [event.todos.map(({ text, status }) => [text, isExec && status !== 'completed' ? '' : status])]
          : [],
      )
      const distinct = [...new Map(reported.map((list) => [JSON.stringify(list), list])).values()]
      // Exec prints only which steps are completed.
      expect(distinct).toEqual(
        lists.map((list) =>
          list.map(([text, status]) => [text, isExec && status !== 'completed' ? '' : status]),
        ),
      )
      expect(todos(state)).toHaveLength(lists.at(-1)?.length ?? 0)
    })

  if (expected.requests && form === 'app-server')
    it('has the expected requests', () => {
      const kinds: Readonly<Record<string, string>> = {
        command_execution: 'command',
        file_change: 'fileChange',
      }
      expect(
        ofType(state, 'request').map(({ title, answer }) => ({
          kind: kinds[title.split(':')[0] ?? ''],
          answer,
        })),
      ).toEqual(expected.requests)
      expect(ofType(state, 'request').map(({ denied }) => denied === true)).toEqual([
        false,
        true,
        false,
        true,
      ])
    })

  it('gives no issues, neither of the source nor of the reducer', () => {
    expect(issues).toEqual([])
    expect(reducerIssues).toEqual([])
  })

  it('reports the facts of the session', () => {
    const facts = isExec ? {} : { version: recording.version, cwd: '/srv/demo' }
    expect(state.session).toMatchObject({ program: 'codex', id: expect.any(String), ...facts })
  })

  it('counts each token once', () => {
    const sum = state.usage.reduce(
      (total, entry) =>
        total +
        (entry.inputTokens ?? 0) +
        (entry.cacheReadTokens ?? 0) +
        (entry.cacheWriteTokens ?? 0) +
        (entry.outputTokens ?? 0),
      0,
    )
    expect(sum).toBe(totalOf(recording, form, run))
  })
})

/** Returns the last total of the raw lines of main. */
function totalOf({ exec, app }: Recording, form: string, run: 'exec' | 'app'): number {
  const source = run === 'exec' ? exec : app
  if (form === 'exec') {
    const usage = [
      ...(exec?.live ?? '').matchAll(/"turn.completed".*"input_tokens":(\d+).*?"output_tokens":(\d+)/g),
    ].at(-1)
    return Number(usage?.[1] ?? 0) + Number(usage?.[2] ?? 0)
  }
  const totals = [...(source?.disk.main ?? '').matchAll(/"total_token_usage":\{[^}]*"total_tokens":(\d+)/g)]
  return Math.max(0, ...totals.map(([, total]) => Number(total)))
}

const kindOf = (toolName: string) =>
  toolName === 'command_execution' ? 'command' : toolName === 'file_change' ? 'fileChange' : 'mcp'
const isItem = (toolName: string) => /^(command_execution|file_change|mcp__)/.test(toolName)

interface AgentPlace {
  readonly at: number
  readonly shown: readonly ExpectedAgent[]
  readonly run: 'exec' | 'app'
  readonly form: string
}

function expectAgent(
  state: SessionConversationState,
  agent: ExpectedAgent,
  { at, shown, run, form }: AgentPlace,
): void {
  const actual = state.subagents[at]
  const parentAt = shown.findIndex(({ name }) => name !== undefined && name === agent.parent)
  expect(actual?.parentConversationId).toBe(
    agent.parent === 'main' ? 'main' : state.subagents[parentAt]?.toolUseId,
  )
  expect(actual?.status).toBe(ofRun(agent.status, run) === 'completed' ? 'success' : 'error')
  if (agent.finalText !== undefined) expect(actual?.output).toBe(agent.finalText)
  // No stream has the prompt of an agent of the newer tools.
  if (agent.prompt !== undefined && actual?.prompt !== undefined) expect(actual.prompt).toBe(agent.prompt)
  if (agent.finalText !== undefined && form !== 'exec')
    expect(actual && textsOf(actual).at(-1)).toBe(agent.finalText)
}
