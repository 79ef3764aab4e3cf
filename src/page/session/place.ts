/** The view of the page of a server: the list of all sessions, one of them, or the only session. */
export type Place =
  | { readonly type: 'list' }
  | { readonly type: 'session'; readonly events: string; readonly isListed: boolean }

/** Returns what the address is of. */
export function placeOf(pathname: string): Place {
  const id = /\/sessions\/([^/]*)$/.exec(pathname)?.[1]
  if (id === undefined) return { type: 'session', events: 'events/session', isListed: false }
  return id === '' ? { type: 'list' } : { type: 'session', events: `../events/${id}`, isListed: true }
}
