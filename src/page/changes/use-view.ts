import { useSyncExternalStore } from 'react'
import { encoded } from '../rows/place.ts'

/** The part of the session that the page shows: its address names it. */
export type View = 'conversation' | 'changes'

/** The end of the address of the changes. No block has such an id. */
export const CHANGES = '#/changes'

/** Returns the end of the address of a changed file. */
export function addressOfFile(path: string): string {
  return `${CHANGES}/${encoded(path)}`
}

/** Returns the view that the address names. */
export function useView(): View {
  return useSyncExternalStore(subscribe, current, current)
}

/** Returns the address of the last place in the conversation. */
export function conversationAddress(): string {
  return lastPlace
}

let lastPlace = '#'

function current(): View {
  if (location.hash === CHANGES || location.hash.startsWith(`${CHANGES}/`)) return 'changes'
  lastPlace = location.hash || '#'
  return 'conversation'
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}
