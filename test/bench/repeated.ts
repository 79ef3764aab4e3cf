/** Ids that belong to one repetition; the session's own is not among them. */
const IDS =
  /\b(msg|toolu|req|prt|evt|mock)_\w+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\ba[0-9a-f]{16}\b|\bses_\w+/g

/**
 * A recording's lines, over and over, until there are that many: one long session, in which every message, call and agent has
 * an id of its own.
 */
export function repeated(text: string, sessionId: string, lines: number): string {
  const once = text.split('\n').filter((line) => line !== '')
  const times = Math.ceil(lines / once.length)
  return Array.from({ length: times }, (_, at) => repetition(once.join('\n'), sessionId, at)).join('\n')
}

/** One of these repetitions. */
export function repetition(text: string, sessionId: string, at: number): string {
  return text.replace(IDS, (id) => (id === sessionId ? id : `${id}${at}x`))
}
