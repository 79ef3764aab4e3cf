/** The view of the page of a server: the list of all sessions, one of them, or the only session. */
export type Place =
  | { readonly type: 'list' }
  | {
      readonly type: 'session'
      readonly events: string
      /** The address of the page of a report. */
      readonly report: string
      readonly isListed: boolean
    }

/** Returns what the address is of. */
export function placeOf(pathname: string): Place {
  const id = /\/sessions\/([^/]*)$/.exec(pathname)?.[1]
  if (id === '') return { type: 'list' }
  return id === undefined
    ? { type: 'session', events: 'events/session', report: 'report', isListed: false }
    : { type: 'session', events: `../events/${id}`, report: '../report', isListed: true }
}
