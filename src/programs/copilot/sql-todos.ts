import { asObject, asString } from '../../core/json/values.ts'
import type { Todo, TodoStatus } from '../../core/state/todo.ts'

/**
 * Returns the plan after a call that has not failed, or undefined if the call does not change it. The plan is the
 * table `todos` of the session's database. A statement that cannot be read changes nothing.
 */
export function todosAfterCall(
  { toolName, input }: { readonly toolName: string; readonly input: unknown },
  before: readonly Todo[],
): readonly Todo[] | undefined {
  const query = toolName === 'sql' ? (asString(asObject(input).query) ?? '') : ''
  const after = statementsOf(query).reduce(afterStatement, before)
  return after === before ? undefined : after
}

/** The words of a statement. A text keeps its quotes. */
type Words = readonly string[]

const WORD = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|[\w.]+|<>|!=|[^\s\w]/g

function statementsOf(query: string): readonly Words[] {
  const statements: string[][] = [[]]
  for (const word of query.match(WORD) ?? []) {
    if (word === ';') statements.push([])
    else if (!word.startsWith('--')) statements.at(-1)?.push(word)
  }
  return statements
}

function afterStatement(todos: readonly Todo[], words: Words): readonly Todo[] {
  const at = words.findIndex((word) => nameOf(word) === 'todos')
  const head = words.slice(0, Math.max(0, at)).map(nameOf).join(' ')
  const [body, where] = split(words.slice(at + 1), 'where')
  if (/^(?:insert(?: or \w+)?|replace) into$/.test(head)) return inserted(todos, body, head)
  if (head === 'delete from') return todos.filter((todo) => matches(todo, where) !== true)
  if (!/^update(?: or \w+)?$/.test(head)) return todos
  const columns = body.flatMap((word, index): Column[] =>
    word === '=' ? [[nameOf(body[index - 1]), body[index + 1]]] : [],
  )
  return todos.map((todo) => (matches(todo, where) ? withColumns(todo, columns) : todo))
}

/** Returns the words before and after the first keyword. */
function split(words: Words, keyword: string): readonly [Words, Words] {
  const at = words.findIndex((word) => nameOf(word) === keyword)
  return at < 0 ? [words, []] : [words.slice(0, at), words.slice(at + 1)]
}

function inserted(todos: readonly Todo[], body: Words, head: string): readonly Todo[] {
  const [names, values] = split(body, 'values')
  const [rows, conflict] = split(values, 'on')
  const named = names.map(nameOf).filter((name) => /^\w+$/.test(name))
  const columns = named.length > 0 ? named : ['id', 'title', 'description', 'status']
  const result = new Map(todos.map((todo, index) => [todo.id ?? `#${index}`, todo]))
  for (const row of rowsOf(rows)) {
    const todo = withColumns(
      { text: '', status: 'pending' },
      columns.map((column, index): Column => [column, row[index]]),
    )
    const key = todo.id ?? `#${result.size}`
    if (result.has(key) && head.includes('ignore')) continue
    // SQLite replaces a row by a new one at the end. `ON CONFLICT` changes the old one.
    if (conflict.length === 0) result.delete(key)
    result.set(key, todo)
  }
  return [...result.values()]
}

/** Returns the values in each pair of parentheses. */
function rowsOf(words: Words): readonly Words[] {
  const rows: string[][] = []
  for (const word of words) {
    if (word === '(') rows.push([])
    else if (word !== ')' && word !== ',') rows.at(-1)?.push(word)
  }
  return rows
}

type Column = readonly [name: string, value: string | undefined]

function withColumns(todo: Todo, columns: readonly Column[]): Todo {
  let { id, text, status } = todo
  for (const [column, word = ''] of columns) {
    if (column === 'id') id = textIn(word)
    if (column === 'title') text = textIn(word)
    if (column === 'status') status = statusOf(textIn(word))
  }
  return id === undefined ? { text, status } : { id, text, status }
}

/** A blocked entry waits. */
function statusOf(value: string): TodoStatus {
  if (value === 'done') return 'completed'
  return value === 'in_progress' || value === 'completed' || value === 'cancelled' ? value : 'pending'
}

/** Whether a row matches conditions that `AND` joins. Undefined if a condition cannot be read. */
function matches(todo: Todo, where: Words): boolean | undefined {
  if (where.length === 0) return true
  const [[name, operator, ...values], others] = split(where, 'and')
  const column = nameOf(name)
  const own = new Map([
    ['id', todo.id],
    ['title', todo.text],
    ['status', todo.status],
  ]).get(column)
  const isNegative = ['!=', '<>', 'not'].includes(nameOf(operator))
  const rest = matches(todo, others)
  if (own === undefined || rest === undefined) return undefined
  if (!isNegative && !['=', 'in'].includes(nameOf(operator))) return undefined
  const listed = values.filter((word) => /^['"\w]/.test(word) && nameOf(word) !== 'in').map(textIn)
  const isListed = listed.some((value) => (column === 'status' ? statusOf(value) : value) === own)
  return isListed !== isNegative && rest
}

/** Returns a name, a keyword or an operator in lower case, without quotes. */
function nameOf(word = ''): string {
  return word.replace(/^["`[]|["`\]]$/g, '').toLowerCase()
}

function textIn(word: string): string {
  return /^['"]/.test(word) ? word.slice(1, -1).replaceAll("''", "'") : word
}
