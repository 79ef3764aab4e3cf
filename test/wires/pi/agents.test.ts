import { describe, expect, it } from 'vitest'
import { calls, entry, live, read, result, says, textsOf, user } from './made-lines.ts'

const agentsOf = (messages: readonly unknown[]) =>
  read(messages).state.subagents.map(({ toolUseId, name, status, output }) => ({
    toolUseId,
    name,
    status,
    output,
  }))

const run = (agent: string, status: string, messages: readonly unknown[] = [], fields: object = {}) => ({
  agent,
  agentSource: 'user',
  task: `${agent} works`,
  status,
  exitCode: status === 'completed' ? 0 : null,
  messages,
  ...fields,
})

const update = (id: string, results: readonly unknown[]) => ({
  type: 'tool_execution_update',
  toolCallId: id,
  toolName: 'subagent',
  partialResult: { content: [], details: { mode: 'parallel', results } },
})

const LIST = {
  tasks: [
    { agent: 'scout', task: 'scout works' },
    { agent: 'worker', task: 'worker works' },
  ],
}

describe('agents of the extension `subagent`', () => {
  const start = [...live(user(1, 'Go.')), ...live(calls(2, 'c1', 'subagent', LIST))]

  it('wait until they start, and end one by one', () => {
    expect(agentsOf(start).map(({ status }) => status)).toEqual(['pending', 'pending'])
    const works = [user(3, 'Task: scout works'), says(4, 'Seen.')]
    const half = [run('scout', 'completed', works), { ...run('worker', 'pending'), agentSource: 'unknown' }]
    expect(agentsOf([...start, update('c1', half)])).toEqual([
      { toolUseId: 'c1/1', name: 'scout', status: 'success', output: 'Seen.' },
      { toolUseId: 'c1/2', name: 'worker', status: 'pending', output: undefined },
    ])
  })

  it('that do not exist are none, and a call of one alone fails', () => {
    const ghost = run('ghost', 'failed', [], { agentSource: 'unknown', errorMessage: 'Unknown agent' })
    const end = (id: string, mode: string, results: readonly unknown[]) =>
      live(result(6, id, 'subagent', { isError: true, details: { mode, results } }))
    expect(agentsOf([...start, ...end('c1', 'parallel', [run('scout', 'completed'), ghost])])).toHaveLength(1)
    const single = [
      ...live(user(1, 'Go.')),
      ...live(calls(2, 'c1', 'subagent', { agent: 'ghost', task: 'Haunt' })),
    ]
    expect(agentsOf([...single, ...end('c1', 'single', [ghost])])).toMatchObject([{ status: 'error' }])
  })

  it('of a chain start one after the other', () => {
    const chain = { chain: LIST.tasks }
    const begun = [...live(user(1, 'Go.')), ...live(calls(2, 'c1', 'subagent', chain))]
    expect(agentsOf(begun)).toHaveLength(1)
    expect(
      agentsOf([...begun, update('c1', [run('scout', 'completed'), run('worker', 'running')])]),
    ).toMatchObject([
      { toolUseId: 'c1/1', status: 'success' },
      { toolUseId: 'c1/2', status: 'running' },
    ])
  })

  it('are gone if their call fails before they start', () => {
    const end = result(6, 'c1', 'subagent', { isError: true, details: { mode: 'parallel', results: [] } })
    expect(agentsOf([...start, ...live(end)])).toEqual([])
  })

  it('are found by a reader that joins late', () => {
    const { partialResult } = update('c1', [run('scout', 'running'), run('worker', 'running')])
    const late = {
      type: 'tool_execution_update',
      toolCallId: 'c1',
      toolName: 'subagent',
      args: LIST,
      partialResult,
    }
    expect(agentsOf([late]).map(({ status }) => status)).toEqual(['running', 'running'])
  })
})

describe('an agent of pi-subagents in the background', () => {
  const id = '5f42b435-ba0a-4e5a-8959-60b9522693d9'
  const launch = result(3, 'c1', 'subagent', {
    content: [{ type: 'text', text: `Async: scout [${id}]` }],
    details: { mode: 'single', runId: id, asyncId: id, results: [] },
  })
  const begun = [
    entry('e1', null, { message: user(1, 'Go.') }),
    entry('e2', 'e1', {
      message: calls(2, 'c1', 'subagent', { agent: 'scout', task: 'Measure', async: true }),
    }),
    entry('e3', 'e2', { message: launch }),
    { ...entry('f1', null, { message: user(4, 'Task: Measure') }), agentId: `${id}/run-0` },
    { ...entry('f2', 'f1', { message: says(5, 'Four lines.') }), agentId: `${id}/run-0` },
    entry('e4', 'e3', { message: says(6, 'It runs.') }),
  ]

  it.each([
    ['completed', 'success'],
    ['failed', 'error'],
    ['paused', 'running'],
  ])('is %s with its notification', (word, status) => {
    const content = `Background task ${word}: **scout**\n\nFour lines.\n\nSession: /srv/s/${id}/run-0/session.jsonl`
    const note = entry('e5', 'e4', {
      type: 'custom_message',
      customType: 'subagent-notify',
      content,
      display: true,
    })
    expect(agentsOf([...begun, note])).toMatchObject([{ status }])
  })
})

