import { expect, it } from 'vitest'
import { todos } from '../../../../src/entries/index.ts'
import { answer, completed, failed, type Message, main, prompt, readEvents } from '../messages.ts'
import { readBoth } from '../stored.ts'

const list = (...statuses: readonly string[]) =>
  statuses.map((status, at) => ({ content: `Step ${at}`, status, priority: 'low' }))
const write = (id: string, state: Message) => main.tool('msg_02', id, state, { tool: 'todowrite' })
const plan = (id: string, ...statuses: readonly string[]) => [
  main.event('todo.updated', { todos: list(...statuses) }),
  write(id, completed('[]', { input: {}, metadata: { todos: list(...statuses) } })),
]
const begin = [...prompt, main.assistantStart('msg_02')]
const end = [main.assistantEnd('msg_02', { finish: 'tool-calls' }), ...answer]

it('stays when a later call fails', () => {
  const wrong = write('prt_03', failed('no', { input: { todos: [] } }))
  const { state } = readBoth(...begin, ...plan('prt_02', 'pending'), wrong, ...end)
  expect(todos(state)).toHaveLength(1)
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
