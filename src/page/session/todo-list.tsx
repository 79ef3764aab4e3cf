import type { Todo } from 'agentfold'
import { useTodos } from 'agentfold/react'
import type { ReactNode } from 'react'
import type { TodoStatus } from '../../core/state/todo.ts'
import { Details } from '../rows/details.tsx'

const MARKS: Readonly<Record<TodoStatus, string>> = {
  pending: '○',
  in_progress: '▸',
  completed: '✓',
  cancelled: '✕',
}

const WORDS: Readonly<Record<TodoStatus, string>> = {
  pending: 'to do',
  in_progress: 'in progress',
  completed: 'done',
  cancelled: 'cancelled',
}

interface TodoListProps {
  readonly conversationId: string
  readonly isOpen: boolean
}

/** The plan of an agent. Empty without one. */
export function TodoList({ conversationId, isOpen }: TodoListProps): ReactNode {
  const todos = useTodos(conversationId)
  if (todos.length === 0) return null
  const counted = todos.filter(({ status }) => status !== 'cancelled')
  const completed = counted.filter(({ status }) => status === 'completed')
  return (
    <div className="todos" data-todos={conversationId}>
      <Details
        id={`todos ${conversationId}`}
        isOpenByDefault={isOpen}
        summary={
          <>
            <span className="summary-name">
              Todos {completed.length}/{counted.length}
            </span>
            <span className="preview">{todos.find(({ status }) => status === 'in_progress')?.text}</span>
          </>
        }
      >
        {() => <Todos todos={todos} />}
      </Details>
    </div>
  )
}

interface TodosProps {
  readonly todos: readonly Todo[]
  /** The name of the shown field of the block, for tests. */
  readonly field?: string
}

/** The entries of a plan. */
export function Todos({ todos, field }: TodosProps): ReactNode {
  return (
    <ul>
      {todos.map((todo, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: todos have no id
        <Entry key={at} todo={todo} field={field} />
      ))}
    </ul>
  )
}

interface EntryProps {
  readonly todo: Todo
  readonly field: string | undefined
}

function Entry({ todo: { text, status }, field }: EntryProps): ReactNode {
  return (
    <li className={`todo ${status}`}>
      <span role="img" aria-label={WORDS[status]}>
        {MARKS[status]}
      </span>
      <span className="todo-text" data-field={field}>
        {text}
      </span>
    </li>
  )
}
