import { type GrowingForm, growingForms, readGrown } from '../growth/forms.ts'
import { atMost, heading, ratio, table } from './gates.ts'

const MB = 1 << 20
const SIZES = [1, 8, 32]
const SMALL_ROUNDS = 8

/** A byte of a long session may cost that many times a byte of a short one. */
const LIMIT = 1.3

/** Measures how the cost of a byte grows with the session, for both forms of each wire. */
export function benchGrowth(): void {
  heading('A byte of a long session')
  const rows = growingForms.map((make) => rowOf(make()))
  table(['form', ...SIZES.map((size) => `${size} MB, ns a byte`), 'growth'], rows)
}

function rowOf(form: GrowingForm): readonly string[] {
  const costs = SIZES.map((size) => costOf(form, size * MB))
  const [first = 0] = costs
  const growth = (costs.at(-1) ?? 0) / first
  atMost(`${form.name}: a byte of ${SIZES.at(-1)} MB / one of ${SIZES[0]} MB`, growth, LIMIT)
  return [form.name, ...costs.map((cost) => cost.toPrecision(3)), ratio(growth)]
}

/** In ns of CPU time for each byte: the best of some rounds. */
function costOf(form: GrowingForm, bytes: number): number {
  const messages = form.messagesOf(bytes)
  let best = Number.POSITIVE_INFINITY
  for (let round = Math.max(1, (SMALL_ROUNDS * MB) / bytes); round > 0; round -= 1) {
    globalThis.gc?.()
    const start = process.cpuUsage()
    readGrown(form, messages)
    const { user, system } = process.cpuUsage(start)
    best = Math.min(best, (1_000 * (user + system)) / bytes)
  }
  return best
}
