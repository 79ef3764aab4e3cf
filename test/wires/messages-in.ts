import type { Entry } from '../../src/session/input/entries.ts'

/** Returns the messages of an input, without its broken lines. */
export function messagesIn(entries: Iterable<Entry>): readonly unknown[] {
  return [...entries].flatMap((entry) => ('message' in entry ? [entry.message] : []))
}
