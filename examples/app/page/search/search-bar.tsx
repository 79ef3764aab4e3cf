import { useSessionStore } from 'agentfold/react'
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useNavigator } from '../rows/navigator.tsx'
import { onKeys } from '../session/shortcuts.ts'
import { markMatches } from './mark-matches.ts'
import { type Match, searchBlocks } from './search-blocks.ts'

interface Found {
  readonly query: string
  readonly matches: readonly Match[]
  readonly at: number
}

const NOTHING: Found = { query: '', matches: [], at: -1 }

/** A search over the whole session. A match in a closed part opens it. */
export function SearchBar(): ReactNode {
  const field = useRef<HTMLInputElement>(null)
  const { found, search, step, clear } = useSearch()
  useEffect(() => {
    const focus = (): void => field.current?.select()
    return onKeys({ '/': focus, n: () => step(1), N: () => step(-1) })
  }, [step])
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const { value } = event.currentTarget
    if (event.key === 'Enter' && value.trim() !== found.query) search(value)
    else if (event.key === 'Enter') step(event.shiftKey ? -1 : 1)
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
        aria-label="Search in the session"
        placeholder="Search ( / )"
        onKeyDown={onKeyDown}
        onInput={({ currentTarget }) => currentTarget.value === '' && clear()}
      />
      {found.query !== '' && (
        <div className="found">
          <span role="status">{outcomeOf(found)}</span>
          <button
            type="button"
            aria-label="Previous match"
            disabled={found.matches.length === 0}
            onClick={() => step(-1)}
          >
            ↑
          </button>
          <button
            type="button"
            aria-label="Next match"
            disabled={found.matches.length === 0}
            onClick={() => step(1)}
          >
            ↓
          </button>
        </div>
      )}
    </search>
  )
}

function outcomeOf({ matches, at }: Found): string {
  return matches.length === 0 ? 'No matches' : `${at + 1} of ${matches.length}`
}

interface Search {
  readonly found: Found
  readonly search: (query: string) => void
  readonly step: (by: number) => void
  readonly clear: () => void
}

function useSearch(): Search {
  const store = useSessionStore()
  const navigator = useNavigator()
  const [found, setFound] = useState(NOTHING)
  const { query } = found
  useEffect(() => markMatches(query), [query])
  const show = useCallback(
    (next: Found) => {
      setFound(next)
      const match = next.matches[next.at]
      if (match) navigator.goToBlock(match.conversationId, match.blockId)
    },
    [navigator],
  )
  const search = (text: string): void =>
    show({ query: text.trim(), matches: searchBlocks(store.getState(), text), at: 0 })
  const step = useCallback(
    (by: number) => {
      const count = found.matches.length
      if (count > 0) show({ ...found, at: (found.at + by + count) % count })
    },
    [found, show],
  )
  const clear = useCallback(() => setFound(NOTHING), [])
  return { found, search, step, clear }
}
