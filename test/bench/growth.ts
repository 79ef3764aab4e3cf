import { agentForms } from '../growth/agents.ts'
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
  const rows = growingForms.map(rowOf)
  table(['form', ...SIZES.map((size) => `${size} MB, ns a byte`), 'growth'], rows)
}

const [FEW, MANY] = [1_000, 4_000]
/** The time of so many agents, against that of a quarter of them. */
const AGENT_LIMIT = 4.5

/** Measures sessions of many agents: one after the other, at the same time, and without an end. */
export function benchAgents(): void {
  heading('Many agents')
  const rows = agentForms.flatMap((form) =>
    form.orders.map((order) => {
      const [few, many] = [FEW, MANY].map((agents) => {
        const messages = form.messagesOf(agents, order)
        return bestOf(agents === FEW ? 3 : 2, () => readGrown(form, messages))
      })
      const growth = (many ?? 0) / (few ?? 1)
      atMost(`${form.name}, ${order}: ${MANY} agents / ${FEW}`, growth, AGENT_LIMIT)
      return [`${form.name}, ${order}`, ...[few, many].map((ms) => `${ms?.toFixed(0)} ms`), ratio(growth)]
    }),
  )
  table(['form', `${FEW} agents`, `${MANY}`, 'growth'], rows)
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
  const ms = bestOf(Math.max(1, (SMALL_ROUNDS * MB) / bytes), () => readGrown(form, messages))
  return (ms * 1_000_000) / bytes
}

/** In ms of CPU time: the best of some rounds. */
function bestOf(rounds: number, run: () => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round += 1) {
    globalThis.gc?.()
    const start = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(start)
    best = Math.min(best, (user + system) / 1_000)
  }
  return best
}
