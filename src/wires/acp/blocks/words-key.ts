/** Returns a short key for a text: FNV-1a with 32 bits, in base 36. Different texts seldom have the same key. */
export function wordsKey(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(36)
}
