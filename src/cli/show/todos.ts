import type { Todo } from '../../state/todo.ts'
import { hang, wrapWords } from '../terminal/wrap.ts'
import type { View } from './view.ts'

const MARKS: Readonly<Record<Todo['status'], string>> = {
  pending: '☐ ',
  in_progress: '▣ ',
  completed: '☑ ',
  cancelled: '☒ ',
}

/** Returns a plan as a list. */
export function todoLines({ text, paint }: View, todos: readonly Todo[], width: number): readonly string[] {
  return todos.flatMap(({ status, text: words }) => {
    const lines = wrapWords(text.short(words, 1000), width - 2)
    const isOver = status === 'completed' || status === 'cancelled'
    const painted = lines.map((line) =>
      isOver ? paint(line, 'dim') : status === 'in_progress' ? paint(line, 'bold') : line,
    )
    return hang(MARKS[status], painted)
  })
}
