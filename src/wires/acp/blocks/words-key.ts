import { fnv1a } from '../../../json/fnv1a.ts'

/** Returns a short key for a text, in base 36. Different texts seldom have the same key. */
export function wordsKey(text: string): string {
  return (fnv1a(text) >>> 0).toString(36)
}
