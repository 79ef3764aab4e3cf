import { availableParallelism } from 'node:os'
import process from 'node:process'
import { skipReason } from '../../server/log/faults/redis-server.ts'
import { benchAppends } from './appends.ts'
import { benchCompaction, benchMemory } from './memory.ts'
import { benchRecovery } from './recovery.ts'
import { runWorker } from './worker.ts'
import { benchWorkers } from './workers.ts'

/** `npm run bench:logs` prints tables. It starts this program again for each worker. */
const [task] = process.argv.slice(2)
if (task !== undefined) await runWorker(JSON.parse(task))
else if (skipReason !== undefined) throw new Error(skipReason)
else {
  process.stdout.write(`Node ${process.version}, ${availableParallelism()} cores\n`)
  await benchWorkers()
  benchCompaction()
  await benchMemory()
  await benchRecovery()
  await benchAppends()
}
