/** A row of the table: a session, the program that goes on with it, and the other cells. */
export interface Row {
  readonly session: string
  readonly program: string
  readonly cells: readonly string[]
}

const BEGIN = '<!-- `npm run handoff` writes this table. -->'

const HEAD = [
  '| session | goes on in | prompts | texts | calls | results | agents | losses |',
  '| --- | --- | --- | --- | --- | --- | --- | --- |',
]

/** Returns a row as a line of Markdown. */
export function rowLine({ session, program, cells }: Row): string {
  return `| ${[session, program, ...cells].join(' | ')} |`
}

/** Returns the page with these rows in the place of those of the same session and program, in the order of `sessions` and `programs`. */
export function withRows(
  page: string,
  rows: readonly Row[],
  { sessions, programs }: { readonly sessions: readonly string[]; readonly programs: readonly string[] },
): string {
  const [before = '', table = ''] = page.split(BEGIN)
  const keyOf = (session: string, program: string) => `| ${session} | ${program} |`
  const known = table.split('\n').filter((line) => line.startsWith('| '))
  const lines = sessions.flatMap((session) =>
    programs.flatMap((program) => {
      const row = rows.find((each) => each.session === session && each.program === program)
      return row ? [rowLine(row)] : known.filter((line) => line.startsWith(keyOf(session, program)))
    }),
  )
  return `${before}${BEGIN}\n\n${[...HEAD, ...lines].join('\n')}\n`
}
