import { race } from '../measure.ts'
import type { Peer } from './peer.ts'
import type { Workload } from './workload.ts'

/** How long each peer takes with a workload by its name, in ns per unit of the workload. */
export type PeerTimes = Readonly<Record<string, number>>

const ROUNDS = 5
const WARM_UP_MS = 300
/** Long enough that the collection of garbage which begins each round is over before its median sample. */
const SAMPLE_MS = 20

/** Races the peers on each of the workloads. */
export async function racePeers(
  peers: readonly Peer[],
  workloads: readonly Workload[],
): Promise<ReadonlyMap<Workload, PeerTimes>> {
  const times = new Map<Workload, PeerTimes>()
  for (const workload of workloads) times.set(workload, await raceWith(workload, peers))
  return times
}

/** Results are verified before and after: a wrong one has no time, and no run may leave traces for the next. */
async function raceWith(workload: Workload, peers: readonly Peer[]): Promise<PeerTimes> {
  const candidates = peers.map(({ name, candidate }) => ({ name, ...candidate(workload) }))
  const units = new Map<string, number>()
  const samples: Record<string, () => Promise<void>> = {}
  for (const { name, run, verify } of candidates) {
    await verify()
    const repetitions = Math.ceil(SAMPLE_MS / (await warm(run)))
    units.set(name, repetitions * workload.units)
    samples[name] = () => repeat(run, repetitions)
  }
  const times = await race(samples, ROUNDS)
  for (const { verify } of candidates) await verify()
  return Object.fromEntries(Object.entries(times).map(([name, ns]) => [name, ns / (units.get(name) ?? 1)]))
}

/** Runs until streams and promises are compiled too; returns how long a run took, in ms. */
async function warm(run: () => unknown): Promise<number> {
  const start = performance.now()
  let runs = 0
  for (; performance.now() - start < WARM_UP_MS; runs += 1) await run()
  return (performance.now() - start) / runs
}

async function repeat(run: () => unknown, times: number): Promise<void> {
  for (let at = 0; at < times; at += 1) {
    const running = run()
    // Those that fold in a plain loop have no promise to wait for.
    if (running instanceof Promise) await running
  }
}
