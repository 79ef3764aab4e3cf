import { asArray, asObject, asString } from '../../json/values.ts'
import { isTodoStatus, type Todo } from '../../state/todo.ts'

/** Reads the entries of a plan as several programs write them: `{ content, status }`. An entry without a text is none. */
export function readTodos(entries: unknown): readonly Todo[] {
  return asArray(entries).flatMap((entry) => {
    const { content, status } = asObject(entry)
    const text = asString(content)
    return text === undefined ? [] : [{ text, status: isTodoStatus(status) ? status : 'pending' }]
  })
}
