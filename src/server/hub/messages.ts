import { omitUndefined } from '../../core/json/fields.ts'
import { StartOverWatch } from '../log/advance.ts'
import { NO_EPOCH } from '../log/arguments.ts'
import type { LoggedEvent } from '../log/session-log.ts'
import { joinedIfShort, type MessageTexts } from './event-stream.ts'
import { type HubSession, isOutdated } from './hub-session.ts'
import { type EventBatch, type Place, placeAt } from './session-feed.ts'

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
  let mayBeOlder = true
  while (!signal.aborted) {
    const start: Start | undefined = yield* startOf(session, { known: reader, hadName, mayBeOlder }, marks)
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
      for await (const batch of session.feed.follow(place, signal)) {
        // Either the session has got its first event, and with it a name, or it may have another state.
        const signAt = hadName ? batch.events.findIndex((logged) => signs.take(logged)) : 0
        const end = (signAt < 0 ? batch.events : batch.events.slice(0, signAt)).at(-1)
        if (end) {
          yield batchMessage(session, batch, signAt, last.epoch, marks)
          place = placeAt(end, last.epoch)
        }
        if (end && !isLive && place.seq >= last.seq) {
          isLive = true
          yield liveMessage(marks)
        }
        if (signAt < 0) continue
        reader = place
        break
      }
      // The log was closed.
      if (!reader) return false
    } catch (error) {
      if (!isOutdated(error)) throw error
      mayBeOlder = false
    }
  }
  return false
}

/** The place from which a reader goes on, and whether it is the reader's own epoch. */
interface Start {
  readonly last: Place
  readonly isKnown: boolean
}

/** The place of a reader, and the snapshot that it may get. */
interface Beginning {
  readonly known: Place | undefined
  readonly hadName: boolean
  /** Whether the log still has the events after a snapshot that others take now. */
  readonly mayBeOlder: boolean
}

/**
 * Yields the snapshot that a reader needs, and returns the last place that it then has or may have; undefined if the
 * session is deleted. It is a generator of its own because one that waits keeps its variables: each reader would keep
 * the text.
 */
async function* startOf(
  session: HubSession,
  beginning: Beginning,
  marks: Marks,
): AsyncGenerator<MessageTexts, Start | undefined> {
  const { last, sent } = await beginningOf(session, beginning)
  if (!sent) return last && { last, isKnown: true }
  try {
    yield message({
      event: 'snapshot',
      id: marks.idOf(sent.place),
      data: [marks.start, sent.text.slice(1)],
    })
    return { last: sent.place, isKnown: false }
  } finally {
    sent.release()
  }
}

/**
 * Returns the last place of the log if the session is not deleted, and a snapshot if the reader needs one. It keeps no state while the
 * reader takes it.
 */
async function beginningOf(session: HubSession, { known, hadName, mayBeOlder }: Beginning) {
  const placed = await session.current()
  const { epoch } = placed
  if (epoch === NO_EPOCH && hadName) return {}
  if (epoch !== NO_EPOCH && known?.epoch === epoch) return { last: placeAt(placed, epoch) }
  return { sent: session.snapshotFor(placed, { mayBeOlder }) }
}

/** Returns the data of a message that says nothing but whose it is. */
function markOf({ start }: Marks): string {
  return start === NO_MARKS.start ? '' : `${start.slice(0, -1)}}`
}

/** A reader that came back has the events now that it had missed. A snapshot needs no such message. */
function liveMessage(marks: Marks): MessageTexts {
  return message({ event: 'live', data: [markOf(marks)] })
}

/** Returns one text for the events of a batch before the index, -1 for all. All readers share the text of a whole batch. */
function batchMessage(
  session: HubSession,
  { events, messages }: EventBatch,
  end: number,
  epoch: string,
  marks: Marks,
): MessageTexts {
  const textsOf = (some: readonly LoggedEvent[]) =>
    joinedIfShort(some.flatMap((logged) => eventMessage(session, { ...logged, epoch }, marks)))
  if (end >= 0) return textsOf(events.slice(0, end))
  const key = `${encodeURIComponent(epoch)} ${marks.start}`
  const texts = messages.get(key) ?? textsOf(events)
  messages.set(key, texts)
  return texts
}

/** The data is a `StampedEvent`. */
function eventMessage(
  session: HubSession,
  { epoch, seq, event, digest }: LoggedEvent & { readonly epoch: string },
  { start, idOf: idAt }: Marks,
): MessageTexts {
  const stamp = `${start}"epoch":${JSON.stringify(epoch)},"seq":${seq},"event":`
  return message({ id: idAt({ epoch, seq, digest }), data: [stamp, session.feed.textOf(event), '}'] })
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
