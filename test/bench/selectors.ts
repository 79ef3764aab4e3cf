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
} from '../../src/entries/index.ts'
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
const DELTAS = 1_000

/** What a delta costs with a selector after it, by the number of agents and of blocks. */
export async function benchSelectors(): Promise<void> {
  heading('A delta, and a selector after it')
  const rows: string[][] = []
  for (const workload of [...BLOCKS.map(ofBlocks), ...AGENTS.map(ofAgents)]) rows.push(await rowOf(workload))
  table(
    [
      'session',
      'a delta alone',
      'and `sessionStatus`',
      'and `pendingRequests`',
      'and `fileChanges`',
      'and `sumUsage` of each agent',
      'and `buildSessionTree`',
      'the first tree',
    ],
    rows,
  )
}

async function rowOf({ name, state, event }: Workload): Promise<string[]> {
  /** Returns a fold that asks a selector after each delta. No state comes twice, because selectors remember their results. */
  const after = (select: (state: SessionConversationState) => unknown) => {
    let [current, deltas] = [state, 0]
    return () => {
      // A text that only grows would cost more and more.
      if (deltas % DELTAS === 0) current = state
      deltas += 1
      current = reduceSessionEvent(current, event)
      return select(current)
    }
  }
  const { clone, firstTree, ...times } = await race({
    delta: after(() => undefined),
    status: after(sessionStatus),
    requests: after(pendingRequests),
    files: after(fileChanges),
    usage: after(({ subagents }) => subagents.map(({ usage }) => sumUsage(usage))),
    tree: after(buildSessionTree),
    firstTree: () => buildSessionTree(structuredClone(state)),
    clone: () => structuredClone(state),
  })
  const first = firstTree - clone
  const hasAgents = state.subagents.length > 0
  if (state.subagents.length === 1_000)
    atMost('a tree after one delta among 1,000 agents, against the first tree', times.tree / first, 0.1)
  // The tree of one agent takes less time than the clock's error for the clone.
  return [name, ...Object.values(times).map(time), hasAgents ? time(first) : '–']
}

function ofBlocks(blocks: number): Workload {
  const state = stateOf(blocks)
  return { name: `${blocks.toLocaleString('en-US')} blocks`, state, event: delta(lastBlock(state)) }
}

function ofAgents(agents: number): Workload {
  const state = reduceSessionEvents(stateOf(1), interleaved(agents))
  return { name: `${agents.toLocaleString('en-US')} agents`, state, event: delta('t0:0', 't0') }
}
