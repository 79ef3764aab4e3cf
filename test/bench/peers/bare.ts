import { equal } from 'node:assert/strict'
import { concatMap, from, lastValueFrom, scan } from 'rxjs'
import type { SessionEvent } from '../../../src/entries/index.ts'
import { type Candidate, type Peer, streamOf } from './peer.ts'
import { eventsOf } from './session-events.ts'
import type { Workload } from './workload.ts'

export const bareStream: Peer = {
  name: 'a bare `ReadableStream`',
  note: "agentfold's events read from a `ReadableStream` and only counted: what such a transport costs by itself.",
  candidate: (workload) =>
    counting(workload, async (events) => {
      let count = 0
      for await (const _ of streamOf(events)) count += 1
      return count
    }),
}

export const bareObservable: Peer = {
  name: 'a bare `Observable`',
  note: "agentfold's events taken from an rxjs `Observable` with a promise for each, and only counted.",
  candidate: (workload) =>
    counting(workload, (events) =>
      lastValueFrom(
        from(events).pipe(
          concatMap(async (event) => event),
          scan((count) => count + 1, 0),
        ),
      ),
    ),
}

function counting(
  { streamed }: Workload,
  count: (events: readonly SessionEvent[]) => Promise<number>,
): Candidate {
  const events = streamed.flatMap(eventsOf)
  return { run: () => count(events), verify: async () => equal(await count(events), events.length) }
}
