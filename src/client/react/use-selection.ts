import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'

/**
 * Returns the value that `select` takes from a store's state. The component renders again when `isEqual` finds that
 * the value changed. An equal value keeps its reference, also when the component passes another `select`.
 */
export function useSelection<State, Selected>(
  subscribe: (listener: () => void) => () => void,
  getState: () => State,
  getServerState: () => State,
  select: (state: State) => Selected,
  isEqual: (left: Selected, right: Selected) => boolean = Object.is,
): Selected {
  const shown = useRef<{ readonly value: Selected } | undefined>(undefined)
  const [getSelected, getServerSelected] = useMemo(() => {
    let last: { readonly state: State; readonly value: Selected } | undefined
    const selected = (state: State): Selected => {
      if (last && Object.is(last.state, state)) return last.value
      const known = last ?? shown.current
      const next = select(state)
      const value = known && isEqual(known.value, next) ? known.value : next
      last = { state, value }
      return value
    }
    return [() => selected(getState()), () => selected(getServerState())]
  }, [getState, getServerState, select, isEqual])
  const value = useSyncExternalStore(subscribe, getSelected, getServerSelected)
  useEffect(() => {
    shown.current = { value }
  }, [value])
  return value
}
