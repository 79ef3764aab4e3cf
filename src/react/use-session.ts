import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { SessionConversationState } from '../state/session.ts'
import { useSessionContext } from './context.ts'

/** What a component wants to know of a session. */
export type Selector<Selected> = (state: SessionConversationState) => Selected

/**
 * Returns what is selected from the session's state. The component is rendered again when that has become another value, by
 * `isEqual`, which is `Object.is` unless told otherwise; with an `isEqual` of its own a selector may make a new value each time.
 */
export function useSession<Selected>(
  select: Selector<Selected>,
  isEqual: (left: Selected, right: Selected) => boolean = Object.is,
): Selected {
  const { store, serverState } = useSessionContext()
  const shown = useRef<Remembered<Selected>>(undefined)
  const [onClient, onServer] = useMemo(() => {
    let last: (Remembered<Selected> & { readonly state: SessionConversationState }) | undefined
    // React asks again and again, and takes another reference for news.
    const read = (state: SessionConversationState): Selected => {
      if (last?.state === state) return last.selected
      const before = last ?? shown.current
      const next = select(state)
      last = { state, selected: before && isEqual(before.selected, next) ? before.selected : next }
      return last.selected
    }
    return [() => read(store.getState()), () => read(serverState)]
  }, [store, serverState, select, isEqual])
  const selected = useSyncExternalStore(store.subscribe, onClient, onServer)
  useEffect(() => {
    shown.current = { selected }
  }, [selected])
  return selected
}

interface Remembered<Selected> {
  readonly selected: Selected
}
