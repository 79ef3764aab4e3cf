import type { SessionConversationState } from 'agentfold'
import { useSessionStore } from 'agentfold/react'
import { useEffect, useState } from 'react'

/** The time between two looks at the session, in ms. A sum over a long session takes too long for every delta. */
const PAUSE = 1000

/** The first looks follow at once until they have taken this time, so that a session opens with its head. In ms. */
const AT_ONCE = 50

/** Selects what takes long to select. It is at most a second old. Pass the same function each time. */
export function useCalm<Selected>(select: (state: SessionConversationState) => Selected): Selected {
  const store = useSessionStore()
  const [selected, setSelected] = useState(() => select(store.getState()))
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let spent = 0
    const look = (): void => {
      timer = undefined
      const start = performance.now()
      const next = select(store.getState())
      // Each one renders too.
      spent += Math.max(1, performance.now() - start)
      setSelected(() => next)
    }
    look()
    const unsubscribe = store.subscribe(() => {
      if (timer === undefined && spent < AT_ONCE) look()
      else timer ??= setTimeout(look, PAUSE)
    })
    return () => {
      unsubscribe()
      clearTimeout(timer)
    }
  }, [store, select])
  return selected
}
