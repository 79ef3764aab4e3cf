import { describe, expect, it } from 'vitest'
import { todos } from '../../../../src/entries/index.ts'
import type { Session } from '../../../../src/reading/source.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { earlierRecordings, messagesIn, replay } from '../../recordings.ts'
import { reloaded } from '../../saved.ts'
import {
  assistantMessage,
  fromSubagent,
  type Message,
  modelLaunches,
  readStream,
  taskStarted,
  toolResult,
  toolUse,
  withUuids,
} from '../messages.ts'

let count = 0

/** A call and its result. */
function call(name: string, input: Message, output: string, record?: unknown, fields: Message = {}) {
  count += 1
  const id = `${name}-${count}`
  const result = { ...fields, ...(record !== undefined && { tool_use_result: record }) }
  return [assistantMessage(`m-${id}`, toolUse(id, name, input), fields), toolResult(id, output, result)]
}

const entry = (content: string, status = 'pending') => ({ content, status, activeForm: `${content}…` })
const todo = (text: string, status = 'pending') => ({ text, status })
const plan = (list: unknown, record?: unknown, fields: Message = {}) =>
  call('TodoWrite', { todos: list }, 'Todos have been modified successfully.', record, fields)

const create = (id: string, subject: string, fields: Message = {}, hasRecord = true) =>
  call(
    'TaskCreate',
    { subject, description: 'More.' },
    `Task #${id} created successfully: ${subject}`,
    hasRecord ? { task: { id, subject } } : undefined,
    fields,
  )
const update = (taskId: string, input: Message, fields: Message = {}, hasRecord = true) => {
  const record = {
    success: true,
    taskId,
    statusChange: input.status && { from: 'pending', to: input.status },
  }
  const text = `Updated task #${taskId} status`
  return call('TaskUpdate', { taskId, ...input }, text, hasRecord ? record : undefined, fields)
}

const todosOf = (...messages: readonly Message[]) => todos(readStream(...messages).state)

describe('the list of TodoWrite', () => {
  const list = [entry('Look', 'in_progress'), entry('Tidy')]

  it('is the one that the result reports', () => {
    expect(todosOf(...plan(list, { oldTodos: [], newTodos: [entry('Look', 'completed')] }))).toEqual([
      todo('Look', 'completed'),
    ])
  })

  it('is the input of the call if the line of the result has no record', () => {
    expect(todosOf(...plan(list))).toEqual([todo('Look', 'in_progress'), todo('Tidy')])
  })

  it('may become empty', () => {
    expect(todosOf(...plan(list), ...plan([], { newTodos: [] }))).toEqual([])
  })

  it('stays as it is after a failed call, and before the result', () => {
    const [failing] = plan([entry('Other')])
    const failed = toolResult(`TodoWrite-${count}`, 'no', {}, { is_error: true })
    const known = todosOf(...plan(list), failing ?? {}, failed)
    expect(known).toEqual([todo('Look', 'in_progress'), todo('Tidy')])
    expect(todosOf(plan(list)[0] ?? {})).toEqual([])
  })

  it('has only the well-formed entries', () => {
    expect(todosOf(...plan([null, 'x', { content: 1 }, entry('Odd', 'later'), entry('Good')]))).toEqual([
      todo('Good'),
    ])
    expect(todosOf(...plan('none', { newTodos: 7 }))).toEqual([])
  })

  it('belongs to the agent that made it', () => {
    const fields = fromSubagent('t1', 'a1')
    const { state } = readStream(
      ...plan(list),
      modelLaunches('m1', 't1'),
      taskStarted('a1', 't1'),
      ...plan([entry('Inner')], undefined, fields),
    )
    expect(todos(state)).toHaveLength(2)
    expect(todos(state, 't1')).toEqual([todo('Inner')])
  })
})

