import { setImmediate as nextTurn } from 'node:timers/promises'
import { heading, ratio, table, time } from '../gates.ts'
import { agUi } from './ag-ui.ts'
import { agentfold, agentfoldFromStream, agentfoldInBatches } from './agentfold.ts'
import { aiSdk } from './ai-sdk.ts'
import { assistantStream } from './assistant-stream.ts'
import { bareObservable, bareStream } from './bare.ts'
import { earlier } from './earlier.ts'
import type { Candidate, Peer } from './peer.ts'
import { type PeerTimes, racePeers } from './race-peers.ts'
import { raceReaders } from './readers.ts'
import { recipesInside, recipesOutside } from './recipes.ts'
import { DELTAS, textAfter, turns, type Workload } from './workload.ts'

/** In the order of the tables. */
const PEERS: readonly Peer[] = [
  agentfold,
  ...(earlier ? [earlier] : []),
  agentfoldInBatches,
  agentfoldFromStream,
  ...recipesOutside,
  ...recipesInside,
  assistantStream,
  aiSdk,
  agUi,
  bareStream,
  bareObservable,
]

/** Those that copy or draft a whole session for each event. */
const HEAVY: readonly Peer[] = [...recipesInside, aiSdk, agUi]
const LIGHT: readonly Peer[] = PEERS.filter((peer) => !HEAVY.includes(peer))

const TEXTS: readonly Workload[] = [10, 1_000, 5_000].map(textAfter)
const TURNS: readonly Workload[] = [10, 50, 200].map(turns)

/**
 * `npm run bench:peers -- [folder]`: the same model output folded by agentfold, by its earlier version in that folder, and by others. The light ones come first and by themselves:
 * else they would pay for the heap that the heavy ones leave behind.
 */
const light = await racePeers(LIGHT, [...TEXTS, ...TURNS])
const heavy = await racePeers(HEAVY, [...TEXTS, ...TURNS])
print(`A text of ${DELTAS} deltas after so many items, per delta`, TEXTS)
print('So many turns of text, a call and its result, per turn', TURNS)
await printKept()
explain()
await raceReaders()

function print(title: string, workloads: readonly Workload[]): void {
  const columns = workloads.map((workload) => ({ ...light.get(workload), ...heavy.get(workload) }))
  heading(title)
  table(
    ['', ...workloads.flatMap(({ size }) => [size.toLocaleString('en-US'), '/ agentfold'])],
    PEERS.map(({ name }) => [name, ...columns.flatMap((times) => cells(times, name))]),
  )
}

function cells(times: PeerTimes, name: string): readonly string[] {
  const ns = times[name] ?? 0
  const factor = ns / (times[agentfold.name] ?? 0)
  return [time(ns), factor < 1_000 ? ratio(factor) : `${Math.round(factor).toLocaleString('en-US')}×`]
}

/** Prints what the last state takes behind the input, which stays. */
async function printKept(): Promise<void> {
  const workload = turns(1_000)
  heading('The state of 1,000 turns')
  const rows: string[][] = []
  for (const { name, candidate } of PEERS) rows.push([name, await keptBytes(candidate(workload))])
  table(['', 'kept'], rows)
}

/** A run before warms up: a pipeline leaves garbage that is freed later. */
async function keptBytes({ run }: Candidate): Promise<string> {
  await run()
  const before = await heap()
  const kept = await run()
  const bytes = (await heap()) - before
  return kept === undefined ? '' : `${(bytes / 1e6).toFixed(2)} MB`
}

async function heap(): Promise<number> {
  await nextTurn()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

function explain(): void {
  heading('What the rows include')
  for (const { name, note } of PEERS) process.stdout.write(`- ${name}: ${note}\n`)
  process.stdout.write(`
Each peer does more than fold, and other things: reads wire formats, calls subscribers, hands out states that nobody else
holds, runs tools; mutative updates any state. The rows hold the step from events to state alone. What they produce is
verified, before and after. Setting a pipeline up, starting and ending a text counts towards its deltas.
`)
}
