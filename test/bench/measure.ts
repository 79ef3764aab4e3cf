import { measure } from 'mitata'

/** How long a call of each candidate takes, in ns: medians of rounds in which the candidates take turns. */
export type Times<Name extends string> = Readonly<Record<Name, number>>

const ROUNDS = 7
const ROUND_NS = 15e6

/**
 * Measures candidates against each other: a busy moment of the machine meets all of them, so their ratios hold where the
 * times themselves do not.
 */
export async function race<Name extends string>(
  candidates: Readonly<Record<Name, () => unknown>>,
  rounds: number = ROUNDS,
): Promise<Times<Name>> {
  const names = Object.keys(candidates) as Name[]
  const medians = new Map<Name, number[]>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) {
      const { p50 } = await measure(candidates[name], {
        min_cpu_time: ROUND_NS,
        min_samples: 3,
        warmup_samples: 1,
      })
      medians.get(name)?.push(p50)
    }
  return Object.fromEntries(names.map((name) => [name, median(medians.get(name) ?? [])])) as Times<Name>
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
}
