/** Ids that belong to one repetition; the session's own is not among them. */
const IDS =
  /\b(msg|toolu|req|prt|evt|mock)_\w+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\ba[0-9a-f]{16}\b|\bses_\w+/g

/**
 * A recording's lines, over and over, until there are that many: one long session, in which every message, call and agent has
 * an id of its own. The first line of a file that comes again hangs on the last one before it: a second first line would be a rewind.
 */
export function repeated(text: string, sessionId: string, lines: number): string {
  const once = text.split('\n').filter((line) => line !== '')
  const times = Math.ceil(lines / once.length)
  const last = /"uuid":"([^"]+)"/.exec(
    once.findLast((line) => line.includes('"isSidechain":false')) ?? '',
  )?.[1]
  return Array.from({ length: times }, (_, at) =>
    repetition(once.join('\n'), sessionId, at)
      .split('\n')
      .map((line) => (at === 0 || last === undefined ? line : linked(line, `${last}${at - 1}x`)))
      .join('\n'),
  ).join('\n')
}

function linked(line: string, parent: string): string {
  return line.includes('"isSidechain":true')
    ? line
    : line.replace('"parentUuid":null', `"parentUuid":"${parent}"`)
}

/** One of these repetitions. */
export function repetition(text: string, sessionId: string, at: number): string {
  return text.replace(IDS, (id) => (id === sessionId ? id : `${id}${at}x`))
}
