/** What a gate compares, and how it came out. */
interface Gate {
  readonly name: string
  readonly limit: string
  readonly ratio: number
  readonly isHeld: boolean
  /** The limit is an aim that is not reached yet, and fails nothing. */
  readonly isGoal?: true
}

const gates: Gate[] = []

/** A ratio that has to be at least so much. */
export function atLeast(name: string, ratio: number, limit: number): void {
  gates.push({ name, ratio, limit: `≥ ${limit}`, isHeld: ratio >= limit })
}

/** A ratio that may be at most so much. */
export function atMost(name: string, ratio: number, limit: number): void {
  gates.push({ name, ratio, limit: `≤ ${limit}`, isHeld: ratio <= limit })
}

/** A ratio that should be at most so much, and is not yet. */
export function goal(name: string, ratio: number, limit: number): void {
  gates.push({ name, ratio, limit: `goal ≤ ${limit}`, isHeld: ratio <= limit, isGoal: true })
}

/** Prints the gates; returns whether all of them hold. */
export function reportGates(): boolean {
  heading('Gates')
  table(
    ['gate', 'limit', 'ratio', ''],
    gates.map((gate) => [gate.name, gate.limit, gate.ratio.toFixed(2), resultOf(gate)]),
  )
  return gates.every(({ isHeld, isGoal }) => isHeld || isGoal)
}

function resultOf({ isHeld, isGoal }: Gate): string {
  if (isHeld) return 'held'
  return isGoal ? 'not reached' : 'MISSED'
}

export function heading(text: string): void {
  process.stdout.write(`\n### ${text}\n\n`)
}

/** Prints a table as the README has it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  process.stdout.write(line(head) + line(head.map(() => '---')) + rows.map(line).join(''))
}

/** A time in ns, to three digits. */
export function time(ns: number): string {
  if (ns < 1e3) return `${ns.toPrecision(3)} ns`
  if (ns < 1e6) return `${(ns / 1e3).toPrecision(3)} µs`
  return ns < 1e9 ? `${(ns / 1e6).toPrecision(3)} ms` : `${(ns / 1e9).toPrecision(3)} s`
}

export function ratio(value: number): string {
  return `${value.toPrecision(3)}×`
}
