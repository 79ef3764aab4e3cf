import { useSyncExternalStoreWithSelector } from 'use-sync-external-store/with-selector'
import type { SessionConversationState } from '../state/session.ts'
import { useSessionContext } from './context.ts'

/** Returns the part of a session that a component needs. */
export type Selector<Selected> = (state: SessionConversationState) => Selected

/**
 * Returns the value that `select` takes from the session's state. The component renders again when `isEqual` finds that the value
 * changed. The default `isEqual` is `Object.is`; a selector that makes a new value each time needs another one.
 */
export function useSession<Selected>(
  select: Selector<Selected>,
  isEqual: (left: Selected, right: Selected) => boolean = Object.is,
): Selected {
  const { store, getServerState } = useSessionContext()
  return useSyncExternalStoreWithSelector(store.subscribe, store.getState, getServerState, select, isEqual)
}
