import type { EntryHead } from './entry.ts'
import type { PathCollector } from './path-columns.ts'
import type { RowFacts } from './session-row.ts'

/** Values of one field, each once. A place is the number of a value, or -1 without one. Without places, each entry has its own value. */
interface FieldColumn {
  readonly values: readonly unknown[]
  readonly places?: readonly number[]
}

const HEAD_FIELDS = [
  'changedAt',
  'guard',
  'found',
  'isRecent',
  'issue',
] as const satisfies (keyof EntryHead)[]

const FACT_FIELDS = [
  ...(['id', 'format', 'program', 'cwd', 'startedIn', 'updatedAt', 'costUsd'] as const),
  ...(['ended', 'open', 'lastAt', 'tools', 'hasFailures'] as const),
] satisfies (keyof RowFacts)[]

/** The heads of many entries as JSON, by field: a list of ten thousand is parsed in some ms so. */
export interface HeadColumns {
  /** The numbers of their paths. */
  readonly keys: readonly number[]
  readonly fields: Readonly<Record<(typeof HEAD_FIELDS)[number], FieldColumn>>
  readonly facts: Readonly<Record<(typeof FACT_FIELDS)[number], FieldColumn>>
}

/** Returns heads by field. Their keys are among the paths. */
export function headColumns(heads: readonly EntryHead[], paths: PathCollector): HeadColumns {
  return {
    keys: heads.map(({ key }) => paths.add(key)),
    fields: {
      changedAt: columnOf(heads.map((head) => head.changedAt)),
      guard: columnOf(heads.map((head) => head.guard)),
      found: columnOf(heads.map((head) => head.found)),
      isRecent: columnOf(heads.map((head) => head.isRecent)),
      issue: columnOf(heads.map((head) => head.issue)),
    },
    facts: Object.fromEntries(
      FACT_FIELDS.map((field) => [field, columnOf(heads.map(({ facts }) => facts?.[field]))]),
    ) as HeadColumns['facts'],
  }
}

function columnOf(list: readonly unknown[]): FieldColumn {
  const values: unknown[] = []
  const known = new Map<string, number>()
  const places = list.map((value) => {
    if (value === undefined) return -1
    const name = JSON.stringify(value)
    const place = known.get(name) ?? values.push(value) - 1
    known.set(name, place)
    return place
  })
  return values.length === list.length ? { values } : { values, places }
}

/** Returns the heads of columns. Heads with equal values share them. */
export function headsIn(
  { keys, fields, facts }: HeadColumns,
  paths: readonly string[],
): readonly EntryHead[] {
  return keys.map((path, at) => {
    const head: Record<string, unknown> = { key: paths[path] ?? '' }
    setFields(head, HEAD_FIELDS, fields, at)
    if (valueAt(facts.id, at) === undefined) return head as unknown as EntryHead
    const row: Record<string, unknown> = {}
    setFields(row, FACT_FIELDS, facts, at)
    head.facts = row
    return head as unknown as EntryHead
  })
}

function setFields<Name extends string>(
  target: Record<string, unknown>,
  names: readonly Name[],
  columns: Readonly<Record<Name, FieldColumn>>,
  at: number,
): void {
  for (const name of names) {
    const value = valueAt(columns[name], at)
    if (value !== undefined) target[name] = value
  }
}

function valueAt({ values, places }: FieldColumn, at: number): unknown {
  return values[places ? (places[at] ?? -1) : at]
}
