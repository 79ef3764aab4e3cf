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
  const factsAt = factsReader(facts)
  return keys.map((path, at) => {
    // Objects with all fields are made fast. An absent value is undefined in them.
    const head = {
      key: paths[path] ?? '',
      changedAt: valueAt(fields.changedAt, at),
      guard: valueAt(fields.guard, at),
      found: valueAt(fields.found, at),
      isRecent: valueAt(fields.isRecent, at),
      issue: valueAt(fields.issue, at),
      facts: factsAt(at),
    }
    return head as EntryHead
  })
}

function factsReader(facts: HeadColumns['facts']): (at: number) => RowFacts | undefined {
  return (at) => {
    const id = valueAt(facts.id, at)
    if (id === undefined) return undefined
    const row = {
      id,
      format: valueAt(facts.format, at),
      program: valueAt(facts.program, at),
      cwd: valueAt(facts.cwd, at),
      startedIn: valueAt(facts.startedIn, at),
      updatedAt: valueAt(facts.updatedAt, at),
      costUsd: valueAt(facts.costUsd, at),
      ended: valueAt(facts.ended, at),
      open: valueAt(facts.open, at),
      lastAt: valueAt(facts.lastAt, at),
      tools: valueAt(facts.tools, at),
      hasFailures: valueAt(facts.hasFailures, at),
    }
    return row as RowFacts
  }
}

function valueAt({ values, places }: FieldColumn, at: number): unknown {
  return places === undefined ? values[at] : values[places[at] ?? -1]
}
