import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { parseJson } from '../../core/json/values.ts'
import { keepChoice, keptChoice } from '../session/kept.ts'
import { filterIn, type ListFilter, queryOf } from './filter.ts'

/** A filter of the list under a name. */
export interface SavedSearch {
  readonly name: string
  /** The query of its address. */
  readonly query: string
}

interface Saved {
  readonly searches: readonly SavedSearch[]
  /** A search of the same name gives way. */
  readonly save: (search: SavedSearch) => void
  readonly remove: (name: string) => void
}

/** The searches that the person has saved. The browser keeps them for the address of this server. */
export function useSavedSearches(): Saved {
  const [searches, setSearches] = useState(keptSearches)
  const keep = (next: readonly SavedSearch[]): void => {
    keepChoice('localStorage', NAME, JSON.stringify(next))
    setSearches(next)
  }
  const without = (name: string) => searches.filter((each) => each.name !== name)
  return {
    searches,
    save: (search) => keep([...without(search.name), search]),
    remove: (name) => keep(without(name)),
  }
}

const NAME = 'saved searches'

function keptSearches(): readonly SavedSearch[] {
  const kept = parseJson(keptChoice('localStorage', NAME) ?? '[]')
  return Array.isArray(kept) ? kept.filter(isSavedSearch) : []
}

function isSavedSearch(value: unknown): value is SavedSearch {
  const { name, query } = Object(value)
  return typeof name === 'string' && typeof query === 'string'
}

interface SavedSearchesProps {
  readonly saved: Saved
  readonly filter: ListFilter
  readonly onChange: (filter: ListFilter) => void
}

/** A chip for each saved search, and the field that names the one that is shown. */
export function SavedSearches({
  saved: { searches, save, remove },
  filter,
  onChange,
}: SavedSearchesProps): ReactNode {
  const query = queryOf({ ...filter, with: '' })
  const row = useRef<HTMLDivElement>(null)
  const isNew = query !== '' && searches.every((each) => each.query !== query)
  if (searches.length === 0 && !isNew) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a line
    <div
      ref={row}
      className="list-chips saved-searches"
      role="group"
      aria-label="Saved searches"
      tabIndex={-1}
    >
      {searches.map((search) => (
        <span key={search.name} className="saved-search">
          <button
            type="button"
            aria-pressed={search.query === query}
            onClick={() => onChange(filterIn(search.query))}
          >
            <bdi>{search.name}</bdi>
          </button>
          <button
            type="button"
            aria-label={`Remove the search ${search.name}`}
            title="Remove"
            onClick={() => {
              remove(search.name)
              // The button that had the focus is gone.
              row.current?.focus()
            }}
          >
            ×
          </button>
        </span>
      ))}
      {isNew && <NewSearch onSave={(name) => save({ name, query })} />}
    </div>
  )
}

/** Escape closes the field. */
function NewSearch({ onSave }: { readonly onSave: (name: string) => void }): ReactNode {
  const [name, setName] = useState<string>()
  if (name === undefined)
    return (
      <button type="button" onClick={() => setName('')}>
        Save this search …
      </button>
    )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (name.trim() !== '') onSave(name.trim())
  }
  return (
    <form className="new-search" onSubmit={submit}>
      <input
        type="search"
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for it
        autoFocus
        dir="auto"
        maxLength={60}
        aria-label="Name of the search"
        placeholder="Name"
        value={name}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && setName(undefined)}
      />
      <button type="submit" disabled={name.trim() === ''}>
        Save
      </button>
    </form>
  )
}
