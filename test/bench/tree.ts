import {
  buildSessionTree,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionConversationState,
  sessionStatus,
  sumUsage,
} from '../../src/index.ts'
import { atMost, heading, table, time } from './gates.ts'
import { race } from './measure.ts'
import { delta, interleaved, stateOf } from './workloads.ts'

const AGENTS = [10, 1_000]

/** What the selectors cost after one delta, by the number of agents. */
export async function benchTree(): Promise<void> {
  heading('The selectors after one delta, by the number of agents')
  const rows: string[][] = []
  for (const agents of AGENTS) {
    const states = statesOf(agents)
    // Each call gets a state that differs from the last one by one delta.
    let at = 0
    const next = () => {
      at += 1
      return states[at % states.length] ?? stateOf(1)
    }
    const times = await race({
      tree: () => buildSessionTree(next()),
      status: () => sessionStatus(next()),
      usage: () => next().subagents.map(({ usage }) => sumUsage(usage)),
      firstTree: () => buildSessionTree(structuredClone(next())),
      clone: () => structuredClone(next()),
    })
    const first = times.firstTree - times.clone
    rows.push([agents.toLocaleString('en-US'), ...[times.tree, times.status, times.usage, first].map(time)])
    if (agents === 1_000)
      atMost('a tree after one delta among 1,000 agents, against the first tree', times.tree / first, 0.1)
  }
  table(['agents', '`buildSessionTree`', '`sessionStatus`', '`sumUsage` of each', 'the first tree'], rows)
}

function statesOf(agents: number): readonly SessionConversationState[] {
  const first = reduceSessionEvents(stateOf(1), interleaved(agents))
  return [first, reduceSessionEvent(first, delta('t0:0', 't0'))]
}
