import type { SessionConversationState } from 'agentfold'
import { useSessionStore } from 'agentfold/react'
import { useEffect, useState } from 'react'

/** The time between two looks at the session, in ms. A sum over a long session takes too long for every delta. */
const PAUSE = 1000

/** Selects what takes long to select. It is at most a second old. Pass the same function each time. */
export function useCalm<Selected>(select: (state: SessionConversationState) => Selected): Selected {
  const store = useSessionStore()
  const [selected, setSelected] = useState(() => select(store.getState()))
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = (): void => {
      timer = undefined
      setSelected(() => select(store.getState()))
    }
    look()
    const unsubscribe = store.subscribe(() => {
      timer ??= setTimeout(look, PAUSE)
    })
    return () => {
      unsubscribe()
      clearTimeout(timer)
    }
  }, [store, select])
  return selected
}