describe('the task list', () => {
  it.each([true, false])('comes from the results, with a record or with text alone: %s', (hasRecord) => {
    const messages = [
      ...create('1', 'Look', {}, hasRecord),
      ...create('2', 'Tidy', {}, hasRecord),
      ...create('3', 'Rest', {}, hasRecord),
      ...update('1', { status: 'completed' }, {}, hasRecord),
      ...update('2', { status: 'in_progress', subject: 'Tidy up' }, {}, hasRecord),
      ...update('3', { status: 'deleted' }, {}, hasRecord),
      ...update('9', { status: 'completed' }, {}, hasRecord),
    ]
    expect(todosOf(...messages)).toEqual([todo('Look', 'completed'), todo('Tidy up', 'in_progress')])
  })

  it('does not change if an update did not succeed', () => {
    const missing = { success: false, taskId: '1', updatedFields: [], error: 'Task not found' }
    const failed = call('TaskUpdate', { taskId: '1', status: 'completed' }, 'Task not found', missing)
    const unrecorded = call('TaskUpdate', { taskId: '1', status: 'completed' }, 'Task #1 not found')
    expect(todosOf(...create('1', 'Look'), ...failed, ...unrecorded)).toEqual([todo('Look')])
  })

  it('becomes what TaskList shows', () => {
    const tasks = [
      { id: '1', subject: 'Look', status: 'completed', blockedBy: [] },
      { id: '4', subject: 'New', status: 'pending', blockedBy: ['1'] },
      { id: 5 },
    ]
    const text = '#1 [completed] Look (me)\n#4 [pending] New [blocked by #1]\nother'
    const shown = [todo('Look', 'completed'), todo('New')]
    const before = [...create('1', 'Look'), ...create('2', 'Gone')]
    expect(todosOf(...before, ...call('TaskList', {}, text, { tasks }))).toEqual(shown)
    expect(todosOf(...before, ...call('TaskList', {}, text))).toEqual(shown)
    expect(todosOf(...before, ...call('TaskList', {}, 'No tasks found'))).toEqual([])
    expect(todosOf(...before, ...call('TaskList', {}, 'Something else'))).toHaveLength(2)
  })

  it('reports no list that has not changed', () => {
    const list = call('TaskList', {}, '#1 [pending] Look', {
      tasks: [{ id: '1', subject: 'Look', status: 'pending' }],
    })
    const { events } = readStream(...create('1', 'Look'), ...list, ...update('1', { owner: 'me' }))
    expect(events.filter(({ type }) => type === 'todos:updated')).toHaveLength(1)
  })

  it('is one for the session: a subagent changes the list of main', () => {
    const fields = fromSubagent('t1', 'a1')
    const { state } = readStream(
      ...create('1', 'Look'),
      modelLaunches('m1', 't1'),
      taskStarted('a1', 't1'),
      ...create('2', 'Inner', fields, false),
      ...update('1', { status: 'completed' }, fields, false),
    )
    expect(todos(state)).toEqual([todo('Look', 'completed'), todo('Inner')])
    expect(todos(state, 't1')).toEqual([])
  })

  it.each([true, false])('goes on from a saved session and from a state, with times: %s', (hasTimes) => {
    const at = (second: number): Message =>
      hasTimes ? { timestamp: `2026-01-01T12:00:0${second}.000Z` } : {}
    const messages = withUuids([
      ...create('1', 'Look', at(1)),
      ...create('2', 'Tidy', at(2)),
      ...update('1', { status: 'in_progress' }, at(3)),
      ...create('3', 'Rest', at(4)),
      ...update('2', { status: 'deleted' }, at(5)),
      ...update('1', { status: 'completed', subject: 'Look around' }, at(6)),
      ...update('3', { status: 'in_progress' }, at(7)),
    ])
    const final = read(messages).state.todos
    expect(final).toEqual([todo('Look around', 'completed'), todo('Rest', 'in_progress')])
    for (const cut of messages.keys()) {
      const session = read(messages.slice(0, cut))
      const starts = [session, reloaded(claudeSource, session), claudeSource.open(session.state)]
      for (const start of starts) {
        expect(read(messages.slice(cut), start).state.todos, `at ${cut}`).toEqual(final)
        expect(read(messages.slice(0, cut), start).state).toBe(start.state)
      }
    }
  })
})

it('follows the plan of a recording, on both sides', () => {
  const found = earlierRecordings.find(({ name }) => name.startsWith('08-todowrite'))
  for (const side of [found?.stream ?? '', found?.disk ?? '']) {
    const lists = replay(side).events.flatMap((event) =>
      event.type === 'todos:updated' ? [event.todos.map(({ text, status }) => [text, status])] : [],
    )
    expect(lists).toEqual([
      [
        ['Look', 'in_progress'],
        ['Report', 'pending'],
      ],
      [
        ['Look', 'completed'],
        ['Report', 'in_progress'],
        ['Tidy', 'pending'],
      ],
      [
        ['Look', 'completed'],
        ['Report', 'completed'],
      ],
    ])
  }
  const lines = messagesIn(found?.stream ?? '')
  expect(read([...lines, ...lines]).state.todos).toEqual(read(lines).state.todos)
})

function read(messages: readonly unknown[], session: Session = claudeSource.open()): Session {
  return claudeSource.read(session, messages).session
}
