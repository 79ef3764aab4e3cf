/** Whether no rule can read the file. */
export function isBinary(mediaType: string): boolean {
  return /^(?:image|audio|video|font)\//.test(mediaType)
}

/** A file as an address: its media type, its parameters and its bytes. */
const DATA_ADDRESS = /^(data:([^,;]*)(?:;[^,;]*)*;base64,)(.*)$/is

/** Redacts a text file whose bytes are in base64, such as an attached `.env`. Other files stay as they are. */
export function redactEncoded(data: string, mediaType: string, redact: (text: string) => string): string {
  const text = isBinary(mediaType) ? undefined : decoded(data)
  if (text === undefined) return data
  const redacted = redact(text)
  return redacted === text ? data : encoded(redacted)
}

/** Redacts an address. The one of a file may have the file in it. */
export function redactAddress(address: string, redact: (text: string) => string): string {
  const [, head, mediaType = '', data] =
    address.slice(0, 5) === 'data:' ? (DATA_ADDRESS.exec(address) ?? []) : []
  return head === undefined || data === undefined
    ? redact(address)
    : head + redactEncoded(data, mediaType, redact)
}

/** Returns the text of the bytes, or undefined if they are none. */
function decoded(data: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function encoded(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const characters: string[] = []
  for (const byte of bytes) characters.push(String.fromCharCode(byte))
  return btoa(characters.join(''))
}
