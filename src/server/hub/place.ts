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
  const id = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after') ?? ''
  const [, seq, digest, epoch = ''] = /^(\d{1,15}):(\w*):([^:]+)$/.exec(id) ?? []
  const name = decoded(epoch)
  if (seq === undefined || name === undefined) return undefined
  return { epoch: name, seq: Number(seq), ...omitUndefined({ digest: digest || undefined }) }
}

/** Returns the session's id, which is the last part of the address. */
export function sessionIdOf(request: Request): string | undefined {
  return decoded(new URL(request.url).pathname.split('/').at(-1) ?? '') || undefined
}

/** Returns undefined for a text that is not percent-encoded. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
