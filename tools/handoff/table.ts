/** A session, the program that goes on with it, and what became of it. */
export interface Row {
  readonly session: string
  /** The program that goes on; of a way back, `other → program`. */
  readonly program: string
  /** Prompts, texts, calls, results and agents as `found/all`, and the losses as `kind count` or the refusal. */
  readonly cells: readonly string[]
}

const ARROW = ' → '
const BEGIN = '<!-- `npm run handoff` writes these tables. -->'
const PARTS = ['prompt', 'text', 'call', 'result']

/** Returns the name of the way by which a session comes back to its program. */
export function backName(other: string, program: string): string {
  return `${other}${ARROW}${program}`
}

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
  const [direct, back] = [false, true].map((isBack) =>
    pairTable(rows.filter(({ program }) => program.includes(ARROW) === isBack)),
  )
  return `${before}${BEGIN}\n\n${direct}\n\n## There and back\n\n${back}\n`
}

function pairTable(rows: readonly Row[]): string {
  const pairs = groupBy(rows, ({ session, program }) => `${writerOf(session)} | \`${program}\``)
  // The programs of a writer that have all alike share a row.
  const shared = new Map<string, string[]>()
  for (const [pair, of] of pairs) {
    const [writer = '', program = ''] = pair.split(' | ')
    const key = `| ${writer} |  | ${[requestText(of), agentText(of), lossText(of)].join(' | ')} |`
    shared.set(key, [...(shared.get(key) ?? []), program])
  }
  const lines = [...shared].map(([key, programs]) => key.replace('|  |', () => `| ${programs.join(', ')} |`))
  return [
    '| session of | goes on in | in the request | agents | losses |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n')
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
  const found = rows.flatMap(({ cells: [shown, , , , , losses = ''] }) =>
    shown === '–' ? [] : [...losses.matchAll(/([a-z-]+) \d+/g)],
  )
  const kinds = new Set(found.map(([, kind]) => kind).filter((kind) => kind !== 'usage'))
  return kinds.size === 0 ? '–' : [...kinds].sort().join(', ')
}
