import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { onKeys } from '../session/shortcuts.ts'
import { findIn, type Search } from './use-search.ts'

/** The field of the search, and the way from match to match. */
export function SearchBar({ search }: { readonly search: Search }): ReactNode {
  const field = useRef<HTMLInputElement>(null)
  const { query, step, type, clear } = search
  useEffect(() => {
    const focus = (): void => field.current?.select()
    return onKeys({ '/': focus, 'Ctrl+f': focus, n: () => step(1), N: () => step(-1) })
  }, [step])
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1)
    if (event.key !== 'Escape') return
    event.currentTarget.value = ''
    event.currentTarget.blur()
    clear()
  }
  return (
    <search className="search">
      <input
        ref={field}
        type="search"
        dir="auto"
        defaultValue={findIn(location.search)}
        aria-label="Search in the session"
        placeholder="Search ( / )"
        onKeyDown={onKeyDown}
        onInput={({ currentTarget: { value } }) => (value === '' ? clear() : type(value))}
      />
      {query !== '' && <Steps search={search} />}
    </search>
  )
}

function Steps({ search: { matches, at, step } }: { readonly search: Search }): ReactNode {
  const count = matches.length
  const words = count === 1 ? '1 match' : `${count.toLocaleString('en')} matches`
  return (
    <div className="search-steps">
      <span role="status">{count === 0 ? 'No matches' : at === -1 ? words : `${at + 1} of ${count}`}</span>
      <button type="button" aria-label="Previous match" disabled={count === 0} onClick={() => step(-1)}>
        ↑
      </button>
      <button type="button" aria-label="Next match" disabled={count === 0} onClick={() => step(1)}>
        ↓
      </button>
    </div>
  )
}
