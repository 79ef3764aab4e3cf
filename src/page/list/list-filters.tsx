import { type FormEvent, type ReactNode, type RefObject, useMemo } from 'react'
import type { ListEntry } from './entry.ts'
import {
  choicesOf,
  type ListFilter,
  matchingEntries,
  NO_FILTER,
  queryOf,
  STATUS_GROUPS,
  type StatusGroup,
  statusGroupOf,
} from './filter.ts'

interface ListFiltersProps {
  readonly filter: ListFilter
  readonly entries: readonly ListEntry[]
  /** Whether the statuses of all sessions are known. */
  readonly isCounted: boolean
  readonly field: RefObject<HTMLInputElement | null>
  readonly onChange: (filter: ListFilter) => void
  /** Searches a text in the texts of all sessions. */
  readonly onSearch: (text: string) => void
}

/** The fields above the list. Each change shows at once; Enter searches the texts of all sessions. */
export function ListFilters({
  filter,
  entries,
  isCounted,
  field,
  onChange,
  onSearch,
}: ListFiltersProps): ReactNode {
  const text = filter.filter || filter.search
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') onSearch(text.trim())
  }
  return (
    <form className="list-filters" onSubmit={submit}>
      <label className="list-search">
        <span className="visually-hidden">Filter by title, folder, program or model</span>
        <input
          ref={field}
          type="search"
          dir="auto"
          value={text}
          placeholder="Title, folder, program ( / )"
          onChange={({ target }) => onChange({ ...filter, filter: target.value, search: '' })}
        />
      </label>
      <button type="submit" disabled={text.trim() === ''}>
        Search all texts
      </button>
      <StatusChips filter={filter} entries={entries} isCounted={isCounted} onChange={onChange} />
      <Choice name="Program" value={filter.program} onChange={(program) => onChange({ ...filter, program })}>
        {choicesOf(entries, 'program')}
      </Choice>
      <Choice name="Folder" value={filter.cwd} onChange={(cwd) => onChange({ ...filter, cwd })}>
        {choicesOf(entries, 'cwd')}
      </Choice>
      <label>
        Changed
        <select value={filter.since} onChange={({ target }) => onChange({ ...filter, since: target.value })}>
          <option value="">any time</option>
          {filter.since.includes('-') && <option value={filter.since}>{filter.since}</option>}
          <option value="1">last 24 hours</option>
          <option value="7">last 7 days</option>
          <option value="30">last 30 days</option>
        </select>
      </label>
      {queryOf(filter) !== '' && (
        <button type="button" onClick={() => onChange(NO_FILTER)}>
          Clear
        </button>
      )}
    </form>
  )
}

type ChipsProps = Pick<ListFiltersProps, 'filter' | 'entries' | 'isCounted' | 'onChange'>

/** A chip for each status, with the number of sessions that the other filters leave. */
function StatusChips({ filter, entries, isCounted, onChange }: ChipsProps): ReactNode {
  const counts = useMemo(() => {
    const found = new Map<StatusGroup | undefined, number>()
    for (const entry of matchingEntries(entries, { ...filter, status: '' }, Date.now()))
      found.set(statusGroupOf(entry), (found.get(statusGroupOf(entry)) ?? 0) + 1)
    return found
  }, [entries, filter])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out with the other fields
    <div className="list-chips" role="group" aria-label="Status">
      {STATUS_GROUPS.map(([group, name]) => (
        <button
          key={group}
          type="button"
          aria-pressed={filter.status === group}
          onClick={() => onChange({ ...filter, status: filter.status === group ? '' : group })}
        >
          {name} <span className="list-number">{counts.get(group) ?? (isCounted ? 0 : '…')}</span>
        </button>
      ))}
    </div>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly children: ReturnType<typeof choicesOf>
}

/** A value in the address may be of no session in the list, and stays a choice. */
function Choice({ name, value, onChange, children }: ChoiceProps): ReactNode {
  const isKnown = value === '' || children.some(([known]) => known === value)
  return (
    <label>
      {name}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">all</option>
        {!isKnown && <option value={value}>{value}</option>}
        {children.map(([known, count]) => (
          <option key={known} value={known}>
            {known} ({count})
          </option>
        ))}
      </select>
    </label>
  )
}
