import { asObject, asString } from '../../json/values.ts'
import type { Todo, TodoStatus } from '../../state/todo.ts'

/** Returns the plan after a call that has not failed. The plan is a table in the session's database. Undefined if the call does not change it. */
export function todosAfterCall(
  { toolName, input }: { readonly toolName: string; readonly input: unknown },
  before: readonly Todo[],
): readonly Todo[] | undefined {
  const query = toolName === 'sql' ? asString(asObject(input).query) : undefined
  const after = query === undefined ? before : todosAfterQuery(before, query)
  return after === before ? undefined : after
}

/**
 * Returns the plan after a query to the session's database, in which `todos` is the plan. A statement that cannot be read changes nothing.
 */
function todosAfterQuery(todos: readonly Todo[], query: string): readonly Todo[] {
  return statementsOf(query).reduce((before, statement) => afterStatement(before, statement), todos)
}

/** The words of a statement. A text keeps its quotes. */
type Words = readonly string[]

const WORD = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|[\w.]+|<>|!=|[^\s\w]/g

function statementsOf(query: string): readonly Words[] {
  const statements: string[][] = [[]]
  for (const word of query.match(WORD) ?? []) {
    if (word.startsWith('--')) continue
    if (word === ';') statements.push([])
    else statements.at(-1)?.push(word)
  }
  return statements
}

function afterStatement(todos: readonly Todo[], words: Words): readonly Todo[] {
  const at = words.findIndex((word) => nameOf(word) === 'todos')
  const head = words.slice(0, at).map(nameOf).join(' ')
  const rest = words.slice(at + 1)
  if (at < 0) return todos
  if (/^(?:insert(?: or \w+)?|replace) into$/.test(head)) return inserted(todos, rest, head)
  if (/^update(?: or \w+)?$/.test(head)) return updated(todos, rest)
  if (head === 'delete from') return todos.filter((todo) => matches(todo, whereOf(rest)) !== true)
  return head.startsWith('drop table') ? [] : todos
}

/** The columns of the table, in its order. */
const COLUMNS = ['id', 'title', 'description', 'status']

function inserted(todos: readonly Todo[], words: Words, head: string): readonly Todo[] {
  const at = words.findIndex((word) => nameOf(word) === 'values')
  const named = words.slice(0, Math.max(0, at)).map(nameOf).filter(isName)
  const columns = named.length > 0 ? named : COLUMNS
  const end = words.findIndex((word, index) => index > at && nameOf(word) === 'on')
  const rows = rowsOf(words.slice(at + 1, end < 0 ? undefined : end))
  const result = new Map(todos.map((todo, index) => [todo.id ?? `#${index}`, todo]))
  for (const row of at < 0 ? [] : rows) {
    const todo = withColumns(
      EMPTY,
      columns.map((column, index) => [column, row[index] ?? '']),
    )
    const key = todo.id ?? `#${result.size}`
    if (result.has(key) && head.endsWith('or ignore into')) continue
    // SQLite replaces a row by a new one at the end. `ON CONFLICT` changes the old one.
    if (end < 0) result.delete(key)
    result.set(key, todo)
  }
  return [...result.values()]
}

const EMPTY: Todo = { text: '', status: 'pending' }

/** Returns the values in each pair of parentheses. */
function rowsOf(words: Words): readonly Words[] {
  const rows: string[][] = []
  for (const word of words) {
    if (word === '(') rows.push([])
    else if (word !== ')' && word !== ',') rows.at(-1)?.push(word)
  }
  return rows
}

function updated(todos: readonly Todo[], words: Words): readonly Todo[] {
  const at = words.findIndex((word) => nameOf(word) === 'where')
  const values = words.slice(0, at < 0 ? undefined : at)
  const columns = values.flatMap((word, index): readonly [string, string][] =>
    word === '=' ? [[nameOf(values[index - 1]), values[index + 1] ?? '']] : [],
  )
  const where = whereOf(words)
  return todos.map((todo) => (matches(todo, where) ? withColumns(todo, columns) : todo))
}

function withColumns(todo: Todo, columns: readonly (readonly [string, string])[]): Todo {
  let { id, text, status } = todo
  for (const [column, word] of columns) {
    if (column === 'id') id = textOf(word)
    if (column === 'title') text = textOf(word)
    if (column === 'status') status = statusOf(textOf(word))
  }
  return id === undefined ? { text, status } : { id, text, status }
}

const STATUSES: ReadonlyMap<string, TodoStatus> = new Map([
  ['in_progress', 'in_progress'],
  ['done', 'completed'],
  ['completed', 'completed'],
  ['cancelled', 'cancelled'],
])

/** A blocked entry waits. */
function statusOf(value: string): TodoStatus {
  return STATUSES.get(value) ?? 'pending'
}

function whereOf(words: Words): Words {
  const at = words.findIndex((word) => nameOf(word) === 'where')
  return at < 0 ? [] : words.slice(at + 1)
}

/** Whether a row matches conditions that `AND` joins. Undefined if a condition cannot be read. */
function matches(todo: Todo, where: Words): boolean | undefined {
  if (where.length === 0) return true
  const end = where.findIndex((word) => nameOf(word) === 'and')
  const [column, operator, ...values] = end < 0 ? where : where.slice(0, end)
  const rest = end < 0 ? true : matches(todo, where.slice(end + 1))
  const own = columnOf(todo, nameOf(column))
  const isNegative = operator === '!' || operator === '!=' || operator === '<>' || nameOf(operator) === 'not'
  const isComparison = operator === '=' || isNegative || nameOf(operator) === 'in'
  if (own === undefined || !isComparison || rest === undefined) return undefined
  const listed = values.filter((word) => /^['"\w]/.test(word) && nameOf(word) !== 'in').map(textOf)
  const isListed = listed.some((value) => (nameOf(column) === 'status' ? statusOf(value) : value) === own)
  return isListed !== isNegative && rest
}

function columnOf({ id, text, status }: Todo, column: string): string | undefined {
  return new Map([
    ['id', id],
    ['title', text],
    ['status', status],
  ]).get(column)
}

/** Returns a name or a keyword in lower case, without its quotes. */
function nameOf(word = ''): string {
  return word.replace(/^["`[]|["`\]]$/g, '').toLowerCase()
}

function isName(word: string): boolean {
  return /^\w+$/.test(word)
}

function textOf(word: string): string {
  return /^['"]/.test(word) ? word.slice(1, -1).replaceAll("''", "'") : word
}
