import {
  buildSessionTree,
  fileChanges,
  pendingRequests,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
  sessionStatus,
  sumUsage,
} from '../../src/index.ts'
import { atMost, heading, table, time } from './gates.ts'
import { race } from './measure.ts'
import { delta, interleaved, lastBlock, stateOf } from './workloads.ts'

interface Workload {
  readonly name: string
  readonly state: SessionConversationState
  readonly event: SessionEvent
}

const AGENTS = [10, 1_000]
const BLOCKS = [100, 1_000, 10_000]

/** What the selectors cost after one delta, by the number of agents and of blocks. */
export async function benchSelectors(): Promise<void> {
  heading('The selectors after one delta')
  const rows: string[][] = []
  for (const workload of [...BLOCKS.map(ofBlocks), ...AGENTS.map(ofAgents)]) rows.push(await rowOf(workload))
  table(
    [
      'session',
      'the delta alone',
      '`sessionStatus`',
      '`pendingRequests`',
      '`fileChanges`',
      '`sumUsage` of each',
      '`buildSessionTree`',
      'the first tree',
    ],
    rows,
  )
}

async function rowOf({ name, state, event }: Workload): Promise<string[]> {
  const states = [state, reduceSessionEvent(state, event)]
  // Each call gets a state that differs from the last one by one delta.
  let at = 0
  const next = () => {
    at += 1
    return states[at % states.length] ?? state
  }
  const times = await race({
    delta: () => reduceSessionEvent(state, event),
    status: () => sessionStatus(next()),
    requests: () => pendingRequests(next()),
    files: () => fileChanges(next()),
    usage: () => next().subagents.map(({ usage }) => sumUsage(usage)),
    tree: () => buildSessionTree(next()),
    firstTree: () => buildSessionTree(structuredClone(next())),
    clone: () => structuredClone(next()),
  })
  const first = times.firstTree - times.clone
  const { delta: one, status, requests, files, usage, tree } = times
  if (state.subagents.length === 1_000)
    atMost('a tree after one delta among 1,000 agents, against the first tree', tree / first, 0.1)
  return [name, ...[one, status, requests, files, usage, tree, first].map(time)]
}

function ofBlocks(blocks: number): Workload {
  const state = stateOf(blocks)
  return { name: `${blocks.toLocaleString('en-US')} blocks`, state, event: delta(lastBlock(state)) }
}

function ofAgents(agents: number): Workload {
  const state = reduceSessionEvents(stateOf(1), interleaved(agents))
  return { name: `${agents.toLocaleString('en-US')} agents`, state, event: delta('t0:0', 't0') }
}
