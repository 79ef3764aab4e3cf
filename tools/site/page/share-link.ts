import type { SessionConversationState } from 'agentfold'
import { restore, snapshot } from 'agentfold/sync'
import { redactAll } from '../../../src/redaction/redactions.ts'
import { redactSession } from '../../../src/redaction/session.ts'

// A browser sends the part of an address after `#` to no server, so a link may hold a whole session.

const NAME = '#session='

/** Returns the address of this page with the session in it. Secrets of common forms are hidden. */
export async function shareLink(state: SessionConversationState): Promise<string> {
  const shown = redactSession(state, redactAll)
  const json = JSON.stringify(snapshot({ epoch: 'link', seq: 0, state: shown }))
  const bytes = await throughStream(new TextEncoder().encode(json), new CompressionStream('deflate-raw'))
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  const base64 = btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  return `${location.href.split(/[?#]/, 1)[0]}${NAME}${base64}`
}

/** Returns the session in a link; undefined for an address without one. Throws an `Error` for a damaged one. */
export async function sessionInLink(address: string): Promise<SessionConversationState | undefined> {
  const at = address.indexOf(NAME)
  if (at === -1) return undefined
  const base64 = address
    .slice(at + NAME.length)
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const json = await throughStream(bytes, new DecompressionStream('deflate-raw'), MOST_BYTES)
  return restore(JSON.parse(new TextDecoder().decode(json))).state
}

/** A damaged or hostile link of some kilobytes may unpack to gigabytes. */
const MOST_BYTES = 50_000_000

/** Throws a `RangeError` for more bytes than `most`. */
async function throughStream(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  most = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader()
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length
    if (size > most) {
      await reader.cancel()
      throw new RangeError('the session of the link is too large')
    }
    parts.push(next.value)
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}
