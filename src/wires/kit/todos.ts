import { asArray, asObject, asString } from '../../core/json/values.ts'
import { isTodoStatus, type Todo } from '../../core/state/todo.ts'

/**
 * Reads the entries of a plan as several programs write them: `{ content, status }` or `{ title, status }`. An entry
 * without a text is none.
 */
export function readTodos(entries: unknown): readonly Todo[] {
  return asArray(entries).flatMap((entry) => {
    const { content, title, ...fields } = asObject(entry)
    const text = asString(content) ?? asString(title)
    const status = fields.status === 'done' ? 'completed' : fields.status
    return text === undefined ? [] : [{ text, status: isTodoStatus(status) ? status : 'pending' }]
  })
}
