import { omitUndefined } from '../../core/json/fields.ts'
import { StartOverWatch } from '../log/advance.ts'
import { NO_EPOCH } from '../log/arguments.ts'
import type { LoggedEvent } from '../log/session-log.ts'
import type { MessageTexts } from './event-stream.ts'
import { type HubSession, isOutdated } from './hub-session.ts'

/** How the messages of one session are marked in a stream of several. */
interface Marks {
  /** Begins the data of each message, such as `{"session":"a",`. Alone, a session needs no mark. */
  readonly start: string
  /** Returns the id of a message at the place. */
  readonly idOf: (place: PlaceOfMessage) => string
}

type PlaceOfMessage = Parameters<typeof idOf>[0]

/** The marks of a stream with one session. */
const NO_MARKS: Marks = { start: '{', idOf }

/** Returns the marks of a session in a stream of several: the data says whose it is, and so does the id. */
export function marksOf(sessionId: string): Marks {
  const name = encodeURIComponent(sessionId)
  return {
    start: `{"session":${JSON.stringify(sessionId)},`,
    idOf: (place) => `${name}=${idOf(place)}`,
  }
}

/**
 * Returns the messages for a reader: a snapshot if the reader's place is not one of the log, and then each event. If
 * the log has dropped or lost the next events, for example because the reader is slow, the next message is a
 * snapshot. A deleted session ends the messages.
 */
export async function* messagesFor(
  sessionOf: () => HubSession,
  known: Place | undefined,
  signal: AbortSignal,
  marks: Marks = NO_MARKS,
): AsyncGenerator<MessageTexts, void> {
  const session = sessionOf()
  const ended = new AbortController()
  const end = (): void => ended.abort()
  session.addReader(end)
  signal.addEventListener('abort', end)
  try {
    const isDeleted = yield* messagesOf(session, known, ended.signal, marks)
    if ((isDeleted || ended.signal.aborted) && !signal.aborted)
      yield message({ event: 'end', data: [markOf(marks)] })
  } finally {
    session.removeReader(end)
  }
}

/** Returns whether the log has no such session any more. */
async function* messagesOf(
  session: HubSession,
  known: Place | undefined,
  signal: AbortSignal,
  marks: Marks,
): AsyncGenerator<MessageTexts, boolean> {
  const signs = new StartOverWatch(true)
  let reader = known
  let hadName = false
  let isLive = false
  while (!signal.aborted) {
    const start: Start | undefined = yield* startOf(session, { known: reader, hadName }, marks)
    if (!start) return true
    const { last, isKnown }: Start = start
    hadName = last.epoch !== NO_EPOCH
    let place = isKnown && reader ? reader : last
    reader = undefined
    isLive ||= !isKnown
    try {
      if (!isLive && place.seq === last.seq && place.digest === last.digest) {
        isLive = true
        yield liveMessage(marks)
      }
      for await (const logged of session.follow(place, signal)) {
        // Either the session has got its first event, and with it a name, or it may have another state.
        if (!hadName || signs.take(logged)) {
          reader = place
          break
        }
        yield eventMessage(session, { ...logged, epoch: last.epoch }, marks)
        place = { ...logged, epoch: last.epoch }
        if (isLive || place.seq < last.seq) continue
        isLive = true
        yield liveMessage(marks)
      }
      // The log was closed.
      if (!reader) return false
    } catch (error) {
      if (!isOutdated(error)) throw error
    }
  }
  return false
}

/** The last place of the log, and whether the reader has its events up to a place of its own. */
interface Start {
  readonly last: Place
  readonly isKnown: boolean
}

/**
 * Yields the snapshot that a reader needs, and returns the last place of the log; undefined if the session is deleted.
 * It is a generator of its own because one that waits keeps its variables: each reader would keep the text and a state.
 */
async function* startOf(
  session: HubSession,
  { known, hadName }: { readonly known: Place | undefined; readonly hadName: boolean },
  marks: Marks,
): AsyncGenerator<MessageTexts, Start | undefined> {
  const placed = await session.current()
  const { epoch, seq, digest } = placed
  if (epoch === NO_EPOCH && hadName) return undefined
  const isKnown = epoch !== NO_EPOCH && known?.epoch === epoch
  if (!isKnown)
    for (const data of session.snapshotText(placed))
      yield message({ event: 'snapshot', id: marks.idOf(placed), data: [marks.start, data.slice(1)] })
  return { last: { epoch, seq, ...omitUndefined({ digest }) }, isKnown }
}

/** Returns the data of a message that says nothing but whose it is. */
function markOf({ start }: Marks): string {
  return start === NO_MARKS.start ? '' : `${start.slice(0, -1)}}`
}

/** A reader that came back has the events now that it had missed. A snapshot needs no such message. */
function liveMessage(marks: Marks): MessageTexts {
  return message({ event: 'live', data: [markOf(marks)] })
}

/** The data is a `StampedEvent`. */
function eventMessage(
  session: HubSession,
  { epoch, seq, event, digest }: LoggedEvent & { readonly epoch: string },
  { start, idOf: idAt }: Marks,
): MessageTexts {
  const stamp = `${start}"epoch":${JSON.stringify(epoch)},"seq":${seq},"event":`
  return message({ id: idAt({ epoch, seq, digest }), data: [stamp, session.textOf(event), '}'] })
}

/** A server-sent event. JSON has no line breaks, so the data is one line. */
export function message({
  event,
  id,
  data,
}: {
  readonly event?: string
  readonly id?: string
  readonly data: MessageTexts
}): MessageTexts {
  const lines = [event && `event: ${event}`, id && `id: ${id}`, 'data: ']
  return [lines.filter(Boolean).join('\n'), ...data, '\n\n']
}

/** The end of the events that a reader has. */
interface Place {
  readonly epoch: string
  readonly seq: number
  readonly digest?: string
}

/** Returns the place as the id of a server-sent event. */
function idOf({
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
  | { readonly to: 'prompts'; readonly sessionId: string }

/** Returns undefined for an address that names nothing. */
export function routeOf(request: Request): Route | undefined {
  const { pathname, searchParams } = new URL(request.url)
  const [name, word, last] = pathname.split('/').slice(-3).map(decoded)
  if (request.method === 'POST' && word === 'requests' && name && last)
    return { to: 'request', sessionId: name, requestId: last }
  if (request.method === 'POST' && word && last === 'prompts') return { to: 'prompts', sessionId: word }
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
