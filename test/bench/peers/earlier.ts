import { resolve } from 'node:path'
import process from 'node:process'
import type * as present from '../../../src/entries/index.ts'
import type { Peer } from './peer.ts'
import { foldingEvents } from './session-events.ts'

interface Earlier extends Peer {
  /** Returns how many blocks a stored session of Claude Code has. */
  readonly blocksOf: (text: string) => number
}

const [dist] = process.argv.slice(2)

/** An earlier version of agentfold: the argument of `npm run bench:peers` is the folder of its built files. */
export const earlier: Earlier | undefined = dist ? peerOf(await import(resolve(dist, 'index.js'))) : undefined

function peerOf(library: typeof present): Earlier {
  return {
    name: 'agentfold, the earlier version',
    note: 'As the first row.',
    candidate: (workload) =>
      foldingEvents(
        workload,
        (before, events) => () => events.reduce(library.reduceSessionEvent, before),
        library,
      ),
    blocksOf: (text) => library.parseTranscript('claude-sdk', text).blocks.length,
  }
}
