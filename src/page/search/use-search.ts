import { useSessionStore } from 'agentfold/react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useNavigator } from '../rows/navigator.tsx'
import { markMatches } from './mark-matches.ts'
import { type Match, searchBlocks } from './search-blocks.ts'

export interface Search {
  readonly query: string
  readonly matches: readonly Match[]
  /** The match that was shown last; -1 before the first one. */
  readonly at: number
  /** Searches a little later, because a person types more. */
  readonly type: (text: string) => void
  /** Goes to a match. A text that was typed just now is searched first. */
  readonly step: (by: number) => void
  readonly goTo: (at: number) => void
  readonly clear: () => void
}

interface Found extends Pick<Search, 'query' | 'matches' | 'at'> {}

/** Returns the text that the address asks for: a list's search found it here. */
export function findIn(query: string): string {
  return new URLSearchParams(query).get('find')?.trim() ?? ''
}

const NOTHING: Found = { query: '', matches: [], at: -1 }

/** In ms. */
const PAUSE = 150

/** A search over the whole session. A match in a closed part opens it. */
export function useSearch(): Search {
  const store = useSessionStore()
  const navigator = useNavigator()
  const [found, setFound] = useState(() => ({ ...NOTHING, query: findIn(location.search) }))
  const typed = useRef<{ readonly text: string; readonly timer?: ReturnType<typeof setTimeout> }>(undefined)
  const { query } = found
  useEffect(() => markMatches(query), [query])
  const look = useCallback((): Found => {
    const text = typed.current?.text ?? ''
    clearTimeout(typed.current?.timer)
    typed.current = undefined
    const next = { query: text.trim(), matches: searchBlocks(store.getState(), text), at: -1 }
    setFound(next)
    return next
  }, [store])
  useEffect(() => {
    const text = findIn(location.search)
    if (text === '') return
    // The session comes later than the page.
    const lookOnce = (): boolean => {
      if (store.getState().blocks.length === 0) return false
      typed.current ??= { text }
      look()
      return true
    }
    const unsubscribe = lookOnce() ? undefined : store.subscribe(() => lookOnce() && unsubscribe?.())
    return unsubscribe
  }, [look, store])
  const show = useCallback(
    (next: Found) => {
      setFound(next)
      const match = next.matches[next.at]
      if (match) navigator.goToBlock(match.conversationId, match.blockId)
    },
    [navigator],
  )
  const step = useCallback(
    (by: number) => {
      const current = typed.current ? look() : found
      const count = current.matches.length
      const first = by > 0 ? 0 : count - 1
      const at = current.at === -1 ? first : (current.at + by + count) % count
      if (count > 0) show({ ...current, at })
    },
    [found, look, show],
  )
  const type = useCallback(
    (text: string) => {
      clearTimeout(typed.current?.timer)
      typed.current = { text, timer: setTimeout(look, PAUSE) }
    },
    [look],
  )
  const clear = useCallback(() => {
    clearTimeout(typed.current?.timer)
    typed.current = undefined
    setFound(NOTHING)
  }, [])
  return { ...found, type, step, goTo: (at) => show({ ...found, at }), clear }
}
