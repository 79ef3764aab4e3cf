const PRIME = 0x01000193

/** Returns the 32-bit FNV-1a hash (RFC 9923) over the UTF-16 units of a text. Another prime gives another hash. */
export function fnv1a(text: string, prime: number = PRIME): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), prime)
  return hash
}
