import {
  type AgentEvent,
  type AgentRegistry,
  createAgentRegistry,
  reduceAgentEvent,
} from '../../src/entries/lineage.ts'
import { completed, started } from '../core/lineage/events.ts'
import { atMost, heading, table, time } from './gates.ts'
import { raceCpu } from './measure.ts'

const AGENTS = [100, 10_000, 100_000]
const EVENTS = 2_000

/** Measures an event of an agent registry, by the number of agents. */
export function benchRegistry(): void {
  heading('An event of the agent registry, by the number of agents')
  const folds = Object.fromEntries(AGENTS.map((agents) => [agents, foldOf(agents)]))
  const times = Object.entries(raceCpu(folds)).map(([agents, total]) => ({ agents, cost: total / EVENTS }))
  table(
    ['agents', 'one event'],
    times.map(({ agents, cost }) => [Number(agents).toLocaleString('en-US'), time(cost)]),
  )
  const growth = (times.at(-1)?.cost ?? 0) / (times[0]?.cost ?? 1)
  atMost('an event of the agent registry, 100,000 agents against 100', growth, 2)
}

/** Returns a fold of events, each of which changes another agent. */
function foldOf(agents: number): () => AgentRegistry {
  const fold = (registry: AgentRegistry, events: readonly AgentEvent[]) =>
    events.reduce((before, event) => reduceAgentEvent(before, event), registry)
  const starts = Array.from({ length: agents }, (_, at) => started(`agent ${at}`, at))
  // A prime number of steps visits all parts of the list.
  const complete = (inputTokens: number) =>
    Array.from({ length: EVENTS }, (_, at) =>
      completed(`agent ${(at * 7_919) % agents}`, agents + at, { inputTokens: at + inputTokens }),
    )
  // Only the first completion of an agent computes hashes.
  const registry = fold(createAgentRegistry(), [...starts, ...complete(1)])
  const events = complete(2)
  return () => fold(registry, events)
}
