import { measure } from 'mitata'

/** How long a call of each candidate takes, in ns: its best round, each of them the median of many calls. */
export type Times<Name extends string> = Readonly<Record<Name, number>>

const ROUNDS = 7
const ROUND_NS = 15e6

/**
 * Measures candidates against each other, in rounds in which they take turns. What else the machine does can only slow a round
 * down, for some of them to twice its time, so the best one is what comes nearest to the code's own cost.
 */
export async function race<Name extends string>(
  candidates: Readonly<Record<Name, () => unknown>>,
  rounds: number = ROUNDS,
): Promise<Times<Name>> {
  const names = Object.keys(candidates) as Name[]
  const best = new Map<Name, number>()
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) {
      const { p50 } = await measure(candidates[name], {
        min_cpu_time: ROUND_NS,
        min_samples: 3,
        warmup_samples: 1,
      })
      best.set(name, Math.min(p50, best.get(name) ?? p50))
    }
  return Object.fromEntries(best) as Times<Name>
}

const CPU_ROUND_NS = 40e6

/**
 * Like `race`, for calls that take long. It counts the CPU time of the process: a busy machine interrupts a long call in every round. The
 * time of V8's own threads is included.
 */
export function raceCpu<Name extends string>(
  candidates: Readonly<Record<Name, () => unknown>>,
  rounds: number = ROUNDS,
): Times<Name> {
  const names = Object.keys(candidates) as Name[]
  const best = new Map<Name, number>()
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) {
      const time = cpuTimeOf(candidates[name])
      best.set(name, Math.min(time, best.get(name) ?? time))
    }
  return Object.fromEntries(best) as Times<Name>
}

function cpuTimeOf(call: () => unknown): number {
  const start = process.cpuUsage()
  for (let calls = 1; ; calls += 1) {
    call()
    const { user, system } = process.cpuUsage(start)
    const spent = 1_000 * (user + system)
    if (spent >= CPU_ROUND_NS) return spent / calls
  }
}
