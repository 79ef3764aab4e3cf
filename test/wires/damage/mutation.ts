/** Damages lines at a place among them. */
export type Mutation = (lines: readonly string[], place: number) => readonly string[]

export const at = (lines: readonly string[], place: number): number => place % Math.max(1, lines.length)

export const insert =
  (line: string): Mutation =>
  (lines, place) =>
    lines.toSpliced(at(lines, place), 0, line)

/** Changes the fields of one line. */
export function change(news: (fields: Record<string, unknown>) => unknown): Mutation {
  return (lines, place) =>
    lines.map((line, index) => {
      if (index !== at(lines, place) || !line.startsWith('{')) return line
      const fields: Record<string, unknown> = JSON.parse(line)
      return JSON.stringify(news(fields))
    })
}

/** Mutations of the lines of any program. */
export const LINE_MUTATIONS: Readonly<Record<string, Mutation>> = {
  drop: (lines, place) => lines.toSpliced(at(lines, place), 1),
  dropMany: (lines, place) => lines.toSpliced(at(lines, place), 5),
  repeat: (lines, place) => lines.toSpliced(at(lines, place), 0, lines[at(lines, place)] ?? ''),
  move: (lines, place) => [...lines.toSpliced(at(lines, place), 1), lines[at(lines, place)] ?? ''],
  first: (lines, place) => [lines[at(lines, place)] ?? '', ...lines.toSpliced(at(lines, place), 1)],
}
