import { expect, it } from 'vitest'
import { todos } from '../../../../src/entries/index.ts'
import { compareSessions } from '../../../../src/entries/parity.ts'
import {
  answer,
  child,
  completed,
  failed,
  type Message,
  main,
  prompt,
  readEvents,
  running,
  taskTarget,
} from '../messages.ts'
import { replay } from '../recordings.ts'
import { readBoth, toExports } from '../stored.ts'

const list = (...statuses: readonly string[]) =>
  statuses.map((status, at) => ({ content: `Step ${at}`, status, priority: 'low' }))
const write = (id: string, state: Message) => main.tool('msg_02', id, state, { tool: 'todowrite' })
const plan = (id: string, ...statuses: readonly string[]) => [
  main.event('todo.updated', { todos: list(...statuses) }),
  write(id, completed('[]', { input: {}, metadata: { todos: list(...statuses) } })),
]
const begin = [...prompt, main.assistantStart('msg_02')]
const end = [main.assistantEnd('msg_02', { finish: 'tool-calls' }), ...answer]

it('is the last list that the agent wrote, live and stored', () => {
  const { state } = readBoth(
    ...begin,
    ...plan('prt_02', 'in_progress', 'pending'),
    ...plan('prt_03', 'completed', 'cancelled'),
    ...end,
  )
  expect(todos(state)).toEqual([
    { text: 'Step 0', status: 'completed' },
    { text: 'Step 1', status: 'cancelled' },
  ])
})

it('comes from the input if the call has no metadata', () => {
  const { state } = readBoth(
    ...begin,
    write('prt_02', completed('', { input: { todos: list('pending') } })),
    ...end,
  )
  expect(todos(state)).toEqual([{ text: 'Step 0', status: 'pending' }])
})

it('stays when a later call fails', () => {
  const wrong = write('prt_03', failed('no', { input: { todos: [] } }))
  const { state } = readBoth(...begin, ...plan('prt_02', 'pending'), wrong, ...end)
  expect(todos(state)).toHaveLength(1)
})

// The export has no trace of the plan, because the call is gone.
it('stays when a revert removes the message that made it', () => {
  const revert = main.updated({ revert: { messageID: 'msg_02' } })
  const next = [main.updated(), main.user('msg_03'), main.userText('msg_03', 'prt_03', 'Again.')]
  const removal = [revert, main.removed('msg_02'), ...next]
  const events = [...begin, ...plan('prt_02', 'pending'), ...removal, ...answer]
  const live = readEvents(...events).state
  expect(todos(live)).toHaveLength(1)
  const stored = replay(JSON.stringify(toExports(events))).state
  const { differences, excluded } = compareSessions(live, stored)
  expect(differences).toEqual([])
  expect(excluded).toContainEqual({ kind: 'unknown-fact', side: 'live', count: 1 })
})

it('is the subagent’s own', () => {
  const { state } = readEvents(
    ...prompt,
    child.created(),
    child.event('todo.updated', { todos: list('pending') }),
    main.task('msg_10', 'call-1', running(taskTarget(child.id))),
  )
  expect(todos(state)).toEqual([])
  expect(todos(state, 'call-1')).toHaveLength(1)
})

it('changes nothing if it is no list, and skips what is no todo', () => {
  const odd = [{ content: 7 }, null, { content: 'New', status: 'later' }]
  const { state, issues } = readEvents(
    ...begin,
    main.event('todo.updated', { todos: odd }),
    main.event('todo.updated', { todos: 'none' }),
  )
  expect(todos(state)).toEqual([{ text: 'New', status: 'pending' }])
  expect(issues).toEqual([])
})
