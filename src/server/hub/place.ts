import { omitUndefined } from '../../core/json/fields.ts'

/** The end of the events that a reader has. */
export interface Place {
  readonly epoch: string
  readonly seq: number
  readonly digest?: string
}

/** Returns the place as the id of a server-sent event. */
export function idOf({
  epoch,
  seq,
  digest = '',
}: Omit<Place, 'digest'> & { readonly digest?: string | undefined }): string {
  return [seq, digest, encodeURIComponent(epoch)].join(':')
}

/** Returns the place of the reader: the last id that a browser names by itself, or the one in the address. Any other text is no place. */
export function placeOf(request: Request): Place | undefined {
  return placeIn(request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after') ?? '')
}

/** Returns the places of a reader of several sessions by their ids. The id of a message in such a stream names its session. */
export function placesOf(request: Request): ReadonlyMap<string, Place> {
  const ids = [
    request.headers.get('last-event-id') ?? [],
    new URL(request.url).searchParams.getAll('after'),
  ].flat()
  return new Map(
    ids.flatMap((id) => {
      const [name = '', text = ''] = id.split('=')
      const [sessionId, place] = [decoded(name), placeIn(text)]
      return sessionId !== undefined && place ? [[sessionId, place] as const] : []
    }),
  )
}

function placeIn(id: string): Place | undefined {
  const [, seq, digest, epoch = ''] = /^(\d{1,15}):(\w*):([^:]+)$/.exec(id) ?? []
  const name = decoded(epoch)
  if (seq === undefined || name === undefined) return undefined
  return { epoch: name, seq: Number(seq), ...omitUndefined({ digest: digest || undefined }) }
}

/** The sessions and places that a request asks for. Only the end of an address counts, because a host may put a hub below any path. */
export type Route =
  | { readonly to: 'session'; readonly sessionId: string }
  | { readonly to: 'sessions'; readonly sessionIds: readonly string[]; readonly hasList: boolean }
  | { readonly to: 'request'; readonly sessionId: string; readonly requestId: string }

/** Returns undefined for an address that names nothing. */
export function routeOf(request: Request): Route | undefined {
  const { pathname, searchParams } = new URL(request.url)
  const [name, word, last] = pathname.split('/').slice(-3).map(decoded)
  if (request.method === 'POST' && word === 'requests' && name && last)
    return { to: 'request', sessionId: name, requestId: last }
  const sessionIds = [...new Set(searchParams.getAll('session'))]
  const hasList = searchParams.get('list') === '1'
  const end = decoded(pathname.split('/').at(-1) ?? '')
  if (end === 'events' && (hasList || sessionIds.length > 0)) return { to: 'sessions', sessionIds, hasList }
  return end ? { to: 'session', sessionId: end } : undefined
}

/** Returns undefined for a text that is not percent-encoded. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
