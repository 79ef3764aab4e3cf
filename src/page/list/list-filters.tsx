import type { FormEvent, ReactNode } from 'react'
import { choicesOf, type ListFilter, NO_FILTER, queryOf } from './filter.ts'
import type { ListEntry } from './listing.ts'

interface ListFiltersProps {
  readonly filter: ListFilter
  readonly entries: readonly ListEntry[]
  readonly onChange: (filter: ListFilter) => void
  /** Searches the texts of all sessions. */
  readonly onSearch: () => void
}

/** The fields above the list. Each change shows at once; Enter searches the texts of all sessions. */
export function ListFilters({ filter, entries, onChange, onSearch }: ListFiltersProps): ReactNode {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (filter.text.trim() !== '') onSearch()
  }
  return (
    <form className="list-filters" onSubmit={submit}>
      <label className="list-search">
        <span className="visually-hidden">Filter by title, folder, program or model</span>
        <input
          type="search"
          value={filter.text}
          placeholder="Title, folder, program …"
          onChange={({ target }) => onChange({ ...filter, text: target.value })}
        />
      </label>
      <button type="submit" disabled={filter.text.trim() === ''}>
        Search all texts
      </button>
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
          <option value="1">last 24 hours</option>
          <option value="7">last 7 days</option>
          <option value="30">last 30 days</option>
        </select>
      </label>
      <label className="list-failed">
        <input
          type="checkbox"
          checked={filter.failed}
          onChange={({ target }) => onChange({ ...filter, failed: target.checked })}
        />
        Failed
      </label>
      {queryOf(filter) !== '' && (
        <button type="button" onClick={() => onChange(NO_FILTER)}>
          Clear
        </button>
      )}
    </form>
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
