/** A session, the program that goes on with it, and what became of it. */
export interface Row {
  readonly session: string
  readonly program: string
  /** Prompts, texts, calls, results and agents as `found/all`, and the losses as `kind count` or the refusal. */
  readonly cells: readonly string[]
}

const BEGIN = '<!-- `npm run handoff` writes these tables. -->'
const PARTS = ['prompt', 'text', 'call', 'result']

/** Returns a row as a line of the results. */
export function rowLine({ session, program, cells }: Row): string {
  return [session, program, ...cells].join('\t')
}

/** Returns the rows of a text of results. */
export function rowsOf(text: string): readonly Row[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const [session = '', program = '', ...cells] = line.split('\t')
    return { session, program, cells }
  })
}

/** Returns the known rows with these in the place of those of the same session and program, in the order of `sessions` and `programs`. */
export function withRows(
  known: readonly Row[],
  rows: readonly Row[],
  { sessions, programs }: { readonly sessions: readonly string[]; readonly programs: readonly string[] },
): readonly Row[] {
  return sessions.flatMap((session) =>
    programs.flatMap((program) => {
      const isPair = (row: Row) => row.session === session && row.program === program
      return rows.find(isPair) ?? known.find(isPair) ?? []
    }),
  )
}

/** Returns the page with the tables of these rows. */
export function withTables(page: string, rows: readonly Row[]): string {
  const [before = ''] = page.split(BEGIN)
  return `${before}${BEGIN}\n\n${pairTable(rows)}\n\n## Recordings\n\n${recordingTable(rows)}\n`
}

function pairTable(rows: readonly Row[]): string {
  const pairs = groupBy(rows, ({ session, program }) => `${writerOf(session)} | \`${program}\``)
  const lines = [...pairs].map(
    ([pair, of]) => `| ${[pair, requestText(of), agentText(of), lossText(of)].join(' | ')} |`,
  )
  return [
    '| session of | goes on in | in the request | agents | losses |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n')
}

function recordingTable(rows: readonly Row[]): string {
  const writers = groupBy(rows, ({ session }) => writerOf(session))
  const lines = [...writers].map(([writer, of]) => {
    const names = new Set(of.map(({ session }) => session.slice(writer.length + 2)))
    return `| ${writer} | ${[...names].join(', ')} |`
  })
  return ['| program | sessions |', '| --- | --- |', ...lines].join('\n')
}

function groupBy(rows: readonly Row[], keyOf: (row: Row) => string): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return groups
}

/** Returns the program that wrote a session, such as `Codex` for `Codex: tools`. */
function writerOf(session: string): string {
  return session.split(': ')[0] ?? session
}

function requestText(rows: readonly Row[]): string {
  const refused = rows.filter(({ cells }) => cells[0] === '–').length
  const missing = PARTS.flatMap((part, at) => {
    const count = rows.reduce((sum, { cells }) => sum + missingIn(cells[at]), 0)
    return count === 0 ? [] : countText(count, part)
  })
  const shown = missing.length === 0 ? 'all' : `all but ${missing.join(', ')}`
  return refused === 0 ? shown : `${shown}; ${refused} refused`
}

function agentText(rows: readonly Row[]): string {
  const cells = rows.map((row) => row.cells[4] ?? '–').filter((cell) => cell !== '–')
  if (cells.length === 0) return '–'
  const parts = cells.reduce((sum, cell) => sum + missingIn(cell), 0)
  const stopped = cells.reduce((sum, cell) => sum + Number(/, (\d+) of/.exec(cell)?.[1] ?? 0), 0)
  const facts = [
    ...(parts > 0 ? [`${countText(parts, 'part')} missing`] : []),
    ...(stopped > 0 ? [`${stopped} did not go on`] : []),
  ]
  return facts.length === 0 ? 'all' : facts.join(', ')
}

function countText(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

function missingIn(cell = ''): number {
  const [, found, all] = /^(\d+)\/(\d+)/.exec(cell) ?? []
  return Number(all ?? 0) - Number(found ?? 0)
}

/** Returns the kinds of losses but for the tokens, which no program takes over. */
function lossText(rows: readonly Row[]): string {
  const found = rows.flatMap(({ cells }) => [...(cells[5] ?? '').matchAll(/([a-z-]+) \d+/g)])
  const kinds = new Set(found.map(([, kind]) => kind).filter((kind) => kind !== 'usage'))
  return kinds.size === 0 ? '–' : [...kinds].sort().join(', ')
}
