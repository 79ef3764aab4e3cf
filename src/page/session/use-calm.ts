import type { SessionConversationState } from 'agentfold'
import { useSession, useSessionStore } from 'agentfold/react'
import { useEffect, useState } from 'react'
import { isEmptySession } from './empty-session.ts'

/** The time between two looks at the session, in ms. A sum over a long session takes too long for every delta. */
const PAUSE = 1000

/** Selects what takes long to select. It is at most a second old. Pass the same function each time. */
export function useCalm<Selected>(select: (state: SessionConversationState) => Selected): Selected {
  const store = useSessionStore()
  const [selected, setSelected] = useState(() => select(store.getState()))
  const isEmpty = useSession(isEmptySession)
  const [wasEmpty, setWasEmpty] = useState(isEmpty)
  // With the first rows, which it would push away a second later.
  if (isEmpty !== wasEmpty) {
    setWasEmpty(isEmpty)
    setSelected(() => select(store.getState()))
  }
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
