import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { plural } from '../../sinks/markdown/text/values.ts'
import { ComparedContext } from './compared.ts'
import type { ListEntry } from './entry.ts'
import { filterIn, type ListFilter, matchingEntries, queryOf } from './filter.ts'
import { groupsOf, needsPerson } from './groups.ts'
import { ListFilters } from './list-filters.tsx'
import { ListGroups } from './list-groups.tsx'
import { ListKeys } from './list-keys.tsx'
import { ListPalette } from './list-palette.tsx'
import { Listing, type ListState } from './listing.ts'
import { Looked } from './looked.ts'
import { Notify } from './notify.tsx'
import { SavedSearches, useSavedSearches } from './saved-searches.tsx'
import { SessionRows } from './session-rows.tsx'
import { showTabIcon } from './tab-icon.ts'
import { useKeptScroll } from './use-kept-scroll.ts'

/** The sessions of the machine: first those that are for the person, and then by day. Each row is a link to its page. */
export function SessionList(): ReactNode {
  const listing = useListing()
  const state = useSyncExternalStore(listing.subscribe, listing.getState)
  const { filter, change, search } = useFilter(listing)
  const saved = useSavedSearches()
  const field = useRef<HTMLInputElement>(null)
  const { entries } = state
  useTab(entries)
  const found = useFound(state)
  const shown = useMemo(
    () => matchingEntries(entries, filter, Date.now()).filter(({ id }) => found?.has(id) ?? true),
    [entries, filter, found],
  )
  useKeptScroll(isReady(state))
  return (
    <main className="session-list">
      <header className="list-head">
        <h1>Sessions</h1>
        <a className="list-link" href="costs">
          Costs
        </a>
        <Notify entries={entries} />
        <ListPalette entries={entries} saved={saved.searches} filter={filter} onChange={change} />
        <ListKeys field={field} onCompare={(id) => change({ ...filter, with: id })} />
      </header>
      <search>
        <ListFilters
          filter={filter}
          entries={entries}
          isCounted={state.phase === 'complete'}
          field={field}
          onChange={change}
          onSearch={search}
        />
        <SavedSearches saved={saved} filter={filter} onChange={change} />
      </search>
      <p className="list-count" role="status">
        {countText(state, shown.length, filter)}
      </p>
      <CompareNote id={filter.with} entries={entries} onEnd={() => change({ ...filter, with: '' })} />
      <Columns />
      <ComparedContext value={filter.with}>
        <Shown
          entries={filter.with === '' ? shown : shown.filter(({ id }) => id !== filter.with)}
          found={found}
        />
      </ComparedContext>
    </main>
  )
}

interface CompareNoteProps {
  readonly id: string
  readonly entries: readonly ListEntry[]
  readonly onEnd: () => void
}

/** Says that the next choice is the second session of a comparison. */
function CompareNote({ id, entries, onEnd }: CompareNoteProps): ReactNode {
  if (id === '') return null
  const title = entries.find((entry) => entry.id === id)?.title
  return (
    <p className="compare-note" role="status">
      Choose the session to compare with {title === undefined ? 'the first one' : <bdi>“{title}”</bdi>}{' '}
      <button type="button" onClick={onEnd}>
        Cancel
      </button>
    </p>
  )
}

/** The names of the columns. Each row says them by itself, too. */
function Columns(): ReactNode {
  return (
    <div className="list-columns" aria-hidden="true">
      <span>Session</span>
      <span>Changed</span>
      <span title="From the first to the last message">Duration</span>
      <span>Cost</span>
    </div>
  )
}

interface ShownProps {
  readonly entries: readonly ListEntry[]
  readonly found: ReturnType<typeof useFound>
}

/** The hits of a search are one list. */
function Shown({ entries, found }: ShownProps): ReactNode {
  const looked = useMemo(() => new Looked(Date.now()), [])
  const [seenAt, setSeenAt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the person has seen is another list
  const groups = useMemo(
    () => groupsOf(entries, { now: Date.now(), isSeen: (entry) => looked.isSeen(entry) }),
    [entries, looked, seenAt],
  )
  const onSeeAll = () => {
    looked.seeAll(Date.now())
    setSeenAt(Date.now())
  }
  if (found) return <SessionRows entries={entries} hasNews={false} found={found} />
  return <ListGroups groups={groups} onSeeAll={onSeeAll} />
}

function useListing(): Listing {
  const listing = useMemo(() => new Listing(), [])
  useEffect(() => {
    void listing.follow()
    const retry = () => void (document.visibilityState === 'visible' && listing.retry())
    document.addEventListener('visibilitychange', retry)
    return () => {
      document.removeEventListener('visibilitychange', retry)
      listing.close()
    }
  }, [listing])
  return listing
}

interface KeptFilter {
  readonly filter: ListFilter
  readonly change: (filter: ListFilter) => void
  readonly search: (text: string) => void
}

/** The filter and the search are in the address. A search is a step of the history, and Back ends it. */
function useFilter(listing: Listing): KeptFilter {
  const [filter, setFilter] = useState(() => filterIn(location.search))
  const { search } = filter
  useEffect(() => {
    if (search === '') listing.endSearch()
    else void listing.search(search)
  }, [listing, search])
  useEffect(() => {
    const read = () => setFilter(filterIn(location.search))
    window.addEventListener('popstate', read)
    return () => window.removeEventListener('popstate', read)
  }, [])
  const change = (next: ListFilter) => {
    history.replaceState(history.state, '', `${location.pathname}${queryOf(next)}`)
    setFilter(next)
  }
  return {
    filter,
    change,
    search: (text) => {
      const next = { ...filter, filter: '', search: text }
      if (text === search) return
      history.pushState(null, '', `${location.pathname}${queryOf(next)}`)
      setFilter(next)
      window.scrollTo({ top: 0, behavior: 'instant' })
    },
  }
}

function useFound({ search }: ListState) {
  return useMemo(
    () => search && new Map(search.found.map((each) => [each.id, { text: search.text, session: each }])),
    [search],
  )
}

/** The title and the icon of the tab count what needs the person. */
function useTab(entries: readonly ListEntry[]): void {
  const count = entries.filter((entry) => needsPerson(entry, Date.now())).length
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}Sessions · agentfold`
    showTabIcon(count)
  }, [count])
}

/** Whether all rows of the address are known. */
function isReady({ phase, search }: ListState): boolean {
  return phase === 'complete' && (search?.isOver ?? true)
}

function countText({ entries, phase, search }: ListState, shown: number, { status }: ListFilter): string {
  if (phase === 'failed') return 'The server has ended: open its new address.'
  if (search && !search.isOver) return `Searching “${search.text}” … ${plural(shown, 'session')} so far`
  if (search) return `${plural(shown, 'session')} with “${search.text}”`
  if (phase === 'sessions') return `Reading the sessions … ${plural(entries.length, 'session')} so far`
  if (entries.length === 0) return 'This machine has no sessions yet.'
  const count =
    shown === entries.length ? plural(shown, 'session') : `${shown} of ${plural(entries.length, 'session')}`
  return status !== '' && phase === 'statuses' ? `${count}, still reading …` : count
}
