import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { LogError } from '../../../../src/entries/log.ts'
import { createFileLog } from '../../../../src/entries/node.ts'
import type { LockResult, LockTask } from './lock-task.ts'

/** The program of the processes and threads that want the same folder. It appends to one session, and reports the numbers. */
const task: LockTask = parentPort ? workerData : JSON.parse(process.argv[2] ?? '')
// CommonJS has no `await` here.
void append(task).then((result) => {
  if (parentPort) parentPort.postMessage(result)
  else process.stdout.write(`${JSON.stringify(result)}\n`)
  // It keeps its lock until it is killed.
  setInterval(() => {}, 1000)
})

async function append({ folder, name, at, count, pauseMs }: LockTask): Promise<LockResult> {
  const log = createFileLog(folder)
  const confirmed: number[] = []
  await pause(Math.max(0, at - Date.now()))
  try {
    let seq = 0
    for await (const logged of log.read('s', 0)) seq = logged.seq
    for (let each = 0; each < count; each += 1) {
      seq = await log.append('s', [{ type: 'session:idle', error: `${name} ${each}` }], { expectedSeq: seq })
      confirmed.push(seq)
      await pause(pauseMs)
    }
    return { confirmed }
  } catch (error) {
    return { confirmed, code: error instanceof LogError ? error.code : String(error) }
  }
}
