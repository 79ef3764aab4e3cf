import { reduceSessionEvent, reduceSessionEvents, type SessionEvent } from '../../../src/entries/index.ts'
import { type Peer, streamOf } from './peer.ts'
import { foldingEvents } from './session-events.ts'

const BATCH = 16

/** What the others are compared with. */
export const agentfold: Peer = {
  name: 'agentfold',
  note: '`reduceSessionEvent` for each event, in a plain loop: a frozen state after each, no stream.',
  candidate: (workload) =>
    foldingEvents(workload, (before, events) => () => events.reduce(reduceSessionEvent, before)),
}

export const agentfoldInBatches: Peer = {
  name: `agentfold, batches of ${BATCH}`,
  note: `\`reduceSessionEvents\`: one frozen state for ${BATCH} events, as for a frame of a user interface.`,
  candidate: (workload) =>
    foldingEvents(workload, (before, events) => {
      const batches = inBatches(events)
      return () => batches.reduce(reduceSessionEvents, before)
    }),
}

export const agentfoldFromStream: Peer = {
  name: 'agentfold, from a stream',
  note: '`reduceSessionEvent` for each event read from a `ReadableStream`: the first row with the cost of such a transport.',
  candidate: (workload) =>
    foldingEvents(workload, (before, events) => async () => {
      let state = before
      for await (const event of streamOf(events)) state = reduceSessionEvent(state, event)
      return state
    }),
}

function inBatches(events: readonly SessionEvent[]): readonly (readonly SessionEvent[])[] {
  return Array.from({ length: Math.ceil(events.length / BATCH) }, (_, at) =>
    events.slice(at * BATCH, (at + 1) * BATCH),
  )
}