// The folder of the file has an id of its own, which only the report names.
it.each([
  ['the run', { runId: 'r1', asyncId: 'r1' }, 'Run: r1'],
  ['its name alone', { asyncId: 'a1' }, ''],
])(
  'an agent in the background keeps its conversation if its report names the file and %s',
  (_, ids, words) => {
    const launch = result(3, 'c1', 'subagent', { details: { mode: 'single', results: [], ...ids } })
    const content = `Background task completed: **scout**\n\nFour.\n\n${words}\nSession file: /srv/s/f7/run-0/session.jsonl`
    const { state, issues } = read([
      entry('e1', null, { message: user(1, 'Go.') }),
      entry('e2', 'e1', {
        message: calls(2, 'c1', 'subagent', { agent: 'scout', task: 'Measure', async: true }),
      }),
      entry('e3', 'e2', { message: launch }),
      { ...entry('f1', null, { message: user(4, 'Task: Measure') }), agentId: 'f7/run-0' },
      { ...entry('f2', 'f1', { message: says(5, 'Four lines.') }), agentId: 'f7/run-0' },
      entry('e4', 'e3', { message: says(6, 'It runs.') }),
      entry('e5', 'e4', { type: 'custom_message', customType: 'subagent-notify', content, display: true }),
    ])
    expect(state.subagents).toMatchObject([{ toolUseId: 'c1', status: 'success' }])
    expect(textsOf(state.subagents[0]?.blocks ?? [])).toEqual(['Measure', 'Four lines.'])
    expect(issues).toEqual([])
  },
)

// Pi's own extension answers so if the person does not approve an agent of the project.
it('an agent that the person refused is no success', () => {
  const refused = result(3, 'c1', 'subagent', {
    content: [{ type: 'text', text: 'Canceled: project-local agents not approved.' }],
    details: { mode: 'single', results: [] },
  })
  const [agent] = agentsOf([
    entry('e1', null, { message: user(1, 'Go.') }),
    entry('e2', 'e1', { message: calls(2, 'c1', 'subagent', { agent: 'scout', task: 'Measure' }) }),
    entry('e3', 'e2', { message: refused }),
  ])
  expect(agent).toMatchObject({ status: 'error', output: 'Canceled: project-local agents not approved.' })
})

describe('an agent of Oh My Pi', () => {
  const details = (id: string, task: string) => ({
    results: [],
    progress: [{ index: 0, id, agent: 'task', status: 'pending', assignment: task }],
    async: { state: 'running', jobId: id, type: 'task' },
  })
  const spawn = (second: number, id: string, name: string, task: string) => [
    { message: calls(second, id, 'task', { tasks: [{ name, task, agent: 'task' }] }) },
    { message: result(second + 1, id, 'task', { details: details(name, task) }) },
  ]
  const [call, launched] = spawn(2, 'c1', 'Outer', 'Delegate')
  const [innerCall, innerLaunched] = spawn(5, 'c2', 'Outer.Inner', 'Read')
  const of = (agentId: string, lines: readonly object[]) =>
    lines.map((line, at) => ({ ...entry(`${agentId}${at}`, null, line), agentId }))
  const outer = of('Outer', [
    { message: user(4, 'Complete assignment thoroughly:\n\nDelegate') },
    { ...innerCall },
    { ...innerLaunched },
  ])
  const inner = of('Outer.Inner', [{ message: user(7, 'Complete assignment thoroughly:\n\nRead') }])
  const main = [
    entry('e1', null, { message: user(1, 'Go.') }),
    entry('e2', 'e1', { ...call }),
    entry('e3', 'e2', { ...launched }),
  ]

  it('has the agents that it starts below itself, whichever file comes first', () => {
    for (const lines of [
      [...main, ...outer, ...inner],
      [...inner, ...outer, ...main],
    ]) {
      const { subagents } = read(lines).state
      expect(
        subagents.map(({ agentId, parentConversationId, prompt }) => [agentId, parentConversationId, prompt]),
      ).toEqual([
        ['Outer', 'main', 'Delegate'],
        ['Outer.Inner', 'c1/1', 'Read'],
      ])
      expect(subagents.map(({ blocks }) => textsOf(blocks))).toEqual([['Delegate'], ['Read']])
    }
  })

  it('whose call never comes is an issue at the end', () => {
    expect(read(inner).end.issues).toMatchObject([{ code: 'unplaced-message', toolUseId: 'Outer.Inner' }])
  })
})
