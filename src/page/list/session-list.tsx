import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { plural } from '../../sinks/markdown/text/values.ts'
import { filterIn, type ListFilter, matchingEntries, queryOf } from './filter.ts'
import { ListFilters } from './list-filters.tsx'
import { Listing, type ListState } from './listing.ts'
import { SessionRows } from './session-rows.tsx'

/** The sessions of the machine, newest first. Each one is a link to its page. */
export function SessionList(): ReactNode {
  const listing = useListing()
  const state = useSyncExternalStore(listing.subscribe, listing.getState)
  const [filter, setFilter] = useState(() => filterIn(location.search))
  const change = (next: ListFilter) => {
    // The texts of another search would be a wrong answer.
    if (next.text !== filter.text) listing.endSearch()
    history.replaceState(history.state, '', `${location.pathname}${queryOf(next)}`)
    setFilter(next)
  }
  const { entries, search } = state
  const shown = useMemo(() => {
    const found = search && new Set(search.found.map(({ id }) => id))
    const wanted = found ? { ...filter, text: '' } : filter
    return matchingEntries(entries, wanted, Date.now()).filter(({ id }) => found?.has(id) ?? true)
  }, [entries, filter, search])
  return (
    <main className="session-list">
      <h1>Sessions</h1>
      <search>
        <ListFilters
          filter={filter}
          entries={entries}
          onChange={change}
          onSearch={() => void listing.search(filter.text)}
        />
      </search>
      <p className="list-count" role="status">
        {countText(state, shown.length, filter)}
      </p>
      <SessionRows entries={shown} found={search?.found ?? []} isComplete={state.phase !== 'sessions'} />
    </main>
  )
}

/** A list that was out of view for a while is loaded again. */
function useListing(): Listing {
  const listing = useMemo(() => new Listing(), [])
  useEffect(() => {
    document.title = 'Sessions · agentfold'
    const load = () => void (document.visibilityState === 'visible' && listing.load())
    load()
    document.addEventListener('visibilitychange', load)
    return () => document.removeEventListener('visibilitychange', load)
  }, [listing])
  return listing
}

function countText({ entries, phase, search }: ListState, shown: number, { failed }: ListFilter): string {
  if (phase === 'failed') return 'The server has ended: open its new address.'
  if (search && !search.isOver) return `Searching “${search.text}” … ${plural(shown, 'session')} so far`
  if (search) return `${plural(shown, 'session')} with “${search.text}”`
  if (phase === 'sessions') return `Reading the sessions … ${plural(entries.length, 'session')} so far`
  if (entries.length === 0) return 'This machine has no sessions yet.'
  const count =
    shown === entries.length ? plural(shown, 'session') : `${shown} of ${plural(entries.length, 'session')}`
  return failed && phase === 'statuses' ? `${count}, still reading …` : count
}
